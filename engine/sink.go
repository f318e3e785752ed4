package engine

import "gatewaymeter/stream"

// sinkOp runs a Sink, as the last operator of a chain or alone.
type sinkOp[T any] struct {
	base
	sink  stream.Sink[T]
	batch *stream.Batch[T]
	at    int
}

// flushable is an operator that writes outside the job.
type flushable interface {
	flushWork() stream.Work
}

func newSinkOp[T any](b *base, s stream.Sink[T]) *sinkOp[T] { return &sinkOp[T]{base: *b, sink: s} }

func (o *sinkOp[T]) mainOutput() any        { return nil }
func (o *sinkOp[T]) open() error            { return o.sink.Open(o.ctx) }
func (o *sinkOp[T]) finish() error          { return nil }
func (o *sinkOp[T]) close() error           { return closeFunction(o.sink) }
func (o *sinkOp[T]) flushWork() stream.Work { return o.sink.Flush() }

func (o *sinkOp[T]) notify(checkpoint int64) error { return notifyFunction(o.sink, checkpoint) }

func (o *sinkOp[T]) snapshotter() (stream.Snapshotter, bool) { return asSnapshotter(o.sink) }

// receive implements receiver.
func (o *sinkOp[T]) receive(v T, at stream.Time) {
	before := o.task.current
	o.task.current = &o.base
	o.ctx.Time = at
	if err := o.sink.Write(o.ctx, v); err != nil {
		panic(abort{err})
	}
	o.task.current = before
}

func (o *sinkOp[T]) records(_ int, p stream.Packet) error {
	o.batch = p.(*stream.Batch[T])
	for i, r := range o.batch.Records {
		o.at = i
		o.ctx.Time = r.Time
		if err := o.sink.Write(o.ctx, r.Value); err != nil {
			return err
		}
	}
	o.batch = nil
	return nil
}

func (o *sinkOp[T]) handling() string {
	if o.batch == nil {
		return ""
	}
	return describe(o.batch.Records[o.at])
}
