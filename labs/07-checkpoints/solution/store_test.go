package checkpoints

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

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
func take(s *Store, id int64) error {
	for subtask := range 2 {
		if err := s.Part(id, snapshot(id, subtask)); err != nil {
			return err
		}
	}
	return s.Complete(stream.Checkpoint{ID: id, Job: "test", Created: 7})
}

func open(t *testing.T, d Disk) *Store {
	t.Helper()
	s, err := NewStore(d, 1)
	require.NoError(t, err)
	return s
}

func TestLatestGivesBackWhatWasStored(t *testing.T) {
	for name, disk := range map[string]Disk{"memory": NewMemDisk(), "machine": OSDisk{t.TempDir()}} {
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

// A power cut between any two file operations, with any outcome for what was not synced, leaves the
// last complete checkpoint, or the one that was being completed, and nothing damaged in their place.
func TestPowerCutAtEveryOperation(t *testing.T) {
	whole := NewMemDisk()
	require.NoError(t, take(open(t, whole), 1))
	before := whole.Ops()
	require.NoError(t, take(open(t, whole), 2))
	operations := whole.Ops() - before
	require.Greater(t, operations, 10)
	for cut := 1; cut <= operations+1; cut++ {
		for seed := range uint64(20) {
			d := NewMemDisk()
			s := open(t, d)
			require.NoError(t, take(s, 1))
			d.CutPowerAt(cut)
			err := take(s, 2)
			if cut <= operations {
				require.ErrorIs(t, err, ErrPowerCut, "the fault fired")
			}
			c, refused, lost := open(t, d.Restart(seed)).Latest()
			require.NoError(t, lost)
			require.NotNil(t, c, "cut before operation %d, seed %d: no checkpoint is left; refused: %v", cut, seed, refused)
			require.Equal(t, []stream.OperatorSnapshot{snapshot(c.ID, 0), snapshot(c.ID, 1)}, c.Operators["assemble"])
			if err == nil {
				require.EqualValues(t, 2, c.ID, "Complete had returned")
			}
		}
	}
}
