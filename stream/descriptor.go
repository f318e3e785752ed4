package stream

import "reflect"

// describe makes the descriptor of a state whose elements are Ts.
func describe[T any](name string, kind Kind, codec Codec[T], options []Option) Descriptor {
	if j, ok := codec.(jsonCodec[T]); ok {
		j.state = name
		codec = j
	}
	d := Descriptor{
		Name:  name,
		Kind:  kind,
		Type:  reflect.TypeFor[T]().String(),
		New:   func() any { return new(T) },
		Copy:  func(v any) any { c := *v.(*T); return &c },
		Codec: erased[T]{codec},
	}
	for _, option := range options {
		option(&d)
	}
	return d
}

// Option changes a state's descriptor.
type Option func(*Descriptor)

// Expire gives the state a time to live.
func Expire(ttl TTL) Option { return func(d *Descriptor) { d.TTL = &ttl } }

// Describe is the descriptor of a value state, for code that talks to a backend itself, such as the
// timer service. Live: see Descriptor.
func Describe[T any](name string, codec Codec[T], live bool) Descriptor {
	d := describe(name, ValueState, codec, nil)
	d.Live = live
	return d
}

// erased hides a codec's type.
type erased[T any] struct{ codec Codec[T] }

func (e erased[T]) Append(dst []byte, v any) []byte { return e.codec.Append(dst, *v.(*T)) }

func (e erased[T]) Decode(src []byte, into any) error {
	v, err := e.codec.Decode(src)
	if err == nil {
		*into.(*T) = v
	}
	return err
}

// nullable reports whether a T can be nil; checked once, when a state is declared.
func nullable[T any]() bool {
	switch reflect.TypeFor[T]().Kind() {
	case reflect.Pointer, reflect.Interface:
		return true
	}
	return false
}

// isNull reports whether v is a nil pointer or interface. Call it only for nullable types: it boxes.
func isNull[T any](v T) bool {
	r := reflect.ValueOf(v)
	return !r.IsValid() || r.IsNil()
}
