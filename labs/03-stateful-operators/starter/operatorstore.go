package operators

import (
	"fmt"
	"slices"
	"strings"

	"gatewaymeter/stream"
)

// operatorStore is stream.OperatorStore (Flink: DefaultOperatorStateBackend): one subtask's lists and
// broadcast maps. They belong to no key, and always are on the heap. (Given; what is left to do is how
// lists are dealt out, see Redistribute, and how a function uses them, see NewBuffering.)
type operatorStore struct {
	states   map[string]*operatorState
	restored map[string]stream.OperatorList // not declared yet
}

// operatorState is one of them. Exactly one of list and table is in use, as mode says.
type operatorState struct {
	d     stream.Descriptor
	mode  stream.Redistribution
	list  []any // of *T
	table *entries
}

// NewOperatorStore makes the store of one subtask.
func NewOperatorStore() stream.OperatorStore {
	return &operatorStore{states: map[string]*operatorState{}, restored: map[string]stream.OperatorList{}}
}

// List declares an operator list state.
func (s *operatorStore) List(d stream.Descriptor, mode stream.Redistribution) (stream.ListCell, error) {
	if mode != stream.EvenSplit && mode != stream.Union {
		return nil, fmt.Errorf("a list is dealt out by split or union, not by %v", mode)
	}
	state, err := s.declare(d, mode)
	if err != nil {
		return nil, err
	}
	return operatorListCell{state}, nil
}

// Broadcast declares a broadcast map state.
func (s *operatorStore) Broadcast(d stream.Descriptor) (stream.MapCell, error) {
	state, err := s.declare(d, stream.Broadcasts)
	if err != nil {
		return nil, err
	}
	return broadcastCell{state}, nil
}

func (s *operatorStore) declare(d stream.Descriptor, mode stream.Redistribution) (*operatorState, error) {
	if known, ok := s.states[d.Name]; ok {
		if known.d.Type != d.Type || known.mode != mode {
			return nil, fmt.Errorf("declared as %v state of %s, but the operator already has %v state of %s by that name: one name is one state",
				mode, d.Type, known.mode, known.d.Type)
		}
		return known, nil
	}
	state := &operatorState{d: d, mode: mode, table: newEntries(d.New)}
	if err := state.load(s.restored[d.Name]); err != nil {
		return nil, err
	}
	delete(s.restored, d.Name)
	s.states[d.Name] = state
	return state, nil
}

// Restore takes what redistribution gave this subtask; called before any state is declared.
func (s *operatorStore) Restore(lists []stream.OperatorList) error {
	for _, l := range lists {
		if _, ok := s.states[l.Name]; ok {
			return fmt.Errorf("operator state %q was declared before the restore: what was restored would be lost", l.Name)
		}
		s.restored[l.Name] = l
	}
	return nil
}

// load decodes what a restore left for this state.
func (o *operatorState) load(from stream.OperatorList) error {
	if from.Name != "" && from.Mode != o.mode {
		return fmt.Errorf("stored as %v state and now declared as %v state", from.Mode, o.mode)
	}
	for _, e := range from.Elements {
		src, v := e, any(nil)
		if o.mode == stream.Broadcasts {
			key, value, err := stream.ReadEntry(e)
			if err != nil {
				return err
			}
			src, v = value, o.table.put(key)
		} else {
			v = o.d.New()
			o.list = append(o.list, v)
		}
		if err := o.d.Codec.Decode(src, v); err != nil {
			return fmt.Errorf("a restored element is no %s: %w", o.d.Type, err)
		}
	}
	return nil
}

// Snapshot is every state's elements, by ascending name. A state that nobody declared since the
// restore is handed on as it came.
func (s *operatorStore) Snapshot() ([]stream.OperatorList, error) {
	var lists []stream.OperatorList
	for _, l := range s.restored {
		lists = append(lists, l)
	}
	for _, state := range s.states {
		lists = append(lists, stream.OperatorList{Name: state.d.Name, Mode: state.mode, Elements: state.encode()})
	}
	slices.SortFunc(lists, func(a, b stream.OperatorList) int { return strings.Compare(a.Name, b.Name) })
	return lists, nil
}

func (o *operatorState) encode() [][]byte {
	elements := [][]byte{}
	for _, e := range o.list {
		elements = append(elements, o.d.Codec.Append(nil, e))
	}
	for _, e := range o.table.sorted(nil) {
		elements = append(elements, stream.AppendEntry(nil, []byte(e.key), o.d.Codec.Append(nil, e.value)))
	}
	return elements
}

// operatorListCell is an operator list as a stream.ListCell. It needs no current key.
type operatorListCell struct{ o *operatorState }

func (c operatorListCell) Add(e any) { c.o.list = append(c.o.list, c.notNull(e)) }

func (c operatorListCell) Update(es []any) {
	for _, e := range es {
		c.notNull(e)
	}
	c.o.list = slices.Clone(es) // the elements stay the caller's: a Counter counts in its own
}

func (c operatorListCell) Each(f func(e any) bool) {
	for _, e := range c.o.list {
		if !f(e) {
			return
		}
	}
}

func (c operatorListCell) Len() int { return len(c.o.list) }
func (c operatorListCell) Clear()   { c.o.list = nil }

func (c operatorListCell) notNull(e any) any {
	if e == nil {
		panic(&stream.StateError{State: c.o.d.Name, Err: stream.ErrNull})
	}
	return e
}

// broadcastCell is a broadcast map as a stream.MapCell. Who may write it is the handle's affair.
type broadcastCell struct{ o *operatorState }

func (c broadcastCell) Get(key []byte) any { return c.o.table.get(key) }
func (c broadcastCell) Put(key []byte) any { return c.o.table.put(key) }
func (c broadcastCell) Remove(key []byte)  { c.o.table.remove(key) }
func (c broadcastCell) Len() int           { return c.o.table.len() }
func (c broadcastCell) Clear()             { c.o.table.reset() }

func (c broadcastCell) Each(f func(key []byte, v any) bool) {
	for _, e := range c.o.table.sorted(nil) {
		if v := c.o.table.get([]byte(e.key)); v != nil && !f([]byte(e.key), v) {
			return
		}
	}
}
