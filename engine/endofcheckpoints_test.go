package engine_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"gatewaymeter/engine"
	checkpoints "gatewaymeter/labs/07-checkpoints/solution"
	"gatewaymeter/stream"
)

// noticing tells of the first part that is stored.
type noticing struct {
	stream.CheckpointStore
	first chan int64
}

func (s noticing) Part(checkpoint int64, part stream.OperatorSnapshot) error {
	err := s.CheckpointStore.Part(checkpoint, part)
	select {
	case s.first <- checkpoint:
	default:
	}
	return err
}

// patient takes no checkpoint before the function is stuck: else a source that starts late sends the barrier
// before its element, and the checkpoint is complete.
type patient struct {
	stream.Coordinator
	stuck *atomic.Bool
}

func (c patient) Tick(now stream.Time) stream.Decision {
	if !c.stuck.Load() {
		return stream.Decision{}
	}
	return c.Coordinator.Tick(now)
}

// stuck handles nothing until a part is stored, and then fails: its own part will never be there.
type stuck struct {
	summing
	begun *atomic.Bool
	first chan int64
	disk  checkpoints.Disk
	parts *int // of the source, on the disk when it fails
}

var errStuck = errors.New("failed by order of the test")

func (f *stuck) ProcessElement(*stream.Context, word, stream.Collector[word]) error {
	f.begun.Store(true)
	<-f.first
	names, err := f.disk.List("chk-000001")
	*f.parts = len(names)
	return errors.Join(errStuck, err)
}

// takesParts is testParts with checkpoints.
func takesParts() engine.Parts {
	p := testParts()
	p.Aligner, p.Coordinator, p.Match = checkpoints.NewAligner, checkpoints.NewCoordinator, checkpoints.Match
	return p
}

// A checkpoint that is pending when the job ends can never become complete: nothing of it stays.
func TestNothingStaysOfAPendingCheckpoint(t *testing.T) {
	disk := checkpoints.NewMemDisk()
	store, err := checkpoints.NewStore(disk, 2)
	require.NoError(t, err)
	first, stored := make(chan int64, 1), 0
	var begun atomic.Bool
	parts := takesParts()
	parts.Coordinator = func(cfg stream.Checkpointing, tasks int) stream.Coordinator {
		return patient{checkpoints.NewCoordinator(cfg, tasks), &begun}
	}
	j := engine.NewJob("failing", parts, 1)
	s := engine.From(j, "numbers", func() stream.Source[word] {
		return &numbers{total: 1, keys: 1, stall: true}
	})
	out := engine.ProcessKeyed(keyBy(s, keyOfWord), "sum", func() stream.KeyedFunction[word, word] {
		return &stuck{begun: &begun, first: first, disk: disk, parts: &stored}
	})
	engine.SinkTo(out, "sink", (&results{}).sink)
	_, err = j.Run(t.Context(), engine.Options{
		Checkpoints:  &engine.Checkpoints{Store: noticing{store, first}, Config: stream.Checkpointing{Interval: 1}},
		OnCheckpoint: func(c engine.CheckpointReport) { t.Errorf("checkpoint %d has come to an end", c.ID) },
	})
	require.ErrorIs(t, err, errStuck)
	require.Equal(t, 1, stored, "the source's part was there")
	names, err := disk.List("chk-000001")
	require.NoError(t, err)
	require.Empty(t, names)
}

// ending ends the job as soon as a checkpoint is complete, before anybody has heard of it.
type ending struct {
	stream.CheckpointStore
	end func()
}

func (s ending) Complete(c stream.Checkpoint) error {
	defer s.end()
	return s.CheckpointStore.Complete(c)
}

// One whose manifest is in place stays, and is told of, whatever ends the job at that moment.
func TestACheckpointThatIsCompleteAtTheEndStays(t *testing.T) {
	store, err := checkpoints.NewStore(checkpoints.NewMemDisk(), 2)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	j := engine.NewJob("cancelled", takesParts(), 1)
	s := engine.From(j, "numbers", func() stream.Source[word] { return &numbers{total: 1, keys: 1, stall: true} })
	engine.SinkTo(s, "sink", (&results{}).sink)
	var told []engine.CheckpointReport
	_, err = j.Run(ctx, engine.Options{
		Checkpoints:  &engine.Checkpoints{Store: ending{store, cancel}, Config: stream.Checkpointing{Interval: 1}},
		OnCheckpoint: func(c engine.CheckpointReport) { told = append(told, c) },
	})
	require.ErrorIs(t, err, context.Canceled)
	require.Len(t, told, 1)
	require.NoError(t, told[0].Err)
	require.Positive(t, told[0].Bytes)
	latest, refused, err := store.Latest()
	require.NoError(t, err)
	require.Empty(t, refused)
	require.Equal(t, told[0].ID, latest.ID)
}

// unwritable cannot write a manifest, and tells of what is thrown away.
type unwritable struct {
	stream.CheckpointStore
	discarded *[]int64
}

var errUnwritable = errors.New("the manifest cannot be written")

func (unwritable) Complete(stream.Checkpoint) error { return errUnwritable }

func (s unwritable) Discard(checkpoint int64) error {
	*s.discarded = append(*s.discarded, checkpoint)
	return s.CheckpointStore.Discard(checkpoint)
}

// told is a source that is told of complete checkpoints.
type told struct {
	numbers
	complete *[]int64
}

func (s *told) CheckpointComplete(checkpoint int64) error {
	*s.complete = append(*s.complete, checkpoint)
	return nil
}

// All parts are stored, and the manifest is not: nobody is told that the checkpoint is complete, its parts
// go, and the job fails if no failure is tolerated.
func TestWithoutAManifestACheckpointHasFailed(t *testing.T) {
	store, err := checkpoints.NewStore(checkpoints.NewMemDisk(), 2)
	require.NoError(t, err)
	var complete, discarded []int64
	var reports []engine.CheckpointReport
	j := engine.NewJob("unwritable", takesParts(), 1)
	s := engine.From(j, "numbers", func() stream.Source[word] {
		return &told{numbers: numbers{total: 1, keys: 1, stall: true}, complete: &complete}
	})
	engine.SinkTo(s, "sink", (&results{}).sink)
	_, err = j.Run(t.Context(), engine.Options{
		Checkpoints:  &engine.Checkpoints{Store: unwritable{store, &discarded}, Config: stream.Checkpointing{Interval: 1}},
		OnCheckpoint: func(c engine.CheckpointReport) { reports = append(reports, c) },
	})
	require.ErrorIs(t, err, errUnwritable)
	require.ErrorContains(t, err, "checkpoint 1 failed")
	require.Empty(t, complete)
	require.Len(t, reports, 1)
	require.ErrorIs(t, reports[0].Err, errUnwritable)
	require.Contains(t, discarded, int64(1))
}
