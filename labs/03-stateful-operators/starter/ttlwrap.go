package operators

import (
	"fmt"

	"gatewaymeter/stream"
)

// This file is given: how a stamp is stored beside a value.

// wrap is the descriptor that the backend below gets: the user's, with a stamp beside each T. Its type
// has another name, so that a snapshot made without a time to live is not read as one with it.
func (a *aging) wrap(d stream.Descriptor) stream.Descriptor {
	wrapped := d
	wrapped.TTL = nil
	wrapped.Type = "expiring " + d.Type
	wrapped.New = func() any { return &stamped{v: d.New()} }
	wrapped.Copy = func(v any) any { s := v.(*stamped); return &stamped{s.at, d.Copy(s.v)} }
	wrapped.Codec = stampedCodec{d.Codec}
	if d.TTL.Cleanup == stream.CleanupInSnapshot {
		wrapped.Keep = func(v any) bool { return !a.expired(v.(*stamped).at) }
	}
	if d.Fold != nil {
		wrapped.Fold = a.wrapFold(d.Fold)
	}
	return wrapped
}

// restamp is an element for a folding state that adds nothing and renews the stamp.
var restamp any = new(byte)

// wrapFold folds as fold does, starts anew over an expired value, and stamps.
func (a *aging) wrapFold(fold *stream.Fold) *stream.Fold {
	first := func(acc, in any) {
		if fold.Create == nil {
			fold.Set(acc, in)
			return
		}
		fold.Create(acc)
		fold.Add(acc, in)
	}
	wrapped := &stream.Fold{Add: func(acc, in any) {
		s := acc.(*stamped)
		switch {
		case in == restamp:
		case a.expired(s.at):
			first(s.v, in)
		default:
			fold.Add(s.v, in)
		}
		s.at = a.clock.Now()
	}}
	if fold.Create != nil {
		wrapped.Create = func(acc any) {
			s := acc.(*stamped)
			s.at = a.clock.Now()
			fold.Create(s.v)
		}
	} else {
		wrapped.Set = func(acc, in any) {
			s := acc.(*stamped)
			s.at = a.clock.Now()
			fold.Set(s.v, in)
		}
	}
	return wrapped
}

// stampedCodec writes the stamp in 8 bytes, then the value.
type stampedCodec struct{ inner stream.Erased }

func (c stampedCodec) Append(dst []byte, v any) []byte {
	s := v.(*stamped)
	return c.inner.Append(stream.Times.Append(dst, s.at), s.v)
}

func (c stampedCodec) Decode(src []byte, into any) (err error) {
	s := into.(*stamped)
	if len(src) < 8 {
		return fmt.Errorf("%w: no stamp", stream.ErrCorrupt)
	}
	if s.at, err = stream.Times.Decode(src[:8]); err != nil {
		return err
	}
	return c.inner.Decode(src[8:], s.v)
}
