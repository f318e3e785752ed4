package engine

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"gatewaymeter/stream"
)

// plain is a backend without state.
type plain struct{ stream.Backend }

func (plain) Snapshot(int, []byte) ([]byte, error) { return []byte("state"), nil }
func (plain) Close() error                         { return nil }

// filing is one that has its snapshots in files too.
type filing struct {
	plain
	released, restored int
}

func (f *filing) SnapshotFiles() ([]stream.StateFile, func(), error) {
	return []stream.StateFile{{Name: "1"}}, func() { f.released++ }, nil
}

func (f *filing) RestoreFiles([]stream.StateFile) error {
	f.restored++
	return nil
}

// both completes a checkpoint when its barrier has come on two inputs.
type both struct {
	stream.Aligner
	seen int
}

func (b *both) Barrier(_ int, checkpoint int64) (out stream.Alignment) {
	if checkpoint == 5 {
		b.seen++
	}
	if b.seen == 2 {
		out.Complete = 5
	}
	return out
}

// full is a store that has no room.
type full struct{ stream.CheckpointStore }

var errFull = errors.New("no room")

func (full) Part(int64, stream.OperatorSnapshot) error { return errFull }

// oneGroupEach gives each subtask a group of its own.
type oneGroupEach struct{}

func (oneGroupEach) Max() int                               { return 2 }
func (oneGroupEach) Of(int32) int                           { return 0 }
func (oneGroupEach) Owner(group, _ int) int                 { return group }
func (oneGroupEach) Range(subtask, _ int) (first, last int) { return subtask, subtask }

// nothing is a keyed function.
type nothing struct{}

func (nothing) Open(*stream.Context) error                                             { return nil }
func (nothing) ProcessElement(*stream.Context, string, stream.Collector[string]) error { return nil }

// newFilingUnit is the first subtask of two.
func newFilingUnit(t *testing.T, backend stream.Backend, restore ...OperatorSnapshot) (*Unit, error) {
	u, err := NewKeyedUnit(UnitConfig{
		Parts: Parts{Groups: oneGroupEach{}, Backend: func(Subtask) (stream.Backend, error) { return backend, nil }},
		UID:   "op", Parallelism: 2, Clock: &ManualClock{}, Restore: restore,
	}, func(s string) string { return s }, nothing{}, func(stream.Record[string]) {})
	return u, err
}

// The flag of a savepoint's barrier is on the barrier that an aligned task takes its snapshot for: its
// state is by key group then, and files otherwise. A late barrier of an older checkpoint changes nothing.
func TestSavepointBehindAnAlignment(t *testing.T) {
	for _, savepoint := range []bool{false, true} {
		u, err := newFilingUnit(t, &filing{})
		require.NoError(t, err)
		u.task.aligner = &both{}
		barrier := stream.Control{Kind: stream.Barrier, Checkpoint: 5, Savepoint: savepoint}
		require.NoError(t, u.task.barrier(0, barrier))
		require.NoError(t, u.task.barrier(1, stream.Control{Kind: stream.Barrier, Checkpoint: 4, Savepoint: !savepoint}))
		require.Empty(t, u.task.TakeAcks())
		require.NoError(t, u.task.barrier(1, barrier))
		acks := u.task.TakeAcks()
		require.Len(t, acks, 1)
		require.Equal(t, savepoint, acks[0].Operators[0].Files == nil)
	}
}

// State files are given back when the store has them, or has refused them.
func TestFilesAreGivenBack(t *testing.T) {
	backend := &filing{}
	u, err := newFilingUnit(t, backend)
	require.NoError(t, err)
	_, err = u.Part(full{}, 1)
	require.ErrorIs(t, err, errFull)
	require.Equal(t, 1, backend.released)
}

// A subtask reads the files of those old subtasks that had groups of its own, and a backend that has none
// says what to do.
func TestRestoreOfFiles(t *testing.T) {
	files := func(subtask int) OperatorSnapshot {
		return OperatorSnapshot{UID: "op", Subtask: subtask, Parallelism: 2, MaxGroups: 2, Files: []stream.StateFile{{Name: "1"}}}
	}
	backend := &filing{}
	_, err := newFilingUnit(t, backend, files(0), files(1))
	require.NoError(t, err)
	require.Equal(t, 1, backend.restored)
	_, err = newFilingUnit(t, plain{}, files(0))
	require.ErrorContains(t, err, `restore with the backend that took the checkpoint (--backend pebble)`)
}
