package engine

import (
	"fmt"
	"time"

	"gatewaymeter/stream"
)

// Unit is one operator of one subtask, outside any job: what package harness drives. It is the same
// operator and the same task as in a job; only the channels are missing.
type Unit struct {
	task *Task
	node *node
}

// UnitConfig says which subtask the operator is, and what it starts from.
type UnitConfig struct {
	Parts       Parts
	UID         string
	Subtask     int
	Parallelism int
	Clock       stream.Clock
	Trace       func(stream.Step)
	SideTap     func(name string, v any, at stream.Time)
	Restore     []OperatorSnapshot
	// Inputs is how many channels the operator's task has. 0: no valve and no aligner stand before the
	// operator, and Watermark speaks for all channels.
	Inputs int
}

// NewSourceUnit makes a source and opens it; see Poll.
func NewSourceUnit[T any](cfg UnitConfig, source stream.Source[T], out func(stream.Record[T])) (*Unit, error) {
	return newUnit(cfg, false, func(b *base) operator { return newSourceOp(b, source) }, out)
}

// NewKeyedUnit makes a keyed operator and opens it. Every record that the function emits goes to out.
func NewKeyedUnit[In, Out any](cfg UnitConfig, keyOf func(In) string, fn stream.KeyedFunction[In, Out], out func(stream.Record[Out])) (*Unit, error) {
	return newUnit(cfg, true, func(b *base) operator { return newKeyedOp(b, keyOf, fn) }, out)
}

// NewFunctionUnit does the same for a function without keys.
func NewFunctionUnit[In, Out any](cfg UnitConfig, fn stream.Function[In, Out], out func(stream.Record[Out])) (*Unit, error) {
	return newUnit(cfg, false, func(b *base) operator { return newFunctionOp(b, fn) }, out)
}

// NewBroadcastUnit does the same for a function beside a broadcast stream: input 0 is the keyed
// stream, input 1 the broadcast one.
func NewBroadcastUnit[In, B, Out any](cfg UnitConfig, keyOf func(In) string, fn stream.BroadcastFunction[In, B, Out], out func(stream.Record[Out])) (*Unit, error) {
	return newUnit(cfg, true, func(b *base) operator { return newBroadcastOp(b, keyOf, fn) }, out)
}

func newUnit[Out any](cfg UnitConfig, keyed bool, make func(b *base) operator, out func(stream.Record[Out])) (*Unit, error) {
	if keyed && (cfg.Parts.Backend == nil || cfg.Parts.Groups == nil) {
		return nil, fmt.Errorf("operator %q is keyed: it needs a backend and key groups in its parts", cfg.UID)
	}
	j := NewJob("harness", cfg.Parts, cfg.Parallelism)
	j.clock, j.trace = cfg.Clock, cfg.Trace
	u := &Unit{
		task: &Task{Name: cfg.UID, Subtask: cfg.Subtask, job: j, batch: j.batch, mark: stream.NoTime, inputs: []int{0, 1}, ended: []bool{false, false}, open: 2},
		node: &node{job: j, uid: cfg.UID, keyed: keyed},
	}
	u.task.connectInputs(cfg.Inputs)
	o := make(u.task.base(u.node, cfg.Parallelism))
	if cfg.SideTap != nil {
		c := o.self().ctx
		c.SideTap = func(name string, v any) { cfg.SideTap(name, v, c.Time) }
	}
	o.mainOutput().(*output[Out]).add(tap[Out](out))
	u.task.head, u.task.chain = o.(head), []operator{o}
	if err := u.task.openOperator(u.node, o, cfg.Restore); err != nil {
		return nil, err
	}
	return u, nil
}

// connectInputs gives a unit's task channels of its own, with what stands before them in a job.
func (t *Task) connectInputs(inputs int) {
	if inputs == 0 {
		return
	}
	t.inputs, t.ended, t.open = make([]int, inputs), make([]bool, inputs), inputs
	if t.job.Parts.Valve != nil {
		t.valve = t.job.Parts.Valve(inputs)
	}
	if t.job.Parts.Aligner != nil {
		t.aligner = t.job.Parts.Aligner(inputs)
	}
}

// tap is a function as a receiver.
type tap[T any] func(stream.Record[T])

func (f tap[T]) receive(v T, at stream.Time) { f(stream.Record[T]{Value: v, Time: at}) }

// Element hands in one record on input 0; its key group is computed here.
func Element[In any](u *Unit, v In, at stream.Time, keyOf func(In) string) error {
	return ElementOn(u, 0, v, at, keyOf)
}

// ElementOn is Element on one of several inputs.
func ElementOn[In any](u *Unit, input int, v In, at stream.Time, keyOf func(In) string) error {
	r := stream.Record[In]{Value: v, Time: at}
	if parts := u.task.job.Parts; keyOf != nil && parts.Groups != nil && parts.Hash != nil {
		r.Group = uint16(parts.Groups.Of(parts.Hash(keyOf(v))))
	}
	return u.task.Handle(input, &stream.Batch[In]{Records: []stream.Record[In]{r}})
}

// BroadcastElement hands in one record on input 1.
func BroadcastElement[B any](u *Unit, v B, at stream.Time) error {
	return u.task.Handle(1, &stream.Batch[B]{Records: []stream.Record[B]{{Value: v, Time: at}}})
}

// Watermark advances event time; every due timer fires.
func (u *Unit) Watermark(t stream.Time) (err error) {
	if err := u.signal(t); err != nil {
		return err
	}
	return u.finishSlices()
}

// WatermarkSlice does one slice of the same; more: call Slice.
func (u *Unit) WatermarkSlice(t stream.Time) (more bool, err error) {
	err = u.signal(t)
	return u.task.More(), err
}

// Slice goes on with what WatermarkSlice left; where it left nothing, nothing happens.
func (u *Unit) Slice() (more bool, err error) {
	if !u.task.More() {
		return false, nil
	}
	err = u.task.Continue()
	return u.task.More(), err
}

func (u *Unit) signal(t stream.Time) (err error) {
	defer u.task.guard(&err)
	u.task.current = u.task.head.self()
	u.task.current.ctx.Note(stream.ControlStep(stream.ControlIn, 0, stream.Control{Kind: stream.Watermark, Time: t}))
	return u.task.signal(stream.Signal{Watermark: t})
}

// Control hands in a control element on one input, through the valve or the aligner. It needs
// UnitConfig.Inputs.
func (u *Unit) Control(input int, c stream.Control) error {
	if err := u.task.Handle(input, &stream.Batch[struct{}]{Control: c}); err != nil {
		return err
	}
	return u.finishSlices()
}

// Blocked says which inputs must not be read now, because they wait for the barriers of others; nil
// if none.
func (u *Unit) Blocked() []bool { return u.task.Blocked() }

// Acks takes the acknowledgements of the checkpoints that the operator has taken part in.
func (u *Unit) Acks() []Ack { return u.task.TakeAcks() }

// Poll lets a source emit up to max elements, and whatever its watermarks say.
func (u *Unit) Poll(max int) (stream.Progress, error) { return u.task.Poll(max) }

// ProcessingTime tells the operator the time; every due processing timer fires.
func (u *Unit) ProcessingTime(t stream.Time) error {
	if err := u.task.ProcessingTime(t); err != nil {
		return err
	}
	return u.finishSlices()
}

func (u *Unit) finishSlices() error {
	for u.task.More() {
		if err := u.task.Continue(); err != nil {
			return err
		}
	}
	return nil
}

// Snapshot copies the operator's state out.
func (u *Unit) Snapshot() (s OperatorSnapshot, err error) {
	defer u.task.guard(&err)
	u.task.current = u.task.head.self()
	first, last, max := u.task.groups(u.task.head)
	return snapshotOperator(u.task.head, first, last, max)
}

// Checkpoint takes a checkpoint of the operator alone, as a job does: its part, then the manifest. On a
// backend whose snapshots are files, only those are written that the checkpoint before did not have.
func (u *Unit) Checkpoint(store stream.CheckpointStore, id int64) (r CheckpointReport, err error) {
	defer u.task.guard(&err)
	clock := u.task.job.clock
	start := clock.Now()
	if r.Stopped, err = u.Part(store, id); err != nil {
		return r, err
	}
	err = store.Complete(stream.Checkpoint{ID: id, Job: u.task.job.Name, Created: clock.Now()})
	r.ID, r.Duration, r.CheckpointSize = id, duration(clock.Now()-start), store.Size(id)
	return r, err
}

// Part stores the operator's part of a checkpoint, and says how long copying it took. The manifest is the
// caller's.
func (u *Unit) Part(store stream.CheckpointStore, checkpoint int64) (stopped time.Duration, err error) {
	defer u.task.guard(&err)
	start := u.task.job.clock.Now()
	parts, err := u.task.copyState(false)
	if err != nil {
		return 0, err
	}
	stopped = duration(u.task.job.clock.Now() - start)
	c := coordination{store: store}
	return stopped, c.part(checkpoint, parts)
}

// Context is the operator's context.
func (u *Unit) Context() *stream.Context { return u.task.head.self().ctx }

// Close closes the operator.
func (u *Unit) Close() error { return u.task.Close() }
