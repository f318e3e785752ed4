// Package serialised is a backend that keeps bytes, in pebble, on disk (Flink:
// EmbeddedRocksDBStateBackend). It is given: lab 03 compares it with the heap.
//
// It promises what stream.Backend says, with the same results as the heap, but for references: Get
// gives a copy, and a value that is changed without Update stays as it was. Map entries and list
// elements are rows of their own, so that one can be read without the others. Its snapshots have the
// form that all backends share: what it wrote, the heap can restore. For checkpoints there is a second
// form, pebble's own files (stream.FileBackend): they never change, so that only those are written that
// the checkpoint before did not have.
//
// Its own folder is no checkpoint. It does not survive Close, and what stands in it after a crash is
// nothing one could start from: the write-ahead log is off, and a part is still in memory.
package serialised

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"gatewaymeter/stream"
)

// backend is stream.Backend over a store of rows.
type backend struct {
	store  *store
	dir    string // this backend's own; removed by Close
	keep   bool
	first  int
	last   int
	tables []*table
	byName map[string]*table
	parked stream.Parked // restored states that nobody has declared yet

	group   int // the current key's group; noGroup: none
	key     string
	prefix  []byte // group and key, as rows begin with them; see keys.go
	pending settler

	folders   int               // made in dir so far, see files.go
	names     map[string]string // of pebble's tables in the last snapshot: its name to the file's
	described map[string]string // the rows of meta.go as they were last written
}

const noGroup = -1

// settler is a cell whose last Put may not have been turned into bytes yet.
type settler interface{ Settle() }

// Option changes how a backend works.
type Option func(*backend)

// Keep leaves the files in place at Close, for those who want to look at them.
func Keep() Option { return func(b *backend) { b.keep = true } }

// New makes the backend of a subtask that owns the key groups first to last, both included. Its files
// are in a new folder inside dir, which is made if it is not there.
func New(dir string, first, last int, options ...Option) (stream.Backend, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("serialised backend: %w", err)
	}
	own, err := os.MkdirTemp(dir, "state-*")
	if err != nil {
		return nil, fmt.Errorf("serialised backend: %w", err)
	}
	s, err := openStore(filepath.Join(own, "db"))
	if err != nil {
		return nil, fmt.Errorf("serialised backend in %s: %w", own, err)
	}
	b := &backend{store: s, dir: own, first: first, last: last, group: noGroup,
		byName: map[string]*table{}, parked: stream.Parked{}, described: map[string]string{}}
	for _, option := range options {
		option(b)
	}
	return b, nil
}

// table is one state: declared, or brought by files and not declared yet; then it has no cell, and of the
// descriptor only name, type and kind.
type table struct {
	b      *backend
	id     byte
	d      stream.Descriptor
	cell   stream.Cell
	keys   int // the keys that have content
	loaded int // those that a restore brought
	row    []byte
	hand   sweepHand
	due    int // keys that the next sweep is to look at
	stale  func(v any) bool
}

// SetKey makes (group, key) the current key.
func (b *backend) SetKey(group int, key string) {
	b.settle()
	if group == b.group && key == b.key {
		return
	}
	if group >= 0 {
		b.check(group)
		b.prefix = appendKey(b.prefix[:0], group, key)
	}
	b.group, b.key = group, key
}

func (b *backend) check(group int) {
	if group < b.first || group > b.last {
		panic(&stream.StateError{State: "(current key)", Reason: fmt.Sprintf(
			"key group %d is not one of this subtask's (%d to %d): the record went to the wrong subtask, or its key is not a function of the record",
			group, b.first, b.last)})
	}
}

// settle turns the last Put into bytes.
func (b *backend) settle() {
	if p := b.pending; p != nil {
		b.pending = nil
		p.Settle()
	}
}

// Cell declares a state; see stream.Backend.
func (b *backend) Cell(d stream.Descriptor) (stream.Cell, error) {
	t, known := b.byName[d.Name]
	switch {
	case known && t.cell != nil:
		if d.Kind != t.d.Kind || d.Type != t.d.Type {
			return nil, fmt.Errorf("declared as a %v state of %s, but the operator already has a %v state of %s by that name: one name is one state",
				d.Kind, d.Type, t.d.Kind, t.d.Type)
		}
		return t.cell, nil
	case d.TTL != nil:
		return nil, fmt.Errorf("it has a time to live, and this backend knows none: wrap it in NewTTL")
	case known:
		if err := t.section().Accepts(d); err != nil {
			return nil, err
		}
		return t.cell, t.declare(d)
	}
	t, err := b.newTable(d)
	if err != nil {
		return nil, err
	}
	if err := t.declare(d); err != nil {
		return nil, err
	}
	return t.cell, b.parked.Take(d.Name, t.load)
}

// newTable is a state that has nothing yet.
func (b *backend) newTable(d stream.Descriptor) (*table, error) {
	t := &table{b: b, d: d}
	if err := b.number(t); err != nil {
		return nil, err
	}
	b.byName[d.Name] = t
	return t, nil
}

// number puts a state in the list, under a number that no other there has.
func (b *backend) number(t *table) error {
	var used [256]bool
	for _, other := range b.tables {
		used[other.id] = true
	}
	free := slices.Index(used[:], false)
	if free < 0 {
		return fmt.Errorf("an operator has at most 256 states")
	}
	t.id = byte(free)
	b.tables = append(b.tables, t)
	return nil
}

// declare gives a state its cell.
func (t *table) declare(d stream.Descriptor) error {
	t.d = d
	switch {
	case d.Live && d.Kind == stream.ValueState:
		live := newLiveCell(t)
		t.cell = live
		return live.fill(t.b.first, t.b.last)
	case d.Live:
		return fmt.Errorf("a live state is a value state, not a %v state", d.Kind)
	case d.Kind == stream.ValueState:
		t.cell = &valueCell{table: t, scratch: d.New()}
	case d.Kind == stream.ListState:
		t.cell = &listCell{table: t}
	case d.Kind == stream.MapState:
		t.cell = &mapCell{table: t, scratch: d.New()}
	case d.Kind == stream.ReducingState, d.Kind == stream.AggregatingState:
		t.cell = &foldCell{table: t, scratch: d.New()}
	default:
		return fmt.Errorf("kind %d is none of Flink's five", d.Kind)
	}
	return nil
}

// Entries counts the keys that have something in a state.
func (b *backend) Entries(state string) int {
	b.settle()
	if t, ok := b.byName[state]; ok {
		return t.keys
	}
	return b.parked.Keys(state)
}

// Flush writes to disk once enough has gathered. Until then a value that is put and cleared again
// costs no disk at all.
func (b *backend) Flush() error {
	b.settle()
	for _, t := range b.tables {
		if err := t.sweep(); err != nil {
			return err
		}
		if live, ok := t.cell.(*liveCell); ok && len(live.changes) > cacheRows {
			if err := live.write(); err != nil {
				return err
			}
		}
	}
	return b.store.spill()
}

// write brings pebble up to date.
func (b *backend) write() error {
	b.settle()
	for _, t := range b.tables {
		if live, ok := t.cell.(*liveCell); ok {
			if err := live.write(); err != nil {
				return err
			}
		}
	}
	return b.store.write()
}

// Close gives the files back.
func (b *backend) Close() error {
	err := b.store.close()
	if b.keep {
		return err
	}
	if rm := os.RemoveAll(b.dir); err == nil {
		err = rm
	}
	return err
}
