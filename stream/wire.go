package stream

import (
	"encoding/binary"
	"fmt"
)

// The functions of this file write and read the building blocks of hand-written codecs and of
// snapshots: varints, and bytes behind their length.

// AppendInt appends v as a zigzag varint.
func AppendInt(dst []byte, v int64) []byte { return binary.AppendVarint(dst, v) }

// AppendString appends s behind its length.
func AppendString(dst []byte, s string) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(s))), s...)
}

// AppendBytes appends b behind its length.
func AppendBytes(dst, b []byte) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(b))), b...)
}

// Wire reads what the Append functions wrote. The first damage is remembered in Err, and everything
// read after it is zero, so that a decoder checks once, at the end.
type Wire struct {
	rest []byte
	err  error
}

// NewWire reads src, which must not change meanwhile.
func NewWire(src []byte) *Wire { return &Wire{rest: src} }

// Reset starts over with src, so that a decoder in a hot loop can keep its Wire.
func (w *Wire) Reset(src []byte) { w.rest, w.err = src, nil }

// Int reads a zigzag varint.
func (w *Wire) Int() int64 {
	v, n := binary.Varint(w.rest)
	if n <= 0 {
		w.fail("an integer")
		return 0
	}
	w.rest = w.rest[n:]
	return v
}

// Byte reads one byte.
func (w *Wire) Byte() byte {
	if len(w.rest) == 0 {
		w.fail("a byte")
		return 0
	}
	b := w.rest[0]
	w.rest = w.rest[1:]
	return b
}

// Bytes reads bytes behind their length; they point into the source.
func (w *Wire) Bytes() []byte {
	size, n := binary.Uvarint(w.rest)
	if n <= 0 || size > uint64(len(w.rest)-n) {
		w.fail("a length and its bytes")
		return nil
	}
	b := w.rest[n : n+int(size)]
	w.rest = w.rest[n+int(size):]
	return b
}

// Str reads a string behind its length.
func (w *Wire) Str() string { return string(w.Bytes()) }

// More reports whether there is anything left to read.
func (w *Wire) More() bool { return w.err == nil && len(w.rest) > 0 }

// Rest is what has not been read.
func (w *Wire) Rest() []byte { return w.rest }

// Err is the first damage met.
func (w *Wire) Err() error { return w.err }

// Done is Err, or an error if bytes are left over.
func (w *Wire) Done() error {
	if w.err == nil && len(w.rest) > 0 {
		return fmt.Errorf("%w: %d bytes too many", ErrCorrupt, len(w.rest))
	}
	return w.err
}

func (w *Wire) fail(what string) {
	if w.err == nil {
		w.err = fmt.Errorf("%w: expected %s, %d bytes before the end", ErrCorrupt, what, len(w.rest))
	}
	w.rest = nil
}
