package stream

import "iter"

// Map is Flink's MapState: Vs under keys of its own, at the current key of the stream. A backend
// reads and writes one entry at a time, which a map inside a Value cannot.
type Map[K, V any] struct {
	c       *Context
	cell    MapCell
	settler Settler // cell, if it keeps bytes
	name    string
	keys    Codec[K]
	scratch *[]byte // the encoded key, reused
}

// NewMap declares a map state; see NewValue. Entries are walked in the order of their encoded keys.
func NewMap[K, V any](c *Context, name string, keys OrderedCodec[K], values Codec[V], options ...Option) Map[K, V] {
	cell := declare(c, describe(name, MapState, values, options))
	return mapOver(c, name, cell, keys, values)
}

func mapOver[K, V any](c *Context, name string, cell Cell, keys Codec[K], _ Codec[V]) Map[K, V] {
	settler, _ := cell.(Settler)
	return Map[K, V]{c: c, cell: cell.(MapCell), settler: settler, name: name, keys: keys, scratch: new([]byte)}
}

// Get is the value under key, and whether there is an entry.
func (s *Map[K, V]) Get(key K) (v V, ok bool) {
	if p, ok := s.cell.Get(s.encode(key)).(*V); ok {
		return *p, true
	}
	return v, false
}

// Contains reports whether there is an entry, even one with a null value.
func (s *Map[K, V]) Contains(key K) bool { return s.cell.Get(s.encode(key)) != nil }

// Put stores a value under key. Null values are kept, as in Flink.
func (s *Map[K, V]) Put(key K, v V) {
	*s.cell.Put(s.encode(key)).(*V) = v
	if s.settler != nil {
		s.settler.Settle()
	}
	if s.c.Trace != nil {
		s.c.trace(Step{Kind: StateSet, Name: s.name, Entry: key, Value: v})
	}
}

// Remove deletes an entry; deleting the last leaves nothing of the map.
func (s *Map[K, V]) Remove(key K) {
	s.cell.Remove(s.encode(key))
	if s.c.Trace != nil {
		s.c.trace(Step{Kind: StateCleared, Name: s.name, Entry: key})
	}
}

// All walks the entries by ascending encoded key. Entries may be removed meanwhile.
func (s *Map[K, V]) All() iter.Seq2[K, V] {
	return func(yield func(K, V) bool) {
		s.cell.Each(func(key []byte, v any) bool {
			k, err := s.keys.Decode(key)
			if err != nil {
				panic(&StateError{State: s.name, Err: err, Reason: "the key of a map entry"})
			}
			return yield(k, *v.(*V))
		})
	}
}

// IsEmpty reports whether the current key has no entry.
func (s *Map[K, V]) IsEmpty() bool { return s.cell.Len() == 0 }

// Len is the number of entries.
func (s *Map[K, V]) Len() int { return s.cell.Len() }

// Clear removes all entries of the current key.
func (s *Map[K, V]) Clear() { clearCell(s.c, s.cell, s.name) }

func (s *Map[K, V]) encode(key K) []byte {
	*s.scratch = s.keys.Append((*s.scratch)[:0], key)
	return *s.scratch
}
