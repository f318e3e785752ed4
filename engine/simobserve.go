package engine

import (
	"slices"

	"gatewaymeter/stream"
)

// What a test can see of a simulation between two steps.

// Entries counts the keys in a state of an operator, over all subtasks.
func (s *Simulation) Entries(uid, state string) (n int) {
	s.each(uid, func(c *stream.Context) {
		if c.Backend != nil {
			n += c.Backend.Entries(state)
		}
	})
	return n
}

// Each walks a state of an operator, over all subtasks, as stream.Backend's Each does. The values are the
// state's own: look, do not touch.
func (s *Simulation) Each(uid, state string, f func(key string, v any) error) (err error) {
	s.each(uid, func(c *stream.Context) {
		if c.Backend == nil {
			return
		}
		for group := c.FirstGroup; group <= c.LastGroup && err == nil; group++ {
			err = c.Backend.Each(state, group, f)
		}
	})
	return err
}

// EventTimers counts the event timers of an operator, over all subtasks.
func (s *Simulation) EventTimers(uid string) (n int) {
	s.each(uid, func(c *stream.Context) {
		if c.EventTimers != nil {
			n += c.EventTimers.Len()
		}
	})
	return n
}

// BarriersInFlight reports whether some task waits for a barrier, or a checkpoint's letters are under
// way.
func (s *Simulation) BarriersInFlight() bool {
	for _, t := range s.tasks {
		if slices.Contains(t.Blocked(), true) {
			return true
		}
	}
	for _, b := range s.inboxes {
		if b.holdsBarrier() {
			return true
		}
	}
	return false
}

func (s *Simulation) each(uid string, f func(c *stream.Context)) {
	for _, t := range s.tasks {
		for _, o := range t.chain {
			if c := o.self().ctx; c.UID == uid {
				f(c)
			}
		}
	}
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
	return closeAll(s.tasks)
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
