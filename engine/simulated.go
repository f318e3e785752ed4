package engine

import (
	"errors"
	"fmt"
	"math/rand/v2"

	"gatewaymeter/stream"
)

// Simulation runs a job in one goroutine. A seeded scheduler chooses what happens next: which task
// takes a packet from which of its inputs, which source is polled and how large its batch is, when
// work completes, when the clock moves on. The same job, seed and input give the same run, step by
// step. It is not safe for concurrent use.
type Simulation struct {
	Clock *ManualClock // virtual processing time

	rng      *rand.Rand
	tasks    []*Task
	inboxes  []*inbox
	works    []scheduledWork
	waiting  map[int]bool // sources that had nothing at their last poll
	steps    int
	choices  []choice // reused
	observer func(step int, what string)

	crash    *CrashPoint
	fired    bool
	happened map[CrashPoint]int
}

// scheduledWork is work that some task waits for.
type scheduledWork struct {
	task int
	work Running
}

// choice is something that could happen next.
type choice struct {
	kind  choiceKind
	task  int
	input int
}

type choiceKind uint8

const (
	packetArrives choiceKind = iota
	sourcePolled
	workEnds
	clockMoves
)

func (c choice) String() string {
	name := [...]string{"packet", "poll", "work", "clock"}[c.kind]
	return fmt.Sprintf("%s task=%d input=%d", name, c.task, c.input)
}

// simulatedCapacity is small, so that senders often have to wait.
const simulatedCapacity = 3

// NewSimulation makes the tasks of a job and a scheduler for them. The job's own clock is replaced.
// The caller must call Close.
func NewSimulation(j *Job, seed uint64, restore map[string][]OperatorSnapshot) (*Simulation, error) {
	s := &Simulation{Clock: new(ManualClock), rng: rand.New(rand.NewPCG(seed, 0x9E3779B97F4A7C15)), waiting: map[int]bool{}, happened: map[CrashPoint]int{}}
	copied := *j
	copied.clock = s.Clock
	tasks, err := copied.instantiate(restore)
	if err != nil {
		return nil, err
	}
	s.tasks = tasks
	for _, t := range tasks {
		s.inboxes = append(s.inboxes, newInbox(len(t.inputs), simulatedCapacity))
	}
	return s, nil
}

// Observe has every scheduling decision told to f: the same seed must give the same sequence.
func (s *Simulation) Observe(f func(step int, what string)) { s.observer = f }

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
	before, after := s.count(c)
	if before {
		return false, ErrCrashed
	}
	if err := s.do(c); err != nil {
		return false, err
	}
	if after {
		return false, ErrCrashed
	}
	return true, nil
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
	idle := true
	for id, t := range s.tasks {
		if t.Done() || len(t.Outbox) > 0 || t.More() {
			continue
		}
		if t.IsSource() {
			if !t.ending && !s.waiting[id] {
				s.choices = append(s.choices, choice{kind: sourcePolled, task: id})
				idle = false
			}
			continue
		}
		blocked := t.Blocked()
		for input := range t.inputs {
			if s.inboxes[id].rings[input].count > 0 && (blocked == nil || !blocked[input]) {
				s.choices = append(s.choices, choice{kind: packetArrives, task: id, input: input})
				idle = false
			}
		}
	}
	for i := range s.works {
		s.choices = append(s.choices, choice{kind: workEnds, task: i})
		idle = false
	}
	// The clock moves now and then, and whenever only it can bring anything about.
	if idle || s.rng.IntN(8) == 0 {
		s.choices = append(s.choices, choice{kind: clockMoves})
	}
}

// do carries a choice out, and delivers what it caused.
func (s *Simulation) do(c choice) error {
	switch c.kind {
	case sourcePolled:
		t := s.tasks[c.task]
		t.batch = s.batchSize()
		progress, err := t.Poll(t.batch)
		if err != nil {
			return err
		}
		s.waiting[c.task] = progress == stream.Waiting
		return s.settle(c.task)
	case packetArrives:
		t := s.tasks[c.task]
		t.batch = s.batchSize()
		if err := t.Handle(c.input, s.inboxes[c.task].pop(c.input)); err != nil {
			return err
		}
		return s.settle(c.task)
	case workEnds:
		w := s.works[c.task]
		s.works = append(s.works[:c.task], s.works[c.task+1:]...)
		if err := s.tasks[w.task].Completed(w.work, w.work.Do()); err != nil {
			return err
		}
		return s.settle(w.task)
	}
	return s.moveClock()
}

// batchSize is 1 in a third of the cases, since that shows most faults of order.
func (s *Simulation) batchSize() int {
	if s.rng.IntN(3) == 0 {
		return 1
	}
	return 1 + s.rng.IntN(64)
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
	return s.deliverAll()
}

// settle moves what the last call sent as far as there is room, and goes on with what was sliced or
// held up. Everything that a task has gathered is flushed now and then: when is the seed's choice.
func (s *Simulation) settle(id int) error {
	t := s.tasks[id]
	for _, w := range t.TakeWork() {
		s.works = append(s.works, scheduledWork{id, w})
	}
	if !t.More() && !t.Done() && s.rng.IntN(2) == 0 {
		t.Flush()
	}
	return s.deliverAll()
}

// deliverAll moves outboxes into inboxes until nothing moves any more.
func (s *Simulation) deliverAll() error {
	for moved := true; moved; {
		moved = false
		for id, t := range s.tasks {
			n := 0
			for n < len(t.Outbox) && !s.inboxes[t.Outbox[n].To].full(t.Outbox[n].Input) {
				sent := t.Outbox[n]
				s.inboxes[sent.To].push(sent.Input, sent.Packet)
				n++
			}
			t.Outbox = append(t.Outbox[:0], t.Outbox[n:]...)
			moved = moved || n > 0
			if len(t.Outbox) == 0 && t.More() {
				if err := t.Continue(); err != nil {
					return err
				}
				for _, w := range t.TakeWork() {
					s.works = append(s.works, scheduledWork{id, w})
				}
				moved = true
			}
		}
	}
	return nil
}

// Result is what the job has come to so far.
func (s *Simulation) Result() *Result {
	for _, t := range s.tasks {
		t.publishNow()
	}
	return newResult(s.tasks)
}

// Close closes every operator.
func (s *Simulation) Close() error {
	var err error
	for _, t := range s.tasks {
		err = errors.Join(err, t.Close())
	}
	return err
}

// Snapshot copies the state of every operator out, by uid: for a simulation that has ended, or that
// stands still between two steps and whose channels are empty.
func (s *Simulation) Snapshot() (map[string][]OperatorSnapshot, error) {
	all := map[string][]OperatorSnapshot{}
	for _, t := range s.tasks {
		for _, o := range t.chain {
			first, last, max := t.groups(o)
			snapshot, err := snapshotOperator(o, first, last, max)
			if err != nil {
				return nil, err
			}
			all[snapshot.UID] = append(all[snapshot.UID], snapshot)
		}
	}
	return all, nil
}
