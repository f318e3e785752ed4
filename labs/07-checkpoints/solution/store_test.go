package checkpoints_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"gatewaymeter/internal/planted"
	checkpoints "gatewaymeter/labs/07-checkpoints/solution"
	"gatewaymeter/stream"
)

// snapshot is some state of one subtask, with the checkpoint's number in it.
func snapshot(id int64, subtask int) stream.OperatorSnapshot {
	return stream.OperatorSnapshot{
		UID: "assemble", Subtask: subtask, Parallelism: 2, MaxGroups: 4,
		Groups: []stream.GroupSnapshot{{Group: 2 * subtask, Bytes: fmt.Appendf(nil, "open at %d", id)}},
		Lists:  []stream.OperatorList{{Name: "n", Mode: stream.EvenSplit, Elements: [][]byte{{byte(id)}}}},
	}
}

// take takes one whole checkpoint.
func take(s *checkpoints.Store, id int64) error {
	for subtask := range 2 {
		if err := s.Part(id, snapshot(id, subtask)); err != nil {
			return err
		}
	}
	return s.Complete(stream.Checkpoint{ID: id, Job: "test", Created: 7})
}

func open(t *testing.T, d checkpoints.Disk) *checkpoints.Store {
	t.Helper()
	s, err := checkpoints.NewStore(d, 1)
	require.NoError(t, err)
	return s
}

func TestLatestGivesBackWhatWasStored(t *testing.T) {
	for name, disk := range map[string]checkpoints.Disk{"memory": checkpoints.NewMemDisk(), "machine": checkpoints.OSDisk{Root: t.TempDir()}} {
		t.Run(name, func(t *testing.T) {
			s := open(t, disk)
			require.NoError(t, take(s, 1))
			require.NoError(t, take(s, 2))
			c, refused, err := open(t, disk).Latest()
			require.NoError(t, err)
			require.Empty(t, refused)
			require.EqualValues(t, 2, c.ID)
			require.Equal(t, []stream.OperatorSnapshot{snapshot(2, 0), snapshot(2, 1)}, c.Operators["assemble"])
			next, err := open(t, disk).Next()
			require.NoError(t, err)
			require.EqualValues(t, 3, next)
		})
	}
}

// A checkpoint does not exist before all names in it are durable, those of the folders that it shares with
// others included.
func TestAFolderThatCannotBeSyncedFailsTheCheckpoint(t *testing.T) {
	for _, dir := range []string{"chk-000001", "final", "shared", "."} {
		s := open(t, unsyncable{checkpoints.NewMemDisk(), dir})
		require.ErrorIs(t, take(s, 1), errUnsyncable, dir)
	}
}

// unsyncable is a disk with a folder whose names it cannot make durable.
type unsyncable struct {
	*checkpoints.MemDisk
	dir string
}

var errUnsyncable = errors.New("the folder cannot be synced")

func (d unsyncable) SyncDir(dir string) error {
	if dir == d.dir {
		return errUnsyncable
	}
	return d.MemDisk.SyncDir(dir)
}

// A power cut between any two file operations, with any outcome for what was not synced, leaves the
// last complete checkpoint, or the one that was being completed, and nothing damaged in their place.
func TestPowerCutAtEveryOperation(t *testing.T) {
	require.NoError(t, powerCuts(func(d *checkpoints.MemDisk) checkpoints.Disk { return d }))
}

// A disk that renames by copying is found out.
func TestPowerCutsFindARenameThatIsNotAtomic(t *testing.T) {
	err := powerCuts(func(d *checkpoints.MemDisk) checkpoints.Disk { return planted.CopyingDisk{Disk: d} })
	require.ErrorContains(t, err, "seed")
	t.Log(err)
}

// powerCuts takes a second checkpoint, with the power failing before each of its file operations, and
// says under which cut and seed the store did not keep its promise.
func powerCuts(over func(*checkpoints.MemDisk) checkpoints.Disk) error {
	for cut, failed := 1, true; failed; cut++ {
		for seed := range uint64(20) {
			d := checkpoints.NewMemDisk()
			s, err := checkpoints.NewStore(over(d), 1)
			if err == nil {
				err = take(s, 1)
			}
			if err != nil {
				return err
			}
			d.CutPowerAt(cut)
			err = take(s, 2)
			if failed = d.PowerFailed(); err != nil && !errors.Is(err, checkpoints.ErrPowerCut) {
				return fmt.Errorf("cut before operation %d: the store says something else: %w", cut, err)
			}
			if lost := afterCut(d.Restart(seed), err == nil); lost != nil {
				return fmt.Errorf("cut before operation %d, seed %d: %w", cut, seed, lost)
			}
		}
	}
	return nil
}

// afterCut opens what a power cut has left.
func afterCut(d *checkpoints.MemDisk, completed bool) error {
	s, err := checkpoints.NewStore(d, 1)
	if err != nil {
		return err
	}
	c, refused, err := s.Latest()
	switch {
	case err != nil:
		return err
	case c == nil:
		return fmt.Errorf("no checkpoint is left; refused: %w", errors.Join(refused...))
	case completed && c.ID != 2:
		return fmt.Errorf("Complete had returned, and checkpoint %d is taken; refused: %w", c.ID, errors.Join(refused...))
	case !reflect.DeepEqual(c.Operators["assemble"], []stream.OperatorSnapshot{snapshot(c.ID, 0), snapshot(c.ID, 1)}):
		return fmt.Errorf("checkpoint %d holds other state than was stored", c.ID)
	}
	return nil
}

// What is older than a complete checkpoint goes, unless nobody can tell what it is: it may be a savepoint.
func TestWhatCannotBeReadIsNotRemoved(t *testing.T) {
	d := checkpoints.NewMemDisk()
	s := open(t, d)
	require.NoError(t, s.Part(1, snapshot(1, 0)), "it is never completed")
	for id := int64(2); id <= 5; id++ {
		require.NoError(t, takeOne(s, stream.Checkpoint{ID: id, Savepoint: id < 5}))
	}
	d.Edit("chk-000002/manifest.json", func(b []byte) []byte { return b[:len(b)/2] })
	d.Edit("chk-000003/manifest.json", func(b []byte) []byte {
		return bytes.Replace(b, []byte(`"version": 1`), []byte(`"version": 2`), 1)
	})
	require.NoError(t, takeOne(open(t, d), stream.Checkpoint{ID: 6}), "by another process, which knows nothing of the first one's parts")
	ids, err := s.IDs()
	require.NoError(t, err)
	require.Equal(t, []int64{2, 3, 4, 6}, ids)
}

// Nor are the files that it may need: a savepoint that cannot be read on one day may be on another.
func TestWhatAnUnreadableManifestMayNameStays(t *testing.T) {
	file := filepath.Join(t.TempDir(), "000001.sst")
	require.NoError(t, os.WriteFile(file, []byte("a state file"), 0o600))
	d := checkpoints.NewMemDisk()
	s := open(t, d)
	part := snapshot(1, 1)
	part.Files = []stream.StateFile{{Name: "1.sst", Path: file, Size: 12}}
	require.NoError(t, errors.Join(s.Part(stream.FinalPart, snapshot(0, 0)), s.Part(1, part)))
	require.NoError(t, s.Complete(stream.Checkpoint{ID: 1, Savepoint: true}))
	var manifest []byte
	d.Edit("chk-000001/manifest.json", func(b []byte) []byte { manifest = b; return b[:len(b)/2] })
	s = open(t, d) // another process: it has no claim on the files
	for id := int64(2); id <= 4; id++ {
		require.NoError(t, takeOne(s, stream.Checkpoint{ID: id}))
	}
	d.Edit("chk-000001/manifest.json", func([]byte) []byte { return manifest })
	_, err := s.Read(1)
	require.NoError(t, err)
	ids, err := s.IDs()
	require.NoError(t, err)
	require.Equal(t, []int64{1, 4}, ids, "what can be read goes as always")
}

// takeOne takes a checkpoint of one subtask.
func takeOne(s *checkpoints.Store, c stream.Checkpoint) error {
	return errors.Join(s.Part(c.ID, snapshot(c.ID, 0)), s.Complete(c))
}

// A manifest that cannot be read is not one that was never written, and a pipe in its place is not waited for.
func TestAManifestThatIsNoFile(t *testing.T) {
	dir := t.TempDir()
	s := open(t, checkpoints.OSDisk{Root: dir})
	require.NoError(t, take(s, 1))
	manifest := filepath.Join(dir, "chk-000001", "manifest.json")
	require.NoError(t, os.Remove(manifest))
	_, err := s.Read(1)
	require.ErrorContains(t, err, "checkpoint 1 is refused: it was never completed")
	require.NoError(t, os.Mkdir(manifest, 0o755))
	_, err = s.Read(1)
	require.ErrorContains(t, err, "checkpoint 1 is refused: its manifest cannot be read")
	require.ErrorContains(t, err, "it is no regular file")
}

// A file that a part without a manifest needs is not removed when an older checkpoint is complete: a state
// file, or the final state of a subtask that still has its own part in that checkpoint.
func TestWhatAManifestMayNameSoonStays(t *testing.T) {
	file := filepath.Join(t.TempDir(), "000001.sst")
	require.NoError(t, os.WriteFile(file, []byte("a state file"), 0o600))
	d := checkpoints.NewMemDisk()
	s := open(t, d)
	require.NoError(t, s.Part(1, snapshot(1, 0)))
	require.NoError(t, s.Part(1, snapshot(1, 1)))
	ended, next := snapshot(0, 0), snapshot(2, 1)
	next.Files = []stream.StateFile{{Name: "1.sst", Path: file, Size: 12}}
	require.NoError(t, s.Part(stream.FinalPart, ended))
	require.NoError(t, s.Part(2, next))
	require.NoError(t, s.Complete(stream.Checkpoint{ID: 1}))
	require.NoError(t, s.Complete(stream.Checkpoint{ID: 2}))
	c, refused, err := open(t, d).Latest()
	require.NoError(t, err)
	require.Empty(t, refused)
	require.EqualValues(t, 2, c.ID)
	require.Equal(t, ended, c.Operators["assemble"][0])
	require.Equal(t, "a state file", string(c.Operators["assemble"][1].Files[0].Content))
}
