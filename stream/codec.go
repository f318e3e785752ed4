package stream

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
)

// Codec turns a state's values into bytes and back: in snapshots on every backend, at every access
// on the serialised one. Decode must accept exactly what Append wrote, and must not keep src.
type Codec[T any] interface {
	Append(dst []byte, v T) []byte
	Decode(src []byte) (T, error)
}

// OrderedCodec is a Codec whose bytes sort as the values do. Map keys need one, so that every
// backend walks a map in the same order.
type OrderedCodec[T any] interface {
	Codec[T]
	Ordered()
}

// Codecs of the basic types.
var (
	Int64  OrderedCodec[int64]  = int64Codec{}
	String OrderedCodec[string] = stringCodec{}
	Bool   OrderedCodec[bool]   = boolCodec{}
	Times  OrderedCodec[Time]   = timeCodec{}
	Spans  OrderedCodec[Window] = windowCodec{} // windows, by start
)

// ErrCorrupt says that bytes are not what a codec wrote.
var ErrCorrupt = errors.New("stored bytes are damaged or of another type")

type int64Codec struct{}

// The sign bit is flipped so that negative numbers sort first.
func (int64Codec) Append(dst []byte, v int64) []byte {
	return binary.BigEndian.AppendUint64(dst, uint64(v)^1<<63)
}

func (int64Codec) Decode(src []byte) (int64, error) {
	if len(src) != 8 {
		return 0, fmt.Errorf("%w: a 64-bit integer has 8 bytes, not %d", ErrCorrupt, len(src))
	}
	return int64(binary.BigEndian.Uint64(src) ^ 1<<63), nil
}

func (int64Codec) Ordered() {}

type timeCodec struct{}

func (timeCodec) Append(dst []byte, v Time) []byte { return Int64.Append(dst, int64(v)) }

func (timeCodec) Decode(src []byte) (Time, error) {
	v, err := Int64.Decode(src)
	return Time(v), err
}

func (timeCodec) Ordered() {}

type windowCodec struct{}

func (windowCodec) Append(dst []byte, w Window) []byte {
	dst = binary.BigEndian.AppendUint64(dst, uint64(w.Start)^1<<63) // as Int64 does, without its indirection:
	return binary.BigEndian.AppendUint64(dst, uint64(w.End)^1<<63)  // a window's key is encoded for every record
}

func (windowCodec) Decode(src []byte) (Window, error) {
	if len(src) != 16 {
		return Window{}, fmt.Errorf("%w: a window has 16 bytes, not %d", ErrCorrupt, len(src))
	}
	start, _ := Int64.Decode(src[:8])
	end, _ := Int64.Decode(src[8:])
	return Window{Start: Time(start), End: Time(end)}, nil
}

func (windowCodec) Ordered() {}

type stringCodec struct{}

func (stringCodec) Append(dst []byte, v string) []byte { return append(dst, v...) }
func (stringCodec) Decode(src []byte) (string, error)  { return string(src), nil }
func (stringCodec) Ordered()                           {}

type boolCodec struct{}

func (boolCodec) Append(dst []byte, v bool) []byte {
	if v {
		return append(dst, 1)
	}
	return append(dst, 0)
}

func (boolCodec) Decode(src []byte) (bool, error) {
	if len(src) != 1 || src[0] > 1 {
		return false, fmt.Errorf("%w: a bool is one byte, 0 or 1", ErrCorrupt)
	}
	return src[0] == 1, nil
}

func (boolCodec) Ordered() {}

// JSON is the codec for any value that encoding/json can write and read back. It is the easy choice;
// a hot state deserves a codec of its own.
func JSON[T any]() Codec[T] { return jsonCodec[T]{} }

type jsonCodec[T any] struct{ state string } // whose codec it is, for its errors

// Append panics with a StateError for a value that has no JSON form, such as a channel: a state that
// does not serialise must fail where it is written, with the state's name and type.
func (c jsonCodec[T]) Append(dst []byte, v T) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(&StateError{State: c.state, Reason: fmt.Sprintf("a %T does not serialise: %v", v, err)})
	}
	return append(dst, b...)
}

func (jsonCodec[T]) Decode(src []byte) (T, error) {
	var v T
	if err := json.Unmarshal(src, &v); err != nil {
		return v, fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	return v, nil
}

// Optional is the codec of a value that may be null: nil is one byte 0, anything else byte 1 and
// what inner writes. With an ordered inner codec, null sorts first.
func Optional[T any](inner Codec[T]) OrderedCodec[*T] { return optionalCodec[T]{inner} }

type optionalCodec[T any] struct{ inner Codec[T] }

func (c optionalCodec[T]) Append(dst []byte, v *T) []byte {
	if v == nil {
		return append(dst, 0)
	}
	return c.inner.Append(append(dst, 1), *v)
}

func (c optionalCodec[T]) Decode(src []byte) (*T, error) {
	switch {
	case len(src) == 1 && src[0] == 0:
		return nil, nil
	case len(src) == 0 || src[0] != 1:
		return nil, fmt.Errorf("%w: an optional value starts with byte 0 or 1", ErrCorrupt)
	}
	v, err := c.inner.Decode(src[1:])
	return &v, err
}

func (optionalCodec[T]) Ordered() {}
