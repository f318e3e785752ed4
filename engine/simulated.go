package engine

import (
	"errors"
	"fmt"
	"math/rand/v2"

	"gatewaymeter/stream"
)

// Simulation runs a job in one goroutine. A seeded scheduler chooses what happens next: which task
// takes a packet from which of its inputs, which source is polled and how large its batch is, when
// work completes, when a checkpoint starts and its acknowledgements arrive, when the clock moves on.
// The same job, seed and input give the same run, step by step. It is not safe for concurrent use.
type Simulation struct {
	Clock *ManualClock // virtual processing time

	rng       *rand.Rand
	tasks     []*Task
	inboxes   []*inbox
	works     []scheduledWork
	waiting   map[int]bool // sources that had nothing at their last poll
	steps     int
	choices   []choice // reused
	observer  func(step int, what string)
	crash     crash
	fault     fault
	co        *coordination // nil without checkpoints
	mail      []letter      // between coordinator and tasks
	completed int
}

// SimOptions are how a simulation is set up. The zero value is a run from nothing, under seed 0,
// without checkpoints and without a crash.
type SimOptions struct {
	Seed        uint64
	Restore     map[string][]OperatorSnapshot
	Crash       *CrashPoint
	Checkpoints *Checkpoints
}

// scheduledWork is work that some task waits for.
type scheduledWork struct {
	task int
	work Running
}

// choice is something that could happen next.
type choice struct {
	kind  choiceKind
	index int // of a task, of work, of a letter
	input int
}

type choiceKind uint8

const (
	packetArrives choiceKind = iota
	sourcePolled
	workEnds
	letterArrives
	clockMoves
)

func (c choice) String() string {
	name := [...]string{"packet", "poll", "work", "letter", "clock"}[c.kind]
	return fmt.Sprintf("%s %d/%d", name, c.index, c.input)
}

// simulatedCapacity is small, so that senders often have to wait.
const simulatedCapacity = 3

// NewSimulation makes the tasks of a job and a scheduler for them. The job's own clock is replaced.
// The caller must call Close, also when the error is ErrCrashed: the crash point was one of the
// restore.
func NewSimulation(j *Job, o SimOptions) (s *Simulation, err error) {
	s = &Simulation{
		Clock:   new(ManualClock),
		rng:     rand.New(rand.NewPCG(o.Seed, 0x9E3779B97F4A7C15)),
		waiting: map[int]bool{},
		crash:   crash{at: o.Crash, happened: map[CrashPoint]int{}},
	}
	copied := *j
	copied.clock, copied.probe = s.Clock, s.crash.probe
	copied.batch = min(copied.batch, largestBatch)
	s.tasks, err = copied.instantiate(o.Restore)
	if err != nil {
		return s, err
	}
	for _, t := range s.tasks {
		s.inboxes = append(s.inboxes, newInbox(len(t.inputs), simulatedCapacity))
	}
	if o.Checkpoints != nil {
		s.co, err = newCoordination(j, o.Checkpoints, len(s.tasks))
	}
	return s, err
}

// Observe has every scheduling decision told to f: the same seed must give the same sequence.
func (s *Simulation) Observe(f func(step int, what string)) { s.observer = f }

// CrashAt has the worker die at a point.
func (s *Simulation) CrashAt(p CrashPoint) { s.crash.at = &p }

// CrashWhen has the worker die at the first step of a kind, at any operator, from the moment on that
// armed says so. Where tells which point that was.
func (s *Simulation) CrashWhen(what string, after bool, armed func() bool) {
	s.crash.at, s.crash.armed = &CrashPoint{What: what, After: after}, armed
}

// Fired reports whether the crash point was reached, and Where which it was.
func (s *Simulation) Fired() bool       { return s.crash.fired }
func (s *Simulation) Where() CrashPoint { return s.crash.where }

// Run takes steps until the job has ended.
func (s *Simulation) Run() error {
	for {
		more, err := s.Step()
		if err != nil || !more {
			return err
		}
	}
}

// ErrStuck says that nothing can happen any more although the job has not ended.
var ErrStuck = errors.New("the job is stuck: no task can go on, and none waits for data or for the clock")

// Step lets one thing happen. It reports false when the job has ended.
func (s *Simulation) Step() (more bool, err error) {
	defer survive(&err)
	if s.Ended() {
		return false, nil
	}
	s.list()
	if len(s.choices) == 0 {
		return false, ErrStuck
	}
	c := s.choices[s.rng.IntN(len(s.choices))]
	s.steps++
	if s.observer != nil {
		s.observer(s.steps, c.String())
	}
	return true, s.do(c)
}

// Steps is how many steps have been taken.
func (s *Simulation) Steps() int { return s.steps }

// Ended reports whether every task is done.
func (s *Simulation) Ended() bool {
	for _, t := range s.tasks {
		if !t.Done() {
			return false
		}
	}
	return true
}

// list finds everything that could happen now. A task can go on only when its outbox has found room.
func (s *Simulation) list() {
	s.choices = s.choices[:0]
	for id, t := range s.tasks {
		if t.Done() || len(t.Outbox) > 0 || t.More() {
			continue
		}
		if t.IsSource() {
			if !t.ending && !s.waiting[id] && !s.withholds(t) {
				s.choices = append(s.choices, choice{kind: sourcePolled, index: id})
			}
			continue
		}
		blocked := t.Blocked()
		for input := range t.inputs {
			if s.inboxes[id].rings[input].count > 0 && (blocked == nil || !blocked[input]) && !s.withholds(t) {
				s.choices = append(s.choices, choice{kind: packetArrives, index: id, input: input})
			}
		}
	}
	for i := range s.works {
		s.choices = append(s.choices, choice{kind: workEnds, index: i})
	}
	for i := range s.mail {
		if s.deliverable(i) {
			c := choice{kind: letterArrives, index: i}
			s.choices = append(s.choices, c, c, c) // else a checkpoint takes most of a short run
		}
	}
	// The clock moves now and then, and whenever only it can bring anything about.
	if len(s.choices) == 0 || s.rng.IntN(8) == 0 {
		s.choices = append(s.choices, choice{kind: clockMoves})
	}
}

// do carries a choice out, and delivers what it caused.
func (s *Simulation) do(c choice) error {
	switch c.kind {
	case sourcePolled:
		t := s.tasks[c.index]
		t.batch = s.batchSize()
		progress, err := t.Poll(t.batch)
		if err != nil {
			return err
		}
		s.waiting[c.index] = progress == stream.Waiting
		return s.settle(c.index)
	case packetArrives:
		t := s.tasks[c.index]
		t.batch = s.batchSize()
		if err := t.Handle(c.input, s.inboxes[c.index].pop(c.input)); err != nil {
			return err
		}
		return s.settle(c.index)
	case workEnds:
		return s.endWork(c.index)
	case letterArrives:
		l := s.mail[c.index]
		s.mail = append(s.mail[:c.index], s.mail[c.index+1:]...)
		return s.open(l)
	}
	return s.moveClock()
}

// endWork completes work, such as a sink's flush.
func (s *Simulation) endWork(i int) error {
	w := s.works[i]
	s.works = append(s.works[:i], s.works[i+1:]...)
	t := s.tasks[w.task]
	err := t.step(PointFlush, func() error { return t.Completed(w.work, w.work.Do()) })
	if err != nil {
		return err
	}
	return s.settle(w.task)
}

// largestBatch is how many records a packet may hold: small, so that a short run has many packets.
const largestBatch = 64

// batchSize is 1 in a third of the cases, since that shows most faults of order.
func (s *Simulation) batchSize() int {
	if s.rng.IntN(3) == 0 {
		return 1
	}
	return 1 + s.rng.IntN(largestBatch)
}

// moveClock lets time pass: to the next processing timer, or a little.
func (s *Simulation) moveClock() error {
	s.Clock.Set(s.Clock.Now() + stream.Time(1+s.rng.IntN(100)))
	clear(s.waiting)
	for id, t := range s.tasks {
		if !t.Done() && !t.More() {
			t.Flush()
		}
		due, ok := t.NextTimer()
		if !ok || due > s.Clock.Now() || t.Done() || t.More() || len(t.Outbox) > 0 {
			continue
		}
		if err := t.ProcessingTime(s.Clock.Now()); err != nil {
			return err
		}
		if err := s.settle(id); err != nil {
			return err
		}
	}
	if err := s.tick(); err != nil {
		return err
	}
	return s.deliverAll()
}

// settle collects what the last call left behind, and moves what it sent as far as there is room.
// What a task has gathered is flushed now and then: when is the seed's choice.
func (s *Simulation) settle(id int) error {
	t := s.tasks[id]
	if !t.More() && !t.Done() && s.rng.IntN(2) == 0 {
		t.Flush()
	}
	if err := s.collect(id); err != nil {
		return err
	}
	return s.deliverAll()
}

// collect takes the work and the acknowledgements that a task has made.
func (s *Simulation) collect(id int) error {
	t := s.tasks[id]
	for _, w := range t.TakeWork() {
		s.works = append(s.works, scheduledWork{id, w})
	}
	return s.post(t)
}

// deliverAll moves outboxes into inboxes, and goes on with what was sliced, until nothing moves any
// more.
func (s *Simulation) deliverAll() error {
	for moved := true; moved; {
		moved = false
		for id, t := range s.tasks {
			for len(t.Outbox) > 0 && !s.inboxes[t.Outbox[0].To].full(t.Outbox[0].Input) {
				s.deliver(t)
				moved = true
			}
			if len(t.Outbox) > 0 || !t.More() {
				continue
			}
			if err := t.Continue(); err != nil {
				return err
			}
			if err := s.collect(id); err != nil {
				return err
			}
			moved = true
		}
	}
	return nil
}

// deliver moves the first packet of an outbox.
func (s *Simulation) deliver(t *Task) {
	_ = t.step(PointEmit, func() error {
		sent := t.Outbox[0]
		t.Outbox = append(t.Outbox[:0], t.Outbox[1:]...)
		s.inboxes[sent.To].push(sent.Input, sent.Packet)
		return nil
	})
}
