package engine

import (
	"fmt"

	"gatewaymeter/stream"
)

// Ack says that a subtask has taken its part of a checkpoint, and that its sinks' writes before the
// barrier are safe outside.
type Ack struct {
	Checkpoint int64
	Task       int
	Alignment  stream.Time // ms between the first barrier and the last
	Stopped    stream.Time // ms that the task stood still to copy its state
	Operators  []OperatorSnapshot
}

// pendingSnapshot waits for the flushes of a checkpoint.
type pendingSnapshot struct {
	ack     Ack
	waiting int
}

// Trigger starts a checkpoint at a source: its barrier goes out, then its state is copied.
func (t *Task) Trigger(c stream.Control) (err error) {
	defer t.guard(&err)
	t.current = t.head.self()
	if t.ending {
		return nil // its final state is part of the checkpoint already
	}
	return t.step(PointSnapshot, func() error { return t.snapshot(c) })
}

// barrier handles a barrier on one input.
func (t *Task) barrier(input int, c stream.Control) error {
	if t.aligner == nil {
		return fmt.Errorf("a checkpoint barrier arrived, but the engine has no aligner (lab 07)")
	}
	if c.Checkpoint > t.aligning.Checkpoint {
		t.aligning, t.alignedFrom = c, t.job.clock.Now()
	}
	return t.step(PointBarrier, func() error { return t.aligned(t.aligner.Barrier(input, c.Checkpoint)) })
}

func (t *Task) aligned(a stream.Alignment) error {
	if a.Complete == 0 {
		return nil
	}
	return t.step(PointAlign, func() error {
		return t.step(PointSnapshot, func() error {
			return t.snapshot(stream.Control{Kind: stream.Barrier, Checkpoint: a.Complete, Savepoint: t.aligning.Savepoint})
		})
	})
}

// Cancel gives a checkpoint up: inputs that wait for its barriers flow on.
func (t *Task) Cancel(checkpoint int64) (err error) {
	defer t.guard(&err)
	if t.aligner == nil || t.open == 0 {
		return nil
	}
	t.current = t.head.self()
	return t.aligned(t.aligner.Cancel(checkpoint))
}

// Notify tells the functions that a checkpoint is complete.
func (t *Task) Notify(checkpoint int64) (err error) {
	defer t.guard(&err)
	return t.step(PointNotify, func() error {
		for _, o := range t.chain {
			t.current = o.self()
			t.current.ctx.Note(stream.Step{Kind: stream.Committed, Value: checkpoint})
			if err := o.notify(checkpoint); err != nil {
				return err
			}
		}
		return nil
	})
}

// FinalState is the state of a task that is done, for the checkpoints to come, savepoints included.
func (t *Task) FinalState() (parts []OperatorSnapshot, err error) {
	defer t.guard(&err)
	return t.copyState(true)
}

// copyState copies the state of every operator of the chain.
func (t *Task) copyState(savepoint bool) (parts []OperatorSnapshot, err error) {
	for _, o := range t.chain {
		t.current = o.self()
		first, last, max := t.groups(o)
		s, err := checkpointOperator(o, first, last, max, savepoint)
		if err != nil {
			return nil, err
		}
		parts = append(parts, s)
	}
	return parts, nil
}

// flushSinks asks the driver to run the flush of each sink of the chain; then is called after each.
// It returns how many there are.
func (t *Task) flushSinks(then func() error) (running int) {
	for _, o := range t.chain {
		if f, ok := o.(flushable); ok {
			if work := f.flushWork(); work != nil {
				running++
				t.run(work, then)
			}
		}
	}
	return running
}

// snapshot forwards the barrier, so that those behind can start, and copies the state of every
// operator of the chain. The acknowledgement follows when the sinks have flushed.
func (t *Task) snapshot(c stream.Control) error {
	t.forward(c)
	for _, o := range t.chain {
		o.self().ctx.Note(stream.Step{Kind: stream.Snapshotted, Name: c.Kind.String(), Value: c.Checkpoint})
	}
	p := &pendingSnapshot{ack: Ack{Checkpoint: c.Checkpoint, Task: t.ID}}
	if t.aligning.Checkpoint == c.Checkpoint {
		p.ack.Alignment = t.job.clock.Now() - t.alignedFrom
	}
	before := t.job.clock.Now()
	var err error
	if p.ack.Operators, err = t.copyState(c.Savepoint); err != nil {
		return err
	}
	p.ack.Stopped = t.job.clock.Now() - before
	p.waiting = t.flushSinks(func() error { return t.flushed(p) })
	if p.waiting == 0 {
		t.acks = append(t.acks, p.ack)
	}
	return nil
}

func (t *Task) flushed(p *pendingSnapshot) error {
	p.waiting--
	if p.waiting == 0 {
		t.acks = append(t.acks, p.ack)
	}
	if t.ending {
		return t.endWhenFlushed()
	}
	return nil
}

// TakeAcks gives the driver the acknowledgements for the coordinator.
func (t *Task) TakeAcks() []Ack {
	a := t.acks
	t.acks = nil
	return a
}

// groups are the key groups that an operator of this task owns.
func (t *Task) groups(o operator) (first, last, max int) {
	g := t.job.Parts.Groups
	if o.self().ctx.Backend == nil || g == nil {
		return 0, -1, 0
	}
	first, last = g.Range(t.Subtask, o.self().ctx.Parallelism)
	return first, last, g.Max()
}
