package checkpoints

import (
	"errors"
	"fmt"
	"io/fs"

	"gatewaymeter/stream"
)

// Inspection is what a look at one checkpoint finds, file by file, whole or not. Read says whether a
// job would take it; this says why not.
type Inspection struct {
	ID         int64
	Folder     string // below the store's folder
	Manifest   error  // why there is no telling what belongs to it; nil: the manifest is whole
	Incomplete bool   // it has no manifest: it is being taken, or was when the process died
	Savepoint  bool
	Job        string
	Created    stream.Time
	Parts      []InspectedPart // as the manifest names them; none without a manifest
}

// InspectedPart is one operator in one subtask.
type InspectedPart struct {
	UID                             string
	Subtask, Parallelism, MaxGroups int
	States                          []stream.StateInfo
	File                            InspectedFile
	Shared                          []InspectedFile          // of an incremental backend
	Snapshot                        *stream.OperatorSnapshot // nil if File is damaged; state files are in it if whole
}

// InspectedFile is a file that a manifest names.
type InspectedFile struct {
	Path     string // below the store's folder
	Size     int64  // as the manifest has it
	Checksum uint32 // likewise
	Damage   error  // what is wrong with the file; nil: nothing
}

// IDs are the checkpoints in the folder, complete or not, ascending.
func (s *Store) IDs() ([]int64, error) { return s.ids() }

// IDOfFolder is the checkpoint whose folder has that name, if it is one.
func IDOfFolder(name string) (id int64, ok bool) {
	n, _ := fmt.Sscanf(name, "chk-%d", &id)
	return id, n == 1 && name == folder(id)
}

// Inspect looks at every file of a checkpoint. Damage is in what it returns, never an error of its own.
func (s *Store) Inspect(id int64) Inspection {
	i := Inspection{ID: id, Folder: folder(id)}
	m, err := s.manifest(id)
	if err != nil {
		i.Manifest, i.Incomplete = err, errors.Is(err, fs.ErrNotExist)
		return i
	}
	i.Savepoint, i.Job, i.Created = m.Savepoint, m.Job, m.Created
	for _, p := range m.Parts {
		i.Parts = append(i.Parts, s.inspectPart(p))
	}
	return i
}

func (s *Store) inspectPart(p manifestPart) InspectedPart {
	part := InspectedPart{UID: p.UID, Subtask: p.Subtask, Parallelism: p.Parallelism, MaxGroups: p.MaxGroups, States: p.States}
	part.File = s.inspectFile(p.File)
	damaged := part.File.Damage != nil
	for _, f := range p.State {
		shared := s.inspectFile(f)
		part.Shared = append(part.Shared, shared)
		damaged = damaged || shared.Damage != nil
	}
	if damaged {
		return part
	}
	snapshot, err := s.part(p)
	if err != nil { // its bytes are those that were written, and they are no part of this operator
		part.File.Damage = err
		return part
	}
	part.Snapshot = &snapshot
	return part
}

func (s *Store) inspectFile(f manifestFile) InspectedFile {
	file := InspectedFile{Path: f.Path, Size: f.Size, Checksum: f.Checksum}
	content, err := s.disk.ReadFile(f.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		file.Damage = fmt.Errorf("%s is missing", f.Path)
	case err != nil:
		file.Damage = fmt.Errorf("%s cannot be read: %w", f.Path, err)
	default:
		file.Damage = f.check(content)
	}
	return file
}
