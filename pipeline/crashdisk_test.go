package pipeline

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"gatewaymeter/gateway"
	checkpoints "gatewaymeter/labs/07-checkpoints/solution"
	"gatewaymeter/stream"
)

// Whichever operation of a checkpoint fails, the one before it is there afterwards, and the next one can
// be taken: also when nothing is left to remove it by.
func TestAFailedFileOperationCostsAtMostItsCheckpoint(t *testing.T) {
	for retain := 1; retain <= 2; retain++ {
		for failIn, failed := 1, true; failed; failIn++ {
			disk := &flakyDisk{Disk: checkpoints.NewMemDisk()}
			s, err := checkpoints.NewStore(disk, retain)
			require.NoError(t, err)
			require.NoError(t, takeCheckpoint(s, 1))
			disk.failIn = failIn
			least := int64(2)
			if err := takeCheckpoint(s, 2); err != nil {
				require.ErrorIs(t, err, errFailedWrite, "operation %d", failIn)
				require.NoError(t, s.Discard(2))
				least = 1
			}
			failed = disk.failed
			disk.failIn = 0
			latest, _, err := s.Latest()
			require.NoError(t, err)
			require.NotNil(t, latest, "%d retained, operation %d failed: no checkpoint is left", retain, failIn)
			require.GreaterOrEqual(t, latest.ID, least, "%d retained, operation %d", retain, failIn)
			require.NoError(t, takeCheckpoint(s, 3))
		}
	}
}

func takeCheckpoint(s *checkpoints.Store, id int64) error {
	part := stream.OperatorSnapshot{UID: "assemble", Parallelism: 1, MaxGroups: 1, Groups: []stream.GroupSnapshot{{Bytes: []byte("open")}}}
	if err := s.Part(id, part); err != nil {
		return err
	}
	return s.Complete(stream.Checkpoint{ID: id})
}

func TestAFailedWriteIsHalf(t *testing.T) {
	disk := &flakyDisk{Disk: checkpoints.NewMemDisk()}
	f, err := disk.Create("part")
	require.NoError(t, err)
	disk.failIn = 1
	n, err := f.Write([]byte("12345678"))
	require.ErrorIs(t, err, errFailedWrite)
	require.Equal(t, 4, n)
	content, err := disk.ReadFile("part")
	require.NoError(t, err)
	require.Equal(t, "1234", string(content))
	require.NoError(t, f.Sync(), "it fails once")
}

// What stands in a buffer is not outside, until the flush or until enough has gathered.
func TestABufferedSinkWritesWhenItIsFlushed(t *testing.T) {
	out := &Output{}
	s := buffered(out.Sinks()).Invoice()
	require.NoError(t, s.Open(nil))
	write := func(n int) {
		for range n {
			require.NoError(t, s.Write(nil, gateway.TenantWindow{}))
		}
	}
	write(enough - 1)
	require.Empty(t, out.Invoice)
	require.NoError(t, s.Flush()())
	require.Len(t, out.Invoice, enough-1)
	write(enough + 2)
	require.Len(t, out.Invoice, 2*enough-1)
	require.NoError(t, errors.Join(s.Flush()(), s.Flush()()))
	require.Len(t, out.Invoice, 2*enough+1, "and what was flushed is not written again")
}
