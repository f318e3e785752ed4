package engine

import (
	"slices"

	"gatewaymeter/stream"
)

// Completed is how many checkpoints have been completed.
func (s *Simulation) Completed() int { return s.completed }

// letter is a message between the coordinator and a task, on its way: any number of steps may happen
// before it arrives.
type letter struct {
	kind       letterKind
	task       int // the sender of an ack, the receiver of the others
	checkpoint int64
	parts      []OperatorSnapshot
}

type letterKind uint8

const (
	ackLetter letterKind = iota
	endedLetter
	triggerLetter
	cancelLetter
	notifyLetter
	manifestLetter // to the store
)

// deliverable reports whether the i-th letter can arrive now. A task that is in the middle of
// something, or whose outbox is full, is not spoken to. What a task says arrives in the order in which
// it was said: its end must not overtake its part of a checkpoint.
func (s *Simulation) deliverable(i int) bool {
	l := s.mail[i]
	switch l.kind {
	case manifestLetter:
		return true
	case ackLetter, endedLetter:
		return !slices.ContainsFunc(s.mail[:i], func(before letter) bool { return before.task == l.task && before.kind <= endedLetter })
	}
	t := s.tasks[l.task]
	return len(t.Outbox) == 0 && !t.More()
}

// post puts a task's acknowledgements, and the news of its end, into the mail.
func (s *Simulation) post(t *Task) error {
	acks := t.TakeAcks()
	if s.co == nil {
		return nil
	}
	for _, a := range acks {
		s.mail = append(s.mail, letter{kind: ackLetter, task: t.ID, checkpoint: a.Checkpoint, parts: a.Operators})
	}
	if t.Done() && !t.reported {
		t.reported = true
		parts, err := t.FinalState()
		if err != nil {
			return err
		}
		s.mail = append(s.mail, letter{kind: endedLetter, task: t.ID, checkpoint: stream.FinalPart, parts: parts})
	}
	return nil
}

// open lets a letter arrive.
func (s *Simulation) open(l letter) error {
	t, now := s.tasks[l.task], s.Clock.Now()
	switch l.kind {
	case ackLetter, endedLetter:
		return t.step(PointAck, func() error { return s.acknowledged(l, now) })
	case manifestLetter:
		s.crash.probe(PointComplete, "", false)
		err := s.co.complete(l.checkpoint, now)
		if err == nil {
			s.completed++
		}
		s.crash.probe(PointComplete, "", true)
		return s.decide(s.co.coordinator.Stored(l.checkpoint, err, now))
	case triggerLetter:
		if err := t.Trigger(stream.Control{Kind: stream.Barrier, Checkpoint: l.checkpoint}); err != nil {
			return err
		}
	case cancelLetter:
		if err := t.Cancel(l.checkpoint); err != nil {
			return err
		}
	case notifyLetter:
		if err := t.Notify(l.checkpoint); err != nil {
			return err
		}
	}
	return s.settle(l.task)
}

// acknowledged stores a subtask's part, and tells the coordinator.
func (s *Simulation) acknowledged(l letter, now stream.Time) error {
	err := s.co.part(l.checkpoint, l.parts)
	switch {
	case err != nil:
		return s.decide(s.co.coordinator.Decline(l.checkpoint, l.task, err, now))
	case l.kind == endedLetter:
		return s.decide(s.co.coordinator.Ended(l.task, now))
	case s.loses():
		return nil
	}
	return s.decide(s.co.coordinator.Ack(l.checkpoint, l.task, now))
}

// tick tells the coordinator the time.
func (s *Simulation) tick() error {
	if s.co == nil {
		return nil
	}
	return s.decide(s.co.coordinator.Tick(s.Clock.Now()))
}

// decide sends out what the coordinator has decided.
func (s *Simulation) decide(d stream.Decision) error {
	if d.Fail != nil {
		return d.Fail
	}
	if d.Abort != 0 {
		s.toAll(cancelLetter, d.Abort, func(*Task) bool { return true })
		if err := s.co.store.Discard(d.Abort); err != nil {
			return err
		}
	}
	if d.Notify != 0 {
		s.toAll(notifyLetter, d.Notify, func(*Task) bool { return true })
	}
	if d.Complete != 0 {
		s.mail = append(s.mail, letter{kind: manifestLetter, checkpoint: d.Complete})
	}
	if d.Trigger != 0 {
		s.toAll(triggerLetter, d.Trigger, (*Task).IsSource)
	}
	return nil
}

func (s *Simulation) toAll(kind letterKind, checkpoint int64, who func(*Task) bool) {
	for id, t := range s.tasks {
		if !t.Done() && who(t) {
			s.mail = append(s.mail, letter{kind: kind, task: id, checkpoint: checkpoint})
		}
	}
}
