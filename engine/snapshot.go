package engine

import (
	"fmt"

	"gatewaymeter/stream"
)

// OperatorSnapshot is the state of one operator in one subtask.
type OperatorSnapshot = stream.OperatorSnapshot

// GroupSnapshot is one key group's keyed state and timers.
type GroupSnapshot = stream.GroupSnapshot

// snapshotOperator copies an operator's state out.
func snapshotOperator(o operator, first, last, maxGroups int) (OperatorSnapshot, error) {
	b := o.self()
	c := b.ctx
	s := OperatorSnapshot{UID: c.UID, Subtask: c.Subtask, Parallelism: c.Parallelism, States: c.Infos}
	if fn, ok := o.snapshotter(); ok {
		if err := b.inCurrent(func() error { return fn.Snapshot(c) }); err != nil {
			return s, fmt.Errorf("the snapshot function of operator %q: %w", c.UID, err)
		}
	}
	if c.Operator != nil {
		lists, err := c.Operator.Snapshot()
		if err != nil {
			return s, fmt.Errorf("the operator state of %q: %w", c.UID, err)
		}
		s.Lists = lists
	}
	if c.Backend == nil {
		return s, nil
	}
	s.MaxGroups = maxGroups
	for group := first; group <= last; group++ {
		bytes, err := c.Backend.Snapshot(group, nil)
		if err != nil {
			return s, fmt.Errorf("key group %d of operator %q: %w", group, c.UID, err)
		}
		if len(bytes) > 0 {
			s.Groups = append(s.Groups, GroupSnapshot{Group: group, Bytes: bytes})
		}
	}
	return s, nil
}

// restoreKeyed reads the groups that a subtask owns out of all old subtasks' snapshots.
func restoreKeyed(backend stream.Backend, first, last int, from []OperatorSnapshot) error {
	for _, s := range from {
		for _, g := range s.Groups {
			if g.Group < first || g.Group > last {
				continue
			}
			if err := backend.Restore(g.Group, g.Bytes); err != nil {
				return fmt.Errorf("restoring key group %d of operator %q: %w", g.Group, s.UID, err)
			}
		}
	}
	return nil
}

// restoreOperator deals an operator's lists out again and gives this subtask its share.
func restoreOperator(store stream.OperatorStore, parts Parts, subtask, parallelism int, from []OperatorSnapshot) error {
	if store == nil || len(from) == 0 {
		return nil
	}
	if parts.Redistribute == nil {
		return fmt.Errorf("operator %q has operator state in the snapshot, but the engine cannot redistribute it (lab 03)", from[0].UID)
	}
	var names []string
	modes := map[string]stream.Redistribution{}
	old := map[string][][][]byte{}
	for i, s := range from {
		for _, list := range s.Lists {
			if old[list.Name] == nil {
				names = append(names, list.Name)
				old[list.Name] = make([][][]byte, len(from))
				modes[list.Name] = list.Mode
			}
			elements := list.Elements
			if elements == nil {
				elements = [][]byte{} // reported, and empty
			}
			old[list.Name][i] = elements
		}
	}
	var share []stream.OperatorList
	for _, name := range names {
		dealt := parts.Redistribute(modes[name], old[name], parallelism)
		share = append(share, stream.OperatorList{Name: name, Mode: modes[name], Elements: dealt[subtask]})
	}
	return store.Restore(share)
}
