package engine

import (
	"errors"
	"fmt"

	"gatewaymeter/stream"
)

// OperatorSnapshot is the state of one operator in one subtask.
type OperatorSnapshot = stream.OperatorSnapshot

// GroupSnapshot is one key group's keyed state and timers.
type GroupSnapshot = stream.GroupSnapshot

// snapshotOperator copies an operator's state out, keyed state by key group: the form that every backend
// restores.
func snapshotOperator(o operator, first, last, maxGroups int) (OperatorSnapshot, error) {
	s, err := snapshotLists(o)
	c := o.self().ctx
	if err != nil || c.Backend == nil {
		return s, err
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

// checkpointOperator is snapshotOperator in the form that costs least: from a backend whose snapshots are
// files, those. A savepoint is not for this backend alone, and has the other form (Flink: canonical).
func checkpointOperator(o operator, first, last, maxGroups int, savepoint bool) (OperatorSnapshot, error) {
	backend, ok := o.self().ctx.Backend.(stream.FileBackend)
	if !ok || savepoint {
		return snapshotOperator(o, first, last, maxGroups)
	}
	s, err := snapshotLists(o)
	if err != nil {
		return s, err
	}
	s.MaxGroups = maxGroups
	if s.Files, s.Release, err = backend.SnapshotFiles(); err != nil {
		return s, fmt.Errorf("the state files of operator %q: %w", s.UID, err)
	}
	return s, nil
}

// snapshotLists asks the function, and copies what is not keyed.
func snapshotLists(o operator) (OperatorSnapshot, error) {
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
	return s, nil
}

// ErrOtherBackend is in the failure of a job that is restored on a backend which cannot read the snapshot.
var ErrOtherBackend = errors.New("the state is of another backend, which this one cannot read")

// restoreKeyed reads the groups that a subtask owns out of all old subtasks' snapshots.
func restoreKeyed(backend stream.Backend, groups stream.Groups, first, last int, from []OperatorSnapshot) error {
	for _, s := range from {
		for _, g := range s.Groups {
			if g.Group < first || g.Group > last {
				continue
			}
			if err := backend.Restore(g.Group, g.Bytes); err != nil {
				return fmt.Errorf("restoring key group %d of operator %q: %w", g.Group, s.UID, err)
			}
		}
		if oldFirst, oldLast := groups.Range(s.Subtask, s.Parallelism); len(s.Files) == 0 || oldLast < first || oldFirst > last {
			continue
		}
		files, ok := backend.(stream.FileBackend)
		if !ok {
			return fmt.Errorf("%w: subtask %d left files: restore with the backend that took the checkpoint (--backend pebble)", ErrOtherBackend, s.Subtask)
		}
		if err := files.RestoreFiles(s.Files); err != nil {
			return fmt.Errorf("restoring operator %q from the files of subtask %d: %w", s.UID, s.Subtask, err)
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
