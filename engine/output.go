package engine

import (
	"slices"

	"gatewaymeter/stream"
)

// receiver takes records one at a time: the next operator of the chain.
type receiver[T any] interface {
	receive(v T, at stream.Time)
}

// output is the Collector of a function: it stamps what it is given with the context's time and
// hands it to everything that reads the stream. Operators of the same chain get a record at once. For
// other tasks records are gathered and dealt out many at a time: their batches were last read on
// another core, and a long run of writes to such memory costs much less than single ones.
type output[T any] struct {
	ctx      *stream.Context
	task     *Task
	chained  []receiver[T]
	edges    []distributor[T]
	gathered []stream.Record[T]
	name     string // of a side output
}

// gathering is an output whose records may have to be let go.
type gathering interface{ deal() }

// Collect implements stream.Collector.
func (o *output[T]) Collect(v T) { o.emit(v, o.ctx.Time) }

func (o *output[T]) emit(v T, at stream.Time) {
	if o.ctx.Trace != nil {
		o.ctx.Note(stream.Step{Kind: stream.Emitted, Name: o.name, Value: v, At: at})
	}
	o.task.out++
	for _, r := range o.chained {
		r.receive(v, at)
	}
	if len(o.edges) == 0 {
		return
	}
	n := len(o.gathered)
	if n == cap(o.gathered) {
		o.gathered = slices.Grow(o.gathered, 1)
	}
	o.gathered = o.gathered[:n+1]
	r := &o.gathered[n] // written in place: an append would copy v twice
	r.Value, r.Time = v, at
	if n+1 >= o.task.batch {
		o.deal()
	}
}

// deal hands what was gathered to the edges.
func (o *output[T]) deal() {
	if len(o.gathered) == 0 {
		return
	}
	for _, e := range o.edges {
		e.deal(o.gathered)
	}
	o.gathered = o.gathered[:0]
}

func (o *output[T]) add(r any) {
	if e, ok := r.(distributor[T]); ok {
		if len(o.edges) == 0 {
			o.task.outputs = append(o.task.outputs, o)
		}
		o.edges = append(o.edges, e)
		return
	}
	o.chained = append(o.chained, r.(receiver[T]))
}
