package engine_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gatewaymeter/engine"
	checkpoints "gatewaymeter/labs/07-checkpoints/solution"
	"gatewaymeter/stream"
)

// dying is a function that fails once, after so many elements, when a checkpoint is there.
type dying struct {
	summing
	died  *atomic.Bool
	ready func() bool
}

var errDied = errors.New("died by order of the test")

func (f *dying) ProcessElement(c *stream.Context, w word, out stream.Collector[word]) error {
	if f.ready() && f.died.CompareAndSwap(false, true) {
		return errDied
	}
	return f.summing.ProcessElement(c, w, out)
}

// counted is numbers with its position as operator state, so that a restored one goes on.
type counted struct {
	numbers
	at   stream.List[int64]
	gate func() bool // false: wait
}

func (s *counted) Open(c *stream.Context) error {
	if err := s.numbers.Open(c); err != nil {
		return err
	}
	s.at = stream.NewOperatorList(c, "at", stream.Int64, stream.EvenSplit)
	for at := range s.at.All() {
		s.next = int(at)
	}
	return nil
}

func (s *counted) Snapshot(*stream.Context) error {
	s.at.Update([]int64{int64(s.next)})
	return nil
}

func (s *counted) Poll(c *stream.Context, max int, out stream.SourceOutput[word]) (stream.Progress, error) {
	if s.next > s.total/2 && !s.gate() {
		return stream.Waiting, nil
	}
	return s.numbers.Poll(c, max, out)
}

func TestLiveJobComesBackFromItsCheckpoint(t *testing.T) {
	parts := testParts()
	parts.Aligner, parts.Coordinator, parts.Match = checkpoints.NewAligner, checkpoints.NewCoordinator, checkpoints.Match
	const total = 20000
	var died, complete atomic.Bool
	r := &results{}
	j := engine.NewJob("recovering", parts, 3)
	s := engine.From(j, "numbers", func() stream.Source[word] {
		return &counted{numbers: numbers{total: total, keys: 10}, gate: complete.Load}
	})
	out := engine.ProcessKeyed(keyBy(s, keyOfWord), "sum", func() stream.KeyedFunction[word, word] {
		return &dying{died: &died, ready: complete.Load}
	})
	engine.SinkTo(out, "sink", r.sink)

	disk := checkpoints.NewMemDisk()
	var starts []*stream.Checkpoint
	var after []error
	result, err := j.RunWithRecovery(context.Background(), engine.Options{
		OnCheckpoint: func(c engine.CheckpointReport) {
			if c.Err == nil {
				complete.Store(true)
			}
		},
	}, engine.Recovery{
		Backoff:       engine.FixedDelay(1, time.Millisecond),
		Open:          func() (stream.CheckpointStore, error) { return checkpoints.NewStore(disk, 2) },
		Checkpointing: stream.Checkpointing{Interval: 20},
		OnStart: func(from *stream.Checkpoint, _ []error, failure error) {
			starts, after = append(starts, from), append(after, failure)
		},
	})
	require.NoError(t, err)
	require.True(t, died.Load(), "the fault fired")
	require.Len(t, starts, 2)
	require.Nil(t, starts[0])
	require.NotNil(t, starts[1], "the second start is from a checkpoint")
	require.ErrorIs(t, after[1], errDied)
	require.Equal(t, wantSums(total), r.last, "every number counts once in the state")
	require.Equal(t, 10, result.Entries["sum/sum"])
}

func TestBackoffs(t *testing.T) {
	_, again := engine.NoRestart(1)
	require.False(t, again)
	wait, again := engine.FixedDelay(2, time.Second)(2)
	require.True(t, again)
	require.Equal(t, time.Second, wait)
	_, again = engine.FixedDelay(2, time.Second)(3)
	require.False(t, again)
	var waits []time.Duration
	for n := 1; n <= 5; n++ {
		wait, again := engine.ExponentialDelay(time.Second, 5*time.Second)(n)
		require.True(t, again)
		waits = append(waits, wait)
	}
	require.Equal(t, []time.Duration{time.Second, 2 * time.Second, 4 * time.Second, 5 * time.Second, 5 * time.Second}, waits)
}
