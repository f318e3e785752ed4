package engine

import (
	"errors"
	"fmt"

	"gatewaymeter/stream"
)

// operator is one operator of one subtask, whatever its types.
type operator interface {
	self() *base
	mainOutput() any // an *output[Out]; nil for a sink
	open() error
	finish() error // the input has ended: the function's last words
	close() error
	snapshotter() (stream.Snapshotter, bool) // the function, if it wants to be asked
	notify(checkpoint int64) error           // a checkpoint is complete
}

// head is the first operator of a task: it takes the packets.
type head interface {
	operator
	// records handles a packet's records.
	records(input int, p stream.Packet) error
	// advance fires the timers of a domain up to a time, a slice at a time; more: call it again.
	advance(d stream.Domain, to stream.Time) (more bool, err error)
	// handling says what is being handled, for a failure's message.
	handling() string
}

// base is what every operator has.
type base struct {
	ctx   *stream.Context
	task  *Task
	sides map[string]any // the side outputs that something reads: *output[T]
}

func (b *base) self() *base { return b }

// advance is that of an operator without timers: it only learns its watermark.
func (b *base) advance(d stream.Domain, to stream.Time) (more bool, err error) {
	if d == stream.EventTime {
		b.ctx.Watermark = to
	}
	return false, nil
}

// asSnapshotter is the function's wish to be asked before a snapshot.
func asSnapshotter(fn any) (stream.Snapshotter, bool) {
	s, ok := fn.(stream.Snapshotter)
	return s, ok
}

// notifyFunction tells a function that wants to know that a checkpoint is complete.
func notifyFunction(fn any, checkpoint int64) error {
	if l, ok := fn.(stream.CompleteListener); ok {
		return l.CheckpointComplete(checkpoint)
	}
	return nil
}

// closeFunction closes a function that wants it.
func closeFunction(fn any) error {
	if c, ok := fn.(stream.Closer); ok {
		return c.Close()
	}
	return nil
}

// finishFunction lets a function say its last words.
func finishFunction[Out any](b *base, fn any, out stream.Collector[Out]) error {
	if f, ok := fn.(stream.Finisher[Out]); ok {
		b.ctx.Time = stream.NoTime
		return b.inCurrent(func() error { return f.Finish(b.ctx, out) })
	}
	return nil
}

// inCurrent runs f with this operator named in any failure.
func (b *base) inCurrent(f func() error) error {
	before := b.task.current
	b.task.current = b
	err := f()
	if err == nil {
		b.task.current = before
	}
	return err
}

// openBackend gives a keyed operator its state and timers, restored if the job is.
func (b *base) openBackend(parts Parts, first, last int, restored []OperatorSnapshot) error {
	c := b.ctx
	backend, err := parts.Backend(Subtask{
		UID: c.UID, Index: c.Subtask, Parallelism: c.Parallelism, First: first, Last: last, Clock: c.Clock,
	})
	if err != nil {
		return fmt.Errorf("the backend of operator %q: %w", c.UID, err)
	}
	c.Backend = backend
	c.FirstGroup, c.LastGroup = first, last
	if parts.Timers != nil {
		if c.EventTimers, err = parts.Timers(c, stream.EventTime); err != nil {
			return fmt.Errorf("the event timers of operator %q: %w", c.UID, err)
		}
		if c.ProcessingTimers, err = parts.Timers(c, stream.ProcessingTime); err != nil {
			return fmt.Errorf("the processing timers of operator %q: %w", c.UID, err)
		}
	}
	if err := restoreKeyed(backend, parts.Groups, first, last, restored); err != nil {
		return err
	}
	if parts.Timers != nil && len(restored) > 0 {
		return errors.Join(c.EventTimers.Recover(), c.ProcessingTimers.Recover())
	}
	return nil
}

// closeBackend gives a keyed operator's state back.
func (b *base) closeBackend() error {
	if b.ctx.Backend == nil {
		return nil
	}
	return b.ctx.Backend.Close()
}
