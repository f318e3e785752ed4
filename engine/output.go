package engine

import "gatewaymeter/stream"

// receiver takes records one at a time: the next operator of the chain, or an edge to other tasks.
type receiver[T any] interface {
	receive(v T, at stream.Time)
}

// output is the Collector of a function: it stamps what it is given with the context's time and
// hands it to everything that reads the stream.
type output[T any] struct {
	ctx    *stream.Context
	task   *Task
	first  receiver[T] // most streams have one reader
	others []receiver[T]
	name   string // of a side output
}

// Collect implements stream.Collector.
func (o *output[T]) Collect(v T) { o.emit(v, o.ctx.Time) }

func (o *output[T]) emit(v T, at stream.Time) {
	if o.ctx.Trace != nil {
		o.ctx.Note(stream.Step{Kind: stream.Emitted, Name: o.name, Value: v, At: at})
	}
	o.task.out++
	if o.first == nil {
		return // nothing reads this stream
	}
	o.first.receive(v, at)
	for _, r := range o.others {
		r.receive(v, at)
	}
}

func (o *output[T]) add(r receiver[T]) {
	if o.first == nil {
		o.first = r
		return
	}
	o.others = append(o.others, r)
}
