package serialised

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"gatewaymeter/stream"
)

var _ stream.FileBackend = (*backend)(nil)

// SnapshotFiles writes what has changed into a new table of pebble's, and links all tables into a folder
// of their own, where pebble does not delete them when it has merged them into others. See
// stream.FileBackend.
//
// An element that a descriptor's Keep would leave out stays in the files, as in Flink: that cleanup is
// for snapshots that are written in full.
func (b *backend) SnapshotFiles() (files []stream.StateFile, release func(), err error) {
	b.settle()
	if err := b.unpark(); err != nil {
		return nil, nil, err
	}
	if err := b.store.write(); err != nil {
		return nil, nil, err
	}
	if err := b.describe(); err != nil {
		return nil, nil, err
	}
	dir := b.newFolder("snapshot")
	if err := b.store.link(dir); err != nil {
		return nil, nil, fmt.Errorf("linking pebble's files into %s: %w", dir, err)
	}
	if files, err = b.nameFiles(dir); err != nil {
		return nil, nil, err
	}
	return files, func() { _ = os.RemoveAll(dir) }, nil // what is left over goes with the backend
}

// newFolder is the path of a folder that is not there yet, below this backend's own.
func (b *backend) newFolder(what string) string {
	b.folders++
	return filepath.Join(b.dir, fmt.Sprintf("%s-%d", what, b.folders))
}

// link makes a folder with the store's present state.
func (s *store) link(dir string) error {
	if err := s.db.Flush(); err != nil {
		return err
	}
	return s.db.Checkpoint(dir)
}

// nameFiles lists a snapshot's files under names made of their content and of pebble's own name, which a
// restore needs. Tables, which is nearly all of the bytes, are read once in their life.
func (b *backend) nameFiles(dir string) (files []stream.StateFile, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	tables := map[string]string{}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			return nil, err
		}
		f := stream.StateFile{Name: b.names[e.Name()], Path: filepath.Join(dir, e.Name()), Size: info.Size()}
		if f.Name == "" {
			content, err := os.ReadFile(f.Path)
			if err != nil {
				return nil, err
			}
			f.Name = contentName(content, e.Name())
		}
		if isTable(e.Name()) {
			tables[e.Name()] = f.Name
		}
		files = append(files, f)
	}
	b.names = tables
	return files, nil
}

// isTable reports whether a file of pebble's is a table. Tables never change; of the others, there may
// be another of the same name in the next snapshot.
func isTable(name string) bool { return filepath.Ext(name) == ".sst" }

// contentName is the name of a file in a snapshot.
func contentName(content []byte, name string) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:12]) + "-" + name
}

// pebbleName is pebble's own name of a file in a snapshot.
func pebbleName(name string) (string, error) {
	_, own, ok := strings.Cut(name, "-")
	if !ok || own != filepath.Base(own) {
		return "", fmt.Errorf("%w: %q is no file of a serialised backend's", stream.ErrCorrupt, name)
	}
	return own, nil
}

// unpark turns what a restore brought for states that nobody has declared into rows, which a snapshot
// can take.
func (b *backend) unpark() error {
	for name, sections := range b.parked { // each on its own: the order does not show
		t, err := b.newTable(stream.Descriptor{Name: name, Type: sections[0].Section.Type, Kind: sections[0].Section.Kind})
		if err != nil {
			return err
		}
		if err := b.parked.Take(name, t.load); err != nil {
			return err
		}
	}
	return nil
}
