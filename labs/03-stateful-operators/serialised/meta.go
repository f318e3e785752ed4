package serialised

import (
	"fmt"
	"slices"

	"github.com/cockroachdb/pebble/v2"

	"gatewaymeter/stream"
)

// Files that another backend is to read say themselves what is in them. These rows come after all
// groups: there is no key group 65535.
//
//	ff ff           the first and the last key group
//	ff ff state     the state's name, type and kind, and how many keys have something in it
var metaPrefix = []byte{0xff, 0xff}

// stored is what files say of a state.
type stored struct {
	stream.Section // without a body
	id             byte
	keys           int
}

// section is what a state says of itself.
func (t *table) section() stream.Section {
	return stream.Section{Name: t.d.Name, Type: t.d.Type, Kind: t.d.Kind}
}

// describe brings the rows of this file up to date. If nothing has changed, it writes none.
func (b *backend) describe() error {
	rows := map[string]string{
		string(metaPrefix): string(stream.AppendInt(stream.AppendInt(nil, int64(b.first)), int64(b.last))),
	}
	for _, t := range b.tables {
		value := stream.AppendString(stream.AppendString(nil, t.d.Name), t.d.Type)
		value = stream.AppendInt(append(value, byte(t.d.Kind)), int64(t.keys))
		rows[string(append(slices.Clone(metaPrefix), t.id))] = string(value)
	}
	batch := b.store.db.NewBatch()
	defer batch.Close()
	for row, value := range rows { // in any order: pebble sorts
		if b.described[row] == value {
			continue
		}
		if err := batch.Set([]byte(row), []byte(value), nil); err != nil {
			return err
		}
	}
	b.described = rows
	if batch.Empty() {
		return nil
	}
	return batch.Commit(pebble.NoSync)
}

// description is what files say of themselves.
type description struct {
	first, last int // the key groups that they are of
	states      []stored
	rows        map[string]string // the same, as it was read
}

// description reads what describe has written.
func (s *store) description() (d description, err error) {
	d = description{first: noGroup, rows: map[string]string{}}
	err = s.under(metaPrefix, func(row, value []byte) error {
		d.rows[string(metaPrefix)+string(row)] = string(value)
		w := stream.NewWire(value)
		if len(row) == 0 {
			d.first, d.last = int(w.Int()), int(w.Int())
			return w.Done()
		}
		var state stored
		state.id = row[0]
		state.Name, state.Type, state.Kind, state.keys = w.Str(), w.Str(), stream.Kind(w.Byte()), int(w.Int())
		d.states = append(d.states, state)
		return w.Done()
	})
	if err == nil && d.first == noGroup {
		err = fmt.Errorf("%w: the files do not say of which key groups they are", stream.ErrCorrupt)
	}
	return d, err
}
