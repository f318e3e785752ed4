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
	if err := b.unpark(); err != nil {
		return nil, nil, err
	}
	if err := b.write(); err != nil {
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

// nameFiles lists a snapshot's files: pebble's tables, which is nearly all of the bytes and of which each
// is read once in its life, and the catalog, which is all else.
func (b *backend) nameFiles(dir string) (files []stream.StateFile, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	names, catalog := map[string]string{}, []byte(nil)
	for _, e := range entries {
		p := filepath.Join(dir, e.Name())
		if strings.HasPrefix(e.Name(), "OPTIONS-") {
			continue // it says how this backend is set up; another has its own
		}
		if isTable(e.Name()) && b.names[e.Name()] != "" {
			names[e.Name()] = b.names[e.Name()]
			files = append(files, stream.StateFile{Name: names[e.Name()], Path: p})
			continue
		}
		content, err := os.ReadFile(p)
		if err != nil {
			return nil, err
		}
		if isTable(e.Name()) {
			names[e.Name()] = contentName(content, e.Name())
			files = append(files, stream.StateFile{Name: names[e.Name()], Path: p})
			continue
		}
		catalog = stream.AppendBytes(stream.AppendString(catalog, e.Name()), content)
	}
	b.names = names
	p := filepath.Join(dir, catalogName)
	if err := os.WriteFile(p, catalog, 0o644); err != nil {
		return nil, err
	}
	files = append(files, stream.StateFile{Name: contentName(catalog, catalogName), Path: p})
	for i := range files {
		info, err := os.Stat(files[i].Path)
		if err != nil {
			return nil, err
		}
		files[i].Size = info.Size()
	}
	return files, nil
}

// catalogName is the file that holds the small files in which pebble says what its tables are: each file's
// name, then its content. One file is less to make durable than four.
const catalogName = "catalog"

// isTable reports whether a file of pebble's is a table. Tables never change; of the others, there may
// be another of the same name in the next snapshot.
func isTable(name string) bool { return filepath.Ext(name) == ".sst" }

// contentName is the name of a file in a snapshot: made of its content, and of pebble's own name, which a
// restore needs.
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
