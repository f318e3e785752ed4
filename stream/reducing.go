package stream

// Reducing is Flink's ReducingState: every element is folded into one value of the same type.
type Reducing[T any] struct {
	c        *Context
	cell     FoldCell
	name     string
	nullable bool
	in       *T // where Add puts its argument, so that passing it on does not allocate
}

// NewReducing declares a reducing state; see NewValue. reduce gets the value so far and the new
// element.
func NewReducing[T any](c *Context, name string, codec Codec[T], reduce func(a, b T) T, options ...Option) Reducing[T] {
	d := describe(name, ReducingState, codec, options)
	d.Fold = &Fold{
		Set: func(acc, in any) { *acc.(*T) = *in.(*T) },
		Add: func(acc, in any) { a := acc.(*T); *a = reduce(*a, *in.(*T)) },
	}
	return Reducing[T]{c: c, cell: declare(c, d).(FoldCell), name: name, nullable: nullable[T](), in: new(T)}
}

// Get is the reduced value, and whether there is one.
func (s *Reducing[T]) Get() (v T, ok bool) {
	if p, ok := s.cell.Get().(*T); ok {
		return *p, true
	}
	return v, false
}

// Add folds v in. A null v clears.
func (s *Reducing[T]) Add(v T) {
	if s.nullable && isNull(v) {
		s.cell.Add(nil)
		return
	}
	*s.in = v
	s.cell.Add(s.in)
	if s.c.Trace != nil {
		now, _ := s.Get()
		s.c.trace(Step{Kind: StateSet, Name: s.name, Value: now})
	}
}

// Clear removes the current key's value.
func (s *Reducing[T]) Clear() { clearCell(s.c, s.cell, s.name) }
