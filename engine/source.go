package engine

import (
	"errors"

	"gatewaymeter/stream"
)

// sourceOp runs a Source at the head of a task without inputs.
type sourceOp[T any] struct {
	base
	source stream.Source[T]
	out    *output[T]
	rising stream.Time // the highest watermark sent
}

// pollable is a head that is polled instead of fed.
type pollable interface {
	poll(max int) (stream.Progress, error)
	ready() <-chan struct{}
}

func newSourceOp[T any](b *base, s stream.Source[T]) *sourceOp[T] {
	return &sourceOp[T]{base: *b, source: s, out: &output[T]{ctx: b.ctx, task: b.task}, rising: stream.NoTime}
}

func (o *sourceOp[T]) mainOutput() any { return o.out }
func (o *sourceOp[T]) open() error     { return o.source.Open(o.ctx) }
func (o *sourceOp[T]) finish() error   { return nil }
func (o *sourceOp[T]) close() error    { return closeFunction(o.source) }

func (o *sourceOp[T]) notify(checkpoint int64) error { return notifyFunction(o.source, checkpoint) }

func (o *sourceOp[T]) snapshotter() (stream.Snapshotter, bool) { return asSnapshotter(o.source) }

func (o *sourceOp[T]) poll(max int) (stream.Progress, error) { return o.source.Poll(o.ctx, max, o) }
func (o *sourceOp[T]) ready() <-chan struct{}                { return o.source.Ready() }

// Channels implements stream.TimeReporter, as far as the source does.
func (o *sourceOp[T]) Channels() []stream.ChannelTime { return channelsOf(o.source) }

// Emit implements stream.SourceOutput.
func (o *sourceOp[T]) Emit(v T, at stream.Time) {
	o.ctx.Time = at
	o.out.emit(v, at)
}

// Signal implements stream.SourceOutput: only rising watermarks go on.
func (o *sourceOp[T]) Signal(s stream.Signal) {
	if s.Watermark > o.rising {
		o.rising = s.Watermark
	} else {
		s.Watermark = stream.NoTime
	}
	if err := o.task.signal(s); err != nil {
		panic(abort{err})
	}
}

func (o *sourceOp[T]) records(int, stream.Packet) error {
	return errors.New("a source has no inputs: this is a fault of the engine")
}

func (o *sourceOp[T]) handling() string {
	if s, ok := o.source.(interface{ Handling() string }); ok {
		return s.Handling()
	}
	return ""
}
