package engine

import "gatewaymeter/stream"

// function runs a Function: in the chain of another operator, or at the head of a task of its own.
type function[In, Out any] struct {
	base
	fn    stream.Function[In, Out]
	out   *output[Out]
	batch *stream.Batch[In]
	at    int
}

func newFunctionOp[In, Out any](b *base, fn stream.Function[In, Out]) *function[In, Out] {
	return &function[In, Out]{base: *b, fn: fn, out: &output[Out]{ctx: b.ctx, task: b.task}}
}

func (o *function[In, Out]) mainOutput() any { return o.out }
func (o *function[In, Out]) open() error     { return o.fn.Open(o.ctx) }
func (o *function[In, Out]) finish() error   { return finishFunction(&o.base, o.fn, o.out) }
func (o *function[In, Out]) close() error    { return closeFunction(o.fn) }

func (o *function[In, Out]) notify(checkpoint int64) error { return notifyFunction(o.fn, checkpoint) }

func (o *function[In, Out]) snapshotter() (stream.Snapshotter, bool) { return asSnapshotter(o.fn) }

// receive implements receiver: the operator before calls it.
func (o *function[In, Out]) receive(v In, at stream.Time) {
	before := o.task.current
	o.task.current = &o.base
	if err := o.element(v, at); err != nil {
		panic(abort{err})
	}
	o.task.current = before
}

func (o *function[In, Out]) element(v In, at stream.Time) error {
	o.ctx.Time = at
	if o.ctx.Trace != nil {
		o.ctx.Note(stream.Step{Kind: stream.ElementIn, Value: v, At: at})
	}
	return o.fn.ProcessElement(o.ctx, v, o.out)
}

func (o *function[In, Out]) records(_ int, p stream.Packet) error {
	o.batch = p.(*stream.Batch[In])
	for i, r := range o.batch.Records {
		o.at = i
		if err := o.element(r.Value, r.Time); err != nil {
			return err
		}
	}
	o.batch = nil
	return nil
}

func (o *function[In, Out]) handling() string {
	if o.batch == nil {
		return ""
	}
	return describe(o.batch.Records[o.at])
}
