package anatomy

import (
	"fmt"

	"gatewaymeter/engine"
	keying "gatewaymeter/labs/02-keying/solution"
	checkpoints "gatewaymeter/labs/07-checkpoints/solution"
	"gatewaymeter/stream"
)

// operators describes the operators of a checkpoint, by uid. What cannot be read is added to its problems.
func (l *look) operators(c *Checkpoint, i checkpoints.Inspection) (operators []Operator) {
	for from := 0; from < len(i.Parts); {
		to := from
		for to < len(i.Parts) && i.Parts[to].UID == i.Parts[from].UID {
			to++
		}
		o, err := l.operator(i.Parts[from:to])
		if err != nil {
			c.Problems = append(c.Problems, fmt.Sprintf("operator %q: %v", o.UID, err))
		}
		offsets, err := offsetsOf(i.Parts[from:to])
		if err != nil {
			c.Problems = append(c.Problems, err.Error())
		}
		c.Offsets = append(c.Offsets, offsets...)
		operators = append(operators, o)
		from = to
	}
	return operators
}

// operator describes one, out of its subtasks' parts.
func (l *look) operator(parts []checkpoints.InspectedPart) (Operator, error) {
	o := Operator{UID: parts[0].UID, Parallelism: parts[0].Parallelism, MaxGroups: parts[0].MaxGroups}
	if o.MaxGroups > 0 {
		for subtask := range o.Parallelism {
			first, last := keying.Range(subtask, o.Parallelism, o.MaxGroups)
			o.Ranges = append(o.Ranges, [2]int{first, last})
		}
	}
	keyed := newTally(o.MaxGroups)
	lists := newLists()
	o.Unread = o.Parallelism - len(parts)
	for _, p := range parts {
		keyed.declare(p.States)
		if p.Snapshot == nil {
			o.Unread++
			continue
		}
		lists.add(p.Snapshot.Lists)
		groups, err := l.groups(*p.Snapshot)
		if err != nil {
			return o, fmt.Errorf("subtask %d: %w", p.Subtask, err)
		}
		if err := keyed.add(groups); err != nil {
			return o, fmt.Errorf("subtask %d: %w", p.Subtask, err)
		}
	}
	o.States, o.Timers, o.Lists = keyed.states(l.Groups), keyed.timers(), lists.all()
	return o, nil
}

// groups are the key groups of a part: as they stand in it, or out of an incremental backend's files.
func (l *look) groups(s stream.OperatorSnapshot) ([]stream.GroupSnapshot, error) {
	if len(s.Files) == 0 {
		return s.Groups, nil
	}
	if l.Open == nil {
		return nil, fmt.Errorf("its state is in files of an incremental backend, and there is none to read them")
	}
	backend, closeBackend, err := l.Open(s.MaxGroups)
	if err != nil {
		return nil, err
	}
	defer closeBackend()
	if err := backend.RestoreFiles(s.Files); err != nil {
		return nil, err
	}
	groups := s.Groups
	for g := range s.MaxGroups {
		content, err := backend.Snapshot(g, nil)
		if err != nil {
			return nil, err
		}
		if len(content) > 0 {
			groups = append(groups, stream.GroupSnapshot{Group: g, Bytes: content})
		}
	}
	return groups, nil
}

// offsetsOf reads where an operator, if it is a source, goes on reading.
func offsetsOf(parts []checkpoints.InspectedPart) (offsets []Offset, err error) {
	var snapshots []stream.OperatorSnapshot
	for _, p := range parts {
		if p.Snapshot != nil {
			snapshots = append(snapshots, *p.Snapshot)
		}
	}
	splits, err := engine.Offsets(snapshots)
	for _, s := range splits {
		offsets = append(offsets, Offset{UID: parts[0].UID, Topic: s.Topic, Partition: s.Partition, Next: s.Next, Stop: s.Stop})
	}
	return offsets, err
}

// lists adds up operator state, in the order in which it comes: by name.
type lists struct {
	order []string
	of    map[string]*List
}

func newLists() *lists { return &lists{of: map[string]*List{}} }

func (l *lists) add(some []stream.OperatorList) {
	for _, s := range some {
		list := l.of[s.Name]
		if list == nil {
			list = &List{Name: s.Name, Mode: s.Mode.String()}
			l.of[s.Name] = list
			l.order = append(l.order, s.Name)
		}
		list.Elements += len(s.Elements)
		for _, e := range s.Elements {
			list.Bytes += int64(len(e))
		}
	}
}

func (l *lists) all() (all []List) {
	for _, name := range l.order {
		all = append(all, *l.of[name])
	}
	return all
}
