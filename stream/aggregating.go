package stream

// Aggregate is Flink's AggregateFunction: an accumulator that takes Ins and gives an Out. Add and
// Merge change acc in place. Merge is needed by session windows only.
type Aggregate[In, Acc, Out any] interface {
	Create() Acc
	Add(acc *Acc, in In)
	Result(acc Acc) Out
	Merge(acc *Acc, other Acc)
}

// Aggregating is Flink's AggregatingState: elements of one type folded into an accumulator of
// another.
type Aggregating[In, Acc, Out any] struct {
	c        *Context
	cell     FoldCell
	name     string
	nullable bool
	fn       Aggregate[In, Acc, Out]
	in       *In
}

// NewAggregating declares an aggregating state; see NewValue. The codec is the accumulator's.
func NewAggregating[In, Acc, Out any](c *Context, name string, codec Codec[Acc], fn Aggregate[In, Acc, Out], options ...Option) Aggregating[In, Acc, Out] {
	d := describe(name, AggregatingState, codec, options)
	d.Fold = &Fold{
		Create: func(acc any) { *acc.(*Acc) = fn.Create() },
		Add:    func(acc, in any) { fn.Add(acc.(*Acc), *in.(*In)) },
	}
	return Aggregating[In, Acc, Out]{
		c: c, cell: declare(c, d).(FoldCell), name: name, nullable: nullable[In](), fn: fn, in: new(In),
	}
}

// Get is the result so far, and whether anything was added.
func (s *Aggregating[In, Acc, Out]) Get() (v Out, ok bool) {
	if acc, ok := s.cell.Get().(*Acc); ok {
		return s.fn.Result(*acc), true
	}
	return v, false
}

// Add folds v in. A null v clears.
func (s *Aggregating[In, Acc, Out]) Add(v In) {
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

// Clear removes the current key's accumulator.
func (s *Aggregating[In, Acc, Out]) Clear() { clearCell(s.c, s.cell, s.name) }
