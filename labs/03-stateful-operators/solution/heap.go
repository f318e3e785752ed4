package operators

import (
	"fmt"

	"gatewaymeter/stream"
)

// heap is a stream.Backend that keeps objects in memory, uncopied (Flink: HashMapStateBackend).
//
// For each key group it has a map from key to drawer; a drawer has a slot for each state that the
// operator declared. SetKey looks the drawer up once, and from then on a state costs an index. A
// drawer that becomes empty is taken out of its map at once and used again for the next new key, and
// so is the memory of a value: in the steady state no access allocates.
//
// Go's maps do not shrink: a backend that once held a million keys keeps the room for them.
type heap struct {
	first  int // the first key group of groups
	groups []map[string]*drawer
	tables []*table // the declared states, by slot
	byName map[string]*table
	parked stream.Parked // restored states that nobody has declared yet

	group int    // the current key's group; noGroup: no key is current
	key   string // the current key
	open  *drawer
	spare []*drawer // emptied drawers
}

const noGroup = -1

// drawer is what one key has, by state; nil is nothing.
type drawer struct {
	slots []any
	used  int // slots that are not nil
}

// NewHeap makes the heap backend of a subtask that owns the key groups first to last, both included.
func NewHeap(first, last int) stream.Backend {
	h := &heap{
		first:  first,
		groups: make([]map[string]*drawer, last-first+1),
		byName: map[string]*table{},
		parked: stream.Parked{},
		group:  noGroup,
	}
	for i := range h.groups {
		h.groups[i] = map[string]*drawer{}
	}
	return h
}

// SetKey makes (group, key) the current key and looks its drawer up: the one map access that a key
// costs, however many states are then read. A key without a drawer gets one when something is put
// into it, not before: reading must leave nothing behind.
//
// A negative group means that no key is current. A group that this subtask does not own is a fault
// of the caller: panic with a StateError.
func (h *heap) SetKey(group int, key string) {
	//lab:begin 3d
	h.group, h.key, h.open = group, key, nil
	if group < 0 {
		return
	}
	h.open = h.keysOf(group)[key]
	//lab:end
}

// keysOf is the map of one group's drawers.
func (h *heap) keysOf(group int) map[string]*drawer {
	if i := group - h.first; i >= 0 && i < len(h.groups) {
		return h.groups[i]
	}
	panic(&stream.StateError{State: "(current key)", Reason: fmt.Sprintf(
		"key %q is in key group %d, and this subtask owns %d to %d: the record went to the wrong subtask, or its key is not a function of the record",
		h.key, group, h.first, h.first+len(h.groups)-1)})
}

// newDrawer is an empty drawer for the current key, in its place in the map.
func (h *heap) newDrawer() *drawer {
	var d *drawer
	if n := len(h.spare); n > 0 {
		d, h.spare = h.spare[n-1], h.spare[:n-1]
	} else {
		d = &drawer{slots: make([]any, len(h.tables))}
	}
	h.keysOf(h.group)[h.key] = d
	return d
}

// discard takes a key's empty drawer out of its map.
func (h *heap) discard(group int, key string, d *drawer) {
	delete(h.keysOf(group), key)
	h.spare = append(h.spare, d)
	if d == h.open {
		h.open = nil
	}
}

// Cell declares a state. See stream.Backend.
func (h *heap) Cell(d stream.Descriptor) (stream.Cell, error) {
	t, known := h.byName[d.Name]
	if known {
		if d.Kind != t.d.Kind || d.Type != t.d.Type {
			return nil, fmt.Errorf("declared as a %v state of %s, but the operator already has a %v state of %s by that name: one name is one state",
				d.Kind, d.Type, t.d.Kind, t.d.Type)
		}
		return t.cell, nil
	}
	if d.TTL != nil {
		return nil, fmt.Errorf("it has a time to live, and this backend knows none: wrap it in NewTTL")
	}
	t = &table{h: h, slot: len(h.tables), d: d}
	if err := t.shape(); err != nil {
		return nil, err
	}
	h.tables = append(h.tables, t)
	h.byName[d.Name] = t
	return t.cell, h.parked.Take(d.Name, t.load)
}

// Entries counts the keys that have something in a state.
func (h *heap) Entries(state string) int {
	if t, ok := h.byName[state]; ok {
		return t.keys
	}
	return h.parked.Keys(state)
}

// Flush has nothing to do: the heap has no other place to write to.
func (h *heap) Flush() error { return nil }

// Close drops everything.
func (h *heap) Close() error {
	h.groups, h.open, h.group = nil, nil, noGroup
	return nil
}
