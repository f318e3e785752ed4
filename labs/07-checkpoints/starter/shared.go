package checkpoints

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"

	"gatewaymeter/stream"
)

// Files of "shared" and "final" belong to many checkpoints (Flink: SharedStateRegistry). What a retained
// manifest names stays (named, in clean); so does what a manifest may name soon: each part that waits for
// its manifest has a claim on its files. All else is removed when a checkpoint is complete.

// share stores the state files of an incremental backend. A file that is there already is not written
// again: that is what makes a checkpoint cost no more than what has changed. It also gives the bytes of
// those that were not there.
func (s *Store) share(part stream.OperatorSnapshot) (files []manifestFile, written int64, err error) {
	for _, f := range part.Files {
		p := path.Join("shared", fmt.Sprintf("%s-%d-%s", part.UID, part.Subtask, f.Name))
		entry, known := s.claim(p)
		if !known {
			var stored bool
			if entry, stored, err = s.importFile(f, p); err != nil {
				s.release(append(files, manifestFile{Path: p}))
				return nil, 0, err
			}
			if stored {
				written += entry.Size
			}
		}
		entry.Name = f.Name
		files = append(files, entry)
	}
	return files, written, nil
}

// claim keeps a file from being removed until release; it need not be there yet. If this store has
// stored or seen it, known says so.
func (s *Store) claim(p string) (f manifestFile, known bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.claims[p]++
	f, known = s.shared[p]
	return f, known
}

// release gives claims back.
func (s *Store) release(files []manifestFile) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.releaseLocked(files)
}

func (s *Store) releaseLocked(files []manifestFile) {
	for _, f := range files {
		if s.claims[f.Path]--; s.claims[f.Path] == 0 {
			delete(s.claims, f.Path)
		}
	}
}

// importFile takes a state file in, unless an earlier run has left it there whole: its name is made from
// its content. Its checksum is computed once, here, from what the backend has.
func (s *Store) importFile(f stream.StateFile, p string) (entry manifestFile, stored bool, err error) {
	content, err := os.ReadFile(f.Path)
	if err != nil {
		return entry, false, err
	}
	if before, err := s.disk.ReadFile(p); err != nil || !bytes.Equal(before, content) {
		if err := s.disk.MkdirAll("shared"); err != nil {
			return entry, false, err
		}
		if err := s.disk.Import(f.Path, p); err != nil {
			return entry, false, fmt.Errorf("taking %s in: %w", f.Path, err)
		}
		stored = true
	}
	entry = manifestFile{Path: p, Size: int64(len(content)), Checksum: checksum(content)}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.shared[p] = entry
	return entry, stored, nil
}

// stateFiles checks the state files of a part, and says where they are.
func (s *Store) stateFiles(entries []manifestFile) (files []stream.StateFile, err error) {
	for _, e := range entries {
		content, err := s.disk.ReadFile(e.Path)
		if err != nil {
			return nil, err
		}
		if err := e.check(content); err != nil {
			return nil, err
		}
		f := stream.StateFile{Name: e.Name, Size: e.Size}
		if d, ok := s.disk.(OSDisk); ok {
			f.Path = d.path(e.Path)
		} else {
			f.Content = content
		}
		files = append(files, f)
	}
	return files, nil
}

// clean removes what no retained checkpoint needs: first whole checkpoints, oldest first, then files
// that no manifest names any more. A checkpoint's manifest goes before its parts, so that whatever
// interrupts this leaves no manifest without its files. One whose manifest cannot be read, or is of another
// version, may be a savepoint: it stays, and since nobody knows which files it needs, all files that several
// checkpoints may name stay too, until somebody has taken it away.
func (s *Store) clean() error {
	ids, err := s.ids()
	if err != nil {
		return err
	}
	complete, named, unreadable := 0, map[string]bool{}, false
	for _, id := range slices.Backward(ids) {
		m, err := s.manifest(id)
		switch {
		case err != nil && !errors.Is(err, fs.ErrNotExist):
			unreadable = true
		case err == nil && (m.Savepoint || complete < s.retain):
			for _, p := range m.Parts {
				named[p.File.Path] = true
				for _, f := range p.State {
					named[f.Path] = true
				}
			}
			if !m.Savepoint {
				complete++
			}
		case complete > 0 && !s.taking(id): // older than a complete one: not needed, or never completed
			if err := s.remove(id); err != nil {
				return err
			}
		}
	}
	if unreadable {
		return nil
	}
	for _, dir := range []string{"final", "shared"} {
		if err := s.sweep(dir, named); err != nil {
			return err
		}
	}
	return nil
}

// taking reports whether parts of a checkpoint are being stored.
func (s *Store) taking(id int64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.parts[id]) > 0
}

func (s *Store) remove(id int64) error {
	dir := folder(id)
	if err := s.disk.Remove(path.Join(dir, manifestName)); err == nil {
		if err := s.disk.SyncDir(dir); err != nil {
			return err
		}
	}
	return s.disk.RemoveAll(dir)
}

// sweep removes the files of a folder that no manifest names, and nobody has a claim on.
func (s *Store) sweep(dir string, named map[string]bool) error {
	names, err := s.disk.List(dir)
	if err != nil {
		return err
	}
	s.mu.Lock() // nobody may claim a file while it goes
	defer s.mu.Unlock()
	for _, name := range names {
		p := path.Join(dir, name)
		if named[p] || s.claims[p] > 0 {
			continue
		}
		delete(s.shared, p)
		if err := s.disk.Remove(p); err != nil {
			return err
		}
	}
	return nil
}
