package checkpoints

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/crc32"

	"gatewaymeter/stream"
)

// manifestVersion is what this code writes and reads.
const manifestVersion = 1

// manifest is manifest.json: what a checkpoint is made of (Flink: CheckpointMetadata, in the file _metadata).
// The checkpoint exists when it is in place.
type manifest struct {
	Version   int            `json:"version"`
	ID        int64          `json:"id"`
	Job       string         `json:"job"`
	Savepoint bool           `json:"savepoint"`
	Created   stream.Time    `json:"created_ms"`
	Parts     []manifestPart `json:"parts"`    // by uid, then subtask
	Checksum  uint32         `json:"checksum"` // of the manifest itself, with this field 0
}

// manifestPart is one operator in one subtask.
type manifestPart struct {
	UID         string         `json:"uid"`
	Subtask     int            `json:"subtask"`
	Parallelism int            `json:"parallelism"`
	MaxGroups   int            `json:"max_groups"`
	File        manifestFile   `json:"file"`
	State       []manifestFile `json:"state,omitempty"` // shared files of an incremental backend
	written     int64          // bytes that were written for it; only while the checkpoint is taken

	States []stream.StateInfo `json:"states,omitempty"` // what the keyed states say of themselves
}

// manifestFile is a file with what it must look like.
type manifestFile struct {
	Name     string `json:"name,omitempty"` // the backend's name of a state file
	Path     string `json:"path"`           // below the store's folder
	Size     int64  `json:"size"`
	Checksum uint32 `json:"checksum"`
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func checksum(b []byte) uint32 { return crc32.Checksum(b, castagnoli) }

// check says what is wrong with a file's content: an error that wraps stream.ErrCorrupt and names the
// file, if it has another size or another checksum than the manifest says.
func (f manifestFile) check(content []byte) error {
	//lab:begin 7d
	switch {
	case int64(len(content)) != f.Size:
		return fmt.Errorf("%w: %s has %d bytes, the manifest says %d", stream.ErrCorrupt, f.Path, len(content), f.Size)
	case checksum(content) != f.Checksum:
		return fmt.Errorf("%w: %s has checksum %08x, the manifest says %08x", stream.ErrCorrupt, f.Path, checksum(content), f.Checksum)
	}
	return nil
	//lab:end
}

// encode writes a manifest, with its own checksum.
func (m manifest) encode() ([]byte, error) {
	m.Checksum = 0
	bare, err := json.Marshal(m)
	if err != nil {
		return nil, err
	}
	m.Checksum = checksum(bare)
	return json.MarshalIndent(m, "", "  ")
}

// writes reports whether src is the manifest as encode writes it. A flipped bit may leave its meaning (the
// case of a name, a space), but then the disk is not to be trusted.
func (m manifest) writes(src []byte, sum uint32) bool {
	m.Checksum = sum
	again, err := json.MarshalIndent(m, "", "  ")
	return err == nil && bytes.Equal(again, src)
}

// decodeManifest reads what encode wrote, for the checkpoint of that number.
func decodeManifest(src []byte, id int64) (manifest, error) {
	var m manifest
	if err := json.Unmarshal(src, &m); err != nil {
		return m, fmt.Errorf("%w: the manifest is no JSON of ours: %w", stream.ErrCorrupt, err)
	}
	if m.Version != manifestVersion {
		return m, fmt.Errorf("the manifest has version %d, this program reads version %d", m.Version, manifestVersion)
	}
	want := m.Checksum
	m.Checksum = 0
	bare, err := json.Marshal(m)
	switch {
	case err != nil:
		return m, err
	case checksum(bare) != want:
		return m, fmt.Errorf("%w: the manifest has checksum %08x and should have %08x", stream.ErrCorrupt, checksum(bare), want)
	case !m.writes(src, want):
		return m, fmt.Errorf("%w: the manifest says the same in other bytes than were written", stream.ErrCorrupt)
	case m.ID != id:
		return m, fmt.Errorf("%w: the manifest is that of checkpoint %d", stream.ErrCorrupt, m.ID)
	}
	return m, nil
}
