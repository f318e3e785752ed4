package engine

import (
	"errors"

	"gatewaymeter/stream"
)

// Task is a chain of operators of one subtask, as a state machine. A driver feeds it (Handle, Poll,
// Continue, ...) and after each call delivers what stands in Outbox and runs what TakeWork gives. No
// method blocks; the driver calls them from one goroutine at a time.
type Task struct {
	ID      int
	Name    string // the uids of its chain, joined by " -> "
	Subtask int
	Outbox  []Sent // what the last call sent; the driver takes it and empties it

	job     *Job
	head    head
	chain   []operator  // head included
	outputs []gathering // what must be dealt to the edges before they let go
	edges   []edge
	inputs  []int // for each input: which connection of the head it belongs to
	valve   stream.Valve
	aligner stream.Aligner
	batch   int // records a packet

	current *base // the operator whose code runs, for failures
	in, out int64 // records
	mark    stream.Time

	ended       []bool                        // inputs whose end has been handled
	open        int                           // inputs that have not ended
	paused      func() (more bool, err error) // the rest of something sliced; nil if nothing is
	ending      bool
	done        bool
	work        []Running
	awaiting    int // work that has not been completed
	acks        []Ack
	reported    bool           // its end is known to the coordinator
	aligning    stream.Control // the barrier that arrived first of the latest checkpoint
	alignedFrom stream.Time    // and when

	probe   probe // nil in the live driver
	metrics metrics
}

// Running is work that the driver must run, and then hand to Completed.
type Running struct {
	Do   stream.Work
	then func() error // what the task does when it has succeeded
}

// Handle takes one packet from one input: its records, then its control element.
func (t *Task) Handle(input int, p stream.Packet) (err error) {
	defer t.guard(&err)
	t.current = t.head.self()
	if n := p.Len(); n > 0 {
		t.in += int64(n)
		if ctx := t.current.ctx; ctx.Trace != nil {
			ctx.Input = input
		}
		if err := t.step(PointProcess, func() error { return t.head.records(input, p) }); err != nil {
			return err
		}
		if err := t.flushState(); err != nil {
			return err
		}
	}
	c := p.End()
	p.Release()
	if c.Kind != stream.NoControl {
		err = t.control(input, c)
	}
	t.publish()
	return err
}

// IsSource reports whether the task is polled instead of fed.
func (t *Task) IsSource() bool { return len(t.inputs) == 0 }

// Poll lets a source emit up to max elements.
func (t *Task) Poll(max int) (p stream.Progress, err error) {
	defer t.guard(&err)
	t.current = t.head.self()
	err = t.step(PointRead, func() (err error) {
		p, err = t.head.(pollable).poll(max)
		return err
	})
	if err == nil && p == stream.Ended {
		err = t.end()
	}
	t.publish()
	return p, err
}

// Ready gets a token when a poll that had nothing may have something.
func (t *Task) Ready() <-chan struct{} { return t.head.(pollable).ready() }

// More reports whether the task stopped in the middle of something, such as a storm of timers: the
// driver must deliver the outbox and call Continue before it hands in anything else.
func (t *Task) More() bool { return t.paused != nil }

// Continue does the next slice.
func (t *Task) Continue() (err error) {
	defer t.guard(&err)
	t.current = t.head.self()
	err = t.slice(t.paused)
	t.publish()
	return err
}

// slice runs a sliced piece of work once, and keeps what is left of it.
func (t *Task) slice(f func() (bool, error)) error {
	more, err := f()
	t.paused = nil
	if more {
		t.paused = f
	}
	return err
}

// ProcessingTime tells the task what time it is; due processing timers fire.
func (t *Task) ProcessingTime(now stream.Time) (err error) {
	defer t.guard(&err)
	t.current = t.head.self()
	err = t.slice(func() (bool, error) {
		more, err := t.head.advance(stream.ProcessingTime, now)
		if err != nil || more {
			return more, err
		}
		return false, t.flushState()
	})
	t.publish()
	return err
}

// NextTimer is when the next processing timer is due, and whether there is one.
func (t *Task) NextTimer() (stream.Time, bool) {
	if s := t.head.self().ctx.ProcessingTimers; s != nil {
		return s.Next()
	}
	return stream.NoTime, false
}

// Flush sends the records gathered so far, although the packets are not full: a driver calls it when
// the task has nothing else to do.
func (t *Task) Flush() {
	for _, o := range t.outputs {
		o.deal()
	}
	for _, e := range t.edges {
		e.flush()
	}
}

// Blocked says which inputs must not be read now, because they wait for the barriers of others; nil
// if none.
func (t *Task) Blocked() []bool {
	if t.aligner == nil {
		return nil
	}
	return t.aligner.Blocked()
}

// Done reports whether the task has ended: all input handled, all work done, the end passed on.
func (t *Task) Done() bool { return t.done }

// TakeWork gives the driver the work that the last call asked for.
func (t *Task) TakeWork() []Running {
	w := t.work
	t.work = nil
	return w
}

// Completed tells the task that work has ended, and how.
func (t *Task) Completed(r Running, result error) (err error) {
	defer t.guard(&err)
	t.awaiting--
	t.current = t.head.self()
	if result == nil {
		result = r.then()
	}
	t.publish()
	return result
}

// run asks the driver to run work.
func (t *Task) run(do stream.Work, then func() error) {
	t.awaiting++
	t.work = append(t.work, Running{Do: do, then: then})
}

// Close closes the operators, last first. It must be called once, whatever happened before.
func (t *Task) Close() (err error) {
	for i := len(t.chain) - 1; i >= 0; i-- {
		if e := t.closeOperator(t.chain[i]); err == nil {
			err = e
		}
	}
	return err
}

// closeAll closes all tasks.
func closeAll(tasks []*Task) (err error) {
	for _, t := range tasks {
		err = errors.Join(err, t.Close())
	}
	return err
}

func (t *Task) closeOperator(o operator) (err error) {
	defer t.guard(&err)
	t.current = o.self()
	return o.close()
}

// flushState lets a serialised backend write.
func (t *Task) flushState() error {
	if b := t.head.self().ctx.Backend; b != nil {
		return b.Flush()
	}
	return nil
}

// connectionOf says to which connection of the head an input belongs.
func (t *Task) connectionOf(input int) int { return t.inputs[input] }
