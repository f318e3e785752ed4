package engine

import (
	"fmt"

	"gatewaymeter/stream"
)

// timerSlice is how many timers fire before a task lets go: a storm of a million timers is handled
// in slices, so that what they emit flows on meanwhile.
const timerSlice = 1024

// keyed runs a KeyedFunction (Flink: KeyedProcessOperator).
type keyed[In, Out any] struct {
	base
	fn     stream.KeyedFunction[In, Out]
	timers stream.TimerFunction[Out] // nil if the function has none
	keyOf  func(In) string
	out    *output[Out]

	batch  *stream.Batch[In] // being handled
	at     int
	timer  *stream.Timer // being fired; nil or &firing
	firing stream.Timer
}

func newKeyedOp[In, Out any](b *base, keyOf func(In) string, fn stream.KeyedFunction[In, Out]) *keyed[In, Out] {
	o := &keyed[In, Out]{base: *b, fn: fn, keyOf: keyOf, out: &output[Out]{ctx: b.ctx, task: b.task}}
	o.timers, _ = fn.(stream.TimerFunction[Out])
	return o
}

func (o *keyed[In, Out]) mainOutput() any { return o.out }
func (o *keyed[In, Out]) open() error     { return o.fn.Open(o.ctx) }
func (o *keyed[In, Out]) finish() error   { return finishFunction(&o.base, o.fn, o.out) }

func (o *keyed[In, Out]) notify(checkpoint int64) error { return notifyFunction(o.fn, checkpoint) }

func (o *keyed[In, Out]) snapshotter() (stream.Snapshotter, bool) { return asSnapshotter(o.fn) }

func (o *keyed[In, Out]) close() error {
	err := closeFunction(o.fn)
	if e := o.closeBackend(); err == nil {
		err = e
	}
	return err
}

func (o *keyed[In, Out]) records(_ int, p stream.Packet) error {
	o.batch = p.(*stream.Batch[In])
	for i := range o.batch.Records {
		r := &o.batch.Records[i]
		o.at = i
		if err := o.element(r); err != nil {
			return err
		}
	}
	o.batch = nil
	return nil
}

func (o *keyed[In, Out]) element(r *stream.Record[In]) error {
	o.ctx.Time = r.Time
	o.ctx.SetKey(int(r.Group), o.keyOf(r.Value))
	if o.ctx.Trace != nil {
		o.ctx.Note(stream.Step{Kind: stream.ElementIn, Value: r.Value, At: r.Time})
	}
	return o.fn.ProcessElement(o.ctx, r.Value, o.out)
}

func (o *keyed[In, Out]) advance(d stream.Domain, to stream.Time) (more bool, err error) {
	service := o.ctx.EventTimers
	if d == stream.EventTime {
		o.ctx.Watermark = to
	} else {
		service = o.ctx.ProcessingTimers
	}
	if service == nil {
		return false, nil
	}
	more, err = service.Advance(to, timerSlice, o.fire)
	o.timer = nil
	return more, err
}

// fire calls OnTimer. The timer service has made the timer's key current.
func (o *keyed[In, Out]) fire(t stream.Timer) error {
	o.firing, o.timer = t, &o.firing
	if o.timers == nil {
		return fmt.Errorf("a timer is due, but the function has no OnTimer method")
	}
	o.ctx.Time = t.At
	if t.Domain == stream.ProcessingTime {
		o.ctx.Time = stream.NoTime
	}
	if o.ctx.Trace != nil {
		o.ctx.Note(stream.Step{Kind: stream.TimerFired, At: t.At, Window: t.Window})
	}
	return o.task.step(PointTimer, func() error { return o.timers.OnTimer(o.ctx, t, o.out) })
}

func (o *keyed[In, Out]) handling() string {
	switch {
	case o.timer != nil:
		return o.timer.String()
	case o.batch != nil:
		return describe(o.batch.Records[o.at])
	}
	return ""
}

// describe prints an element for a failure, within bounds.
func describe[T any](r stream.Record[T]) string {
	s := fmt.Sprintf("element %+v at %v", r.Value, r.Time)
	if len(s) > 300 {
		s = s[:300] + "…"
	}
	return s
}
