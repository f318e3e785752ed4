package serialised

import (
	"encoding/binary"
	"fmt"

	"github.com/cockroachdb/pebble/v2"

	"gatewaymeter/stream"
)

// loadBatch is how many bytes of restored rows are written at once.
const loadBatch = 4 << 20

// bulk writes restored rows past the cache.
type bulk struct {
	db    *pebble.DB
	batch *pebble.Batch
}

func (s *store) newBulk() *bulk { return &bulk{s.db, s.db.NewBatch()} }

func (w *bulk) set(row, value []byte) error {
	if err := w.batch.Set(row, value, nil); err != nil {
		return err
	}
	if w.batch.Len() < loadBatch {
		return nil
	}
	err := w.commit()
	w.batch = w.db.NewBatch()
	return err
}

func (w *bulk) commit() error { return w.batch.Commit(pebble.NoSync) }

// load reads a section of this state. A restored row is new, so it is written past the cache and without
// a look at what was there. Every element goes through its codec: damage shows now, and not in the
// middle of the job.
func (t *table) load(group int, s stream.Section) error {
	if err := s.Accepts(t.d); err != nil {
		return err
	}
	t.b.settle()
	if t.keys != t.loaded {
		return fmt.Errorf("state %q, key group %d: a restore comes before the first element, and this state has been written", s.Name, group)
	}
	if err := t.b.store.empty(); err != nil {
		return err
	}
	l := loader{t: t, rows: t.b.store.newBulk()}
	if t.cell != nil {
		l.scratch = t.d.New()
	}
	err := stream.EachContent(s.Body, func(key, content []byte) error { return l.key(group, string(key), content) })
	if err == nil {
		err = l.rows.commit()
	}
	if err != nil {
		return fmt.Errorf("state %q, key group %d: %w", s.Name, group, err)
	}
	return nil
}

// loader writes one section's rows.
type loader struct {
	t       *table
	rows    *bulk
	scratch any // nil: nobody has declared the state, and what its elements are is not known
	row     []byte
	base    int // the part of row that the key's rows have in common
	wire    stream.Wire
}

// key writes what one key has.
func (l *loader) key(group int, key string, content []byte) error {
	l.t.keys++
	l.t.loaded++
	if live, ok := l.t.cell.(*liveCell); ok {
		l.scratch = live.put(group, key)
	}
	l.row = appendKey(l.row[:0], group, key)
	l.row[2], l.base = l.t.id, len(l.row)
	switch l.t.d.Kind {
	case stream.ListState:
		return l.list(content)
	case stream.MapState:
		return l.table(content)
	}
	return l.set(nil, content)
}

func (l *loader) list(content []byte) error {
	n := 0
	for l.wire.Reset(content); l.wire.More(); n++ {
		index := binary.BigEndian.AppendUint64([]byte{contentRow}, uint64(n))
		if err := l.set(index, l.wire.Bytes()); err != nil {
			return err
		}
	}
	return l.count(n)
}

func (l *loader) table(content []byte) error {
	n := 0
	for l.wire.Reset(content); l.wire.More(); n++ {
		name := append([]byte{contentRow}, l.wire.Bytes()...)
		if err := l.set(name, l.wire.Bytes()); err != nil {
			return err
		}
	}
	return l.count(n)
}

// count ends a list or map: with the row that says how many.
func (l *loader) count(n int) error {
	if err := l.wire.Err(); err != nil {
		return err
	}
	row := append(l.row[:l.base], countRow)
	return l.rows.set(row, binary.AppendUvarint(nil, uint64(n)))
}

// set writes an element's row.
func (l *loader) set(rest, value []byte) error {
	if l.scratch != nil {
		if err := l.t.decode(value, l.scratch); err != nil {
			return err
		}
	}
	l.row = append(l.row[:l.base], rest...)
	return l.rows.set(l.row, value)
}
