package stream

import "iter"

// List is Flink's ListState: Ts in the order they were added, at the current key.
type List[T any] struct {
	c        *Context
	cell     ListCell
	name     string
	nullable bool
}

// NewList declares a list state; see NewValue.
func NewList[T any](c *Context, name string, codec Codec[T], options ...Option) List[T] {
	cell := declare(c, describe(name, ListState, codec, options))
	return List[T]{c: c, cell: cell.(ListCell), name: name, nullable: nullable[T]()}
}

// Add appends one element. A null one panics with ErrNull, and the list stays as it was.
func (s *List[T]) Add(v T) {
	s.cell.Add(s.box(v))
	if s.c.Trace != nil {
		s.c.trace(Step{Kind: StateSet, Name: s.name, Value: v})
	}
}

// AddAll appends the elements in order.
func (s *List[T]) AddAll(vs ...T) {
	for _, v := range vs {
		s.Add(v)
	}
}

// Update replaces the whole list; with no elements it clears.
func (s *List[T]) Update(vs []T) {
	boxed := make([]any, len(vs))
	for i, v := range vs {
		boxed[i] = s.box(v)
	}
	s.cell.Update(boxed)
	if s.c.Trace != nil {
		s.c.trace(Step{Kind: StateSet, Name: s.name, Value: vs})
	}
}

// All walks the elements in order. An empty list is empty, never null.
func (s *List[T]) All() iter.Seq[T] {
	return func(yield func(T) bool) {
		s.cell.Each(func(e any) bool { return yield(*e.(*T)) })
	}
}

// Get is the elements in a slice of its own: appending to it or overwriting its elements does not
// change the state.
func (s *List[T]) Get() []T {
	vs := make([]T, 0, s.cell.Len())
	for v := range s.All() {
		vs = append(vs, v)
	}
	return vs
}

// Len is the number of elements.
func (s *List[T]) Len() int { return s.cell.Len() }

// Clear removes the current key's list.
func (s *List[T]) Clear() { clearCell(s.c, s.cell, s.name) }

// box is the element as a cell takes it: a pointer, or nil for null.
func (s *List[T]) box(v T) any {
	if s.nullable && isNull(v) {
		return nil
	}
	return &v
}
