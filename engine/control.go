package engine

import (
	"fmt"

	"gatewaymeter/stream"
)

// control handles the control element that closes a packet.
func (t *Task) control(input int, c stream.Control) error {
	if ctx := t.head.self().ctx; ctx.Trace != nil {
		ctx.Note(stream.ControlStep(stream.ControlIn, input, c))
	}
	switch c.Kind {
	case stream.Watermark, stream.Idle, stream.Active:
		return t.timeMoved(input, c)
	case stream.Barrier:
		return t.barrier(input, c)
	case stream.EndOfInput:
		return t.inputEnded(input)
	}
	return fmt.Errorf("unknown control element %d: this is a fault of the engine", c.Kind)
}

// timeMoved asks the valve what an input's watermark or change of status means for the task.
func (t *Task) timeMoved(input int, c stream.Control) error {
	if t.valve == nil {
		return nil // a stage without a valve has no event time
	}
	var out stream.Signal
	switch c.Kind {
	case stream.Idle:
		out = t.valve.Idle(input)
	case stream.Active:
		out = t.valve.Active(input)
	default:
		out = t.valve.Watermark(input, c.Time)
	}
	t.noteInput(input)
	return t.signal(out)
}

// signal takes the task's own watermark or change of status and passes it on: first the timers that
// the watermark makes due, in slices, then the watermark.
func (t *Task) signal(s stream.Signal) error {
	if s.Status == stream.Active { // before the watermark: an idle channel's watermarks are dropped
		t.forward(stream.Control{Kind: stream.Active})
		s.Status = stream.NoControl
	}
	status := func() {
		if s.Status != stream.NoControl {
			t.forward(stream.Control{Kind: s.Status})
		}
	}
	if s.Watermark == stream.NoTime {
		status()
		return nil
	}
	return t.slice(func() (bool, error) {
		more, err := t.head.advance(stream.EventTime, s.Watermark)
		if err != nil || more {
			return more, err
		}
		for _, o := range t.chain[1:] {
			o.self().ctx.Watermark = s.Watermark
		}
		if err := t.flushState(); err != nil {
			return false, err
		}
		t.mark = s.Watermark
		t.forward(stream.Control{Kind: stream.Watermark, Time: s.Watermark})
		status()
		return false, t.maybeEnd()
	})
}

// forward passes a control element on to every receiving task.
func (t *Task) forward(c stream.Control) {
	if ctx := t.head.self().ctx; ctx.Trace != nil {
		ctx.Note(stream.ControlStep(stream.Forwarded, 0, c))
	}
	for _, o := range t.outputs {
		o.deal()
	}
	for _, e := range t.edges {
		e.control(c)
	}
}

// inputEnded handles the end of one input; the last one ends the task.
func (t *Task) inputEnded(input int) error {
	if t.ended[input] {
		return fmt.Errorf("input %d of %s ended twice: this is a fault of the engine", input, t.Name)
	}
	t.ended[input] = true
	t.open--
	if t.aligner != nil {
		if err := t.aligned(t.aligner.End(input)); err != nil {
			return err
		}
	}
	return t.maybeEnd()
}

// maybeEnd ends the task when its last input has ended and no storm of timers is left.
func (t *Task) maybeEnd() error {
	if t.open > 0 || t.IsSource() {
		return nil
	}
	return t.end()
}

// end is the end of input: last words, then the sinks' flush, and only when that has succeeded the
// end goes on (FLINK-2577: a source's final watermark has come before it).
func (t *Task) end() error {
	if t.ending {
		return nil
	}
	t.ending = true
	for _, o := range t.chain {
		if err := o.finish(); err != nil {
			return err
		}
	}
	if err := t.flushState(); err != nil {
		return err
	}
	t.flushSinks(t.endWhenFlushed)
	return t.endWhenFlushed()
}

func (t *Task) endWhenFlushed() error {
	if t.awaiting == 0 && !t.done {
		t.done = true
		t.forward(stream.Control{Kind: stream.EndOfInput})
	}
	return nil
}
