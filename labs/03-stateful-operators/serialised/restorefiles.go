package serialised

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"gatewaymeter/stream"
)

// RestoreFiles takes the files of one old subtask over: as they are, if nothing is there yet and all of
// their key groups are this backend's, so that the next snapshot names them again; else it copies the
// rows of those groups that are. See stream.FileBackend.
func (b *backend) RestoreFiles(files []stream.StateFile) error {
	dir := b.newFolder("restored")
	names, err := placeFiles(files, dir)
	if err != nil {
		return fmt.Errorf("putting the files of a snapshot into %s: %w", dir, err)
	}
	old, err := openStore(dir)
	if err != nil {
		return fmt.Errorf("the files of a snapshot, in %s: %w", dir, err)
	}
	holds, err := old.description()
	if err == nil && holds.first >= b.first && holds.last <= b.last && b.untouched() {
		return b.adopt(old, names, holds)
	}
	if err == nil {
		err = b.copyFrom(old, max(holds.first, b.first), min(holds.last, b.last), holds.states)
	}
	if e := old.close(); err == nil {
		err = e
	}
	if e := os.RemoveAll(dir); err == nil {
		err = e
	}
	return err
}

// placeFiles gives the files of a snapshot pebble's names again, in a new folder: tables as links, since
// they never change, what pebble may write to as copies. It returns the tables' names, as backend.names.
func placeFiles(files []stream.StateFile, dir string) (names map[string]string, err error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	names = map[string]string{}
	for _, f := range files {
		own, err := pebbleName(f.Name)
		if err != nil {
			return nil, err
		}
		if isTable(own) {
			names[own] = f.Name
			if f.Path != "" && os.Link(f.Path, filepath.Join(dir, own)) == nil {
				continue // another file system has no links, and then it is copied
			}
		}
		content := f.Content
		if f.Path != "" {
			if content, err = os.ReadFile(f.Path); err != nil {
				return nil, err
			}
		}
		if own == catalogName {
			err = unpack(content, dir)
		} else {
			err = os.WriteFile(filepath.Join(dir, own), content, 0o644)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name, err)
		}
	}
	return names, nil
}

// unpack writes the files that a catalog holds.
func unpack(catalog []byte, dir string) error {
	w := stream.NewWire(catalog)
	for w.More() {
		name, content := w.Str(), w.Bytes()
		if w.Err() != nil {
			break
		}
		if err := os.WriteFile(filepath.Join(dir, filepath.Base(name)), content, 0o644); err != nil {
			return err
		}
	}
	return w.Err()
}

// untouched reports whether no state has anything yet.
func (b *backend) untouched() bool {
	for _, t := range b.tables {
		if t.keys > 0 {
			return false
		}
	}
	return len(b.parked) == 0
}

// adopt goes on with another store. The states get the numbers that they have there.
func (b *backend) adopt(s *store, names map[string]string, holds description) error {
	before := b.store
	b.store, b.names, b.described = s, names, holds.rows
	if err := before.close(); err != nil {
		return err
	}
	if err := os.RemoveAll(before.dir); err != nil {
		return err
	}
	declared := b.tables
	b.tables = nil
	for _, state := range holds.states {
		t, err := b.tableOf(state.Section)
		if err != nil {
			return err
		}
		t.id, t.keys, t.loaded = state.id, state.keys, state.keys
	}
	for _, t := range declared {
		if !slices.Contains(b.tables, t) {
			if err := b.number(t); err != nil {
				return err
			}
		}
	}
	return b.fillLive(b.first, b.last)
}

// tableOf is the state that a section is of, in the list; made, if nobody has declared it.
func (b *backend) tableOf(s stream.Section) (*table, error) {
	t, known := b.byName[s.Name]
	if !known {
		return b.newTable(stream.Descriptor{Name: s.Name, Type: s.Type, Kind: s.Kind})
	}
	if err := s.Accepts(t.d); err != nil {
		return nil, err
	}
	if slices.Contains(b.tables, t) {
		return t, nil
	}
	return t, b.number(t)
}

// fillLive makes the objects of the live states in some groups.
func (b *backend) fillLive(first, last int) error {
	for _, t := range b.tables {
		if live, ok := t.cell.(*liveCell); ok {
			if err := live.fill(first, last); err != nil {
				return err
			}
		}
	}
	return nil
}

// copyFrom copies the rows of some groups.
func (b *backend) copyFrom(old *store, first, last int, states []stored) error {
	if err := b.store.empty(); err != nil {
		return err
	}
	rows := b.store.newBulk()
	for _, state := range states {
		t, err := b.tableOf(state.Section)
		for group := first; group <= last && err == nil; group++ {
			err = t.copyGroup(rows, old, state.id, group)
		}
		if err != nil {
			return fmt.Errorf("state %q: %w", state.Name, err)
		}
	}
	if err := rows.commit(); err != nil {
		return err
	}
	return b.fillLive(first, last)
}

// copyGroup copies a state's rows of one group out of a store in which it has another number. A key is
// counted at the one row that each key has.
func (t *table) copyGroup(to *bulk, from *store, number byte, group int) error {
	row := t.groupPrefix(group)
	prefix := slices.Clone(row)
	prefix[len(prefix)-1] = number
	return from.under(prefix, func(rest, value []byte) error {
		_, of, err := cut(rest)
		if err != nil {
			return err
		}
		if len(of) == 0 || of[0] == countRow {
			t.keys++
			t.loaded++
		}
		row = append(row[:len(prefix)], rest...)
		return to.set(row, value)
	})
}
