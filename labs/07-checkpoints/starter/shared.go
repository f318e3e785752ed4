package checkpoints

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"gatewaymeter/stream"
)

// share stores the state files of an incremental backend. A file that is stored already is not stored
// again: that is what makes a checkpoint cost no more than what has changed.
func (s *Store) share(part stream.OperatorSnapshot) (files []manifestFile, err error) {
	for _, f := range part.Files {
		p := path.Join("shared", fmt.Sprintf("%06d-%s-%d-%s", s.next, part.UID, part.Subtask, f.Name))
		entry, known := s.knows(p)
		if !known {
			if entry, err = s.importFile(f, p); err != nil {
				return nil, err
			}
		}
		entry.Name = f.Name
		files = append(files, entry)
	}
	return files, nil
}

func (s *Store) knows(p string) (manifestFile, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f, ok := s.shared[p]
	return f, ok
}

// importFile takes a state file in. Its checksum is computed once, here.
func (s *Store) importFile(f stream.StateFile, p string) (manifestFile, error) {
	if err := s.disk.MkdirAll("shared"); err != nil {
		return manifestFile{}, err
	}
	if err := s.disk.Import(f.Path, p); err != nil {
		return manifestFile{}, fmt.Errorf("taking %s in: %w", f.Path, err)
	}
	content, err := s.disk.ReadFile(p)
	if err != nil {
		return manifestFile{}, err
	}
	entry := manifestFile{Path: p, Size: int64(len(content)), Checksum: checksum(content)}
	s.mu.Lock()
	s.shared[p] = entry
	s.mu.Unlock()
	return entry, nil
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
		p := e.Path
		if d, ok := s.disk.(OSDisk); ok {
			p = d.path(p)
		}
		files = append(files, stream.StateFile{Name: e.Name, Path: p, Size: e.Size})
	}
	return files, nil
}

// clean removes what no retained checkpoint needs: first whole checkpoints, oldest first, then files
// that no manifest names any more. A checkpoint's manifest goes before its parts, so that whatever
// interrupts this leaves no manifest without its files.
func (s *Store) clean() error {
	ids, err := s.ids()
	if err != nil {
		return err
	}
	complete, named := 0, map[string]bool{}
	for _, id := range slices.Backward(ids) {
		m, err := s.manifest(id)
		switch {
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

// sweep removes the files of a folder that no manifest names. What this run has stored stays: the next
// checkpoint may name it.
func (s *Store) sweep(dir string, named map[string]bool) error {
	names, err := s.disk.List(dir)
	if err != nil {
		return err
	}
	ours := fmt.Sprintf("%06d-", s.next)
	for _, name := range names {
		if p := path.Join(dir, name); !named[p] && !strings.HasPrefix(name, ours) {
			if err := s.disk.Remove(p); err != nil {
				return err
			}
		}
	}
	return nil
}
