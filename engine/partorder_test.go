package engine_test

import (
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"gatewaymeter/engine"
	checkpoints "gatewaymeter/labs/07-checkpoints/solution"
	"gatewaymeter/stream"
)

// slowStore takes its time with the source's part of a checkpoint: until the end of the input has come
// through the job.
type slowStore struct {
	stream.CheckpointStore
	begun   atomic.Bool   // with that part
	through chan struct{} // closed when the end has come through

	mu     sync.Mutex
	stored []int64 // of the source, in this order
}

func (s *slowStore) Part(checkpoint int64, part stream.OperatorSnapshot) error {
	if part.UID != "numbers" {
		return s.CheckpointStore.Part(checkpoint, part)
	}
	if checkpoint != stream.FinalPart {
		s.begun.Store(true)
		<-s.through
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stored = append(s.stored, checkpoint)
	return s.CheckpointStore.Part(checkpoint, part)
}

// untilStored ends when its part of a checkpoint is being stored.
type untilStored struct {
	numbers
	store *slowStore
}

func (s *untilStored) Poll(c *stream.Context, max int, out stream.SourceOutput[word]) (stream.Progress, error) {
	s.stall = !s.store.begun.Load()
	return s.numbers.Poll(c, max, out)
}

// seeingTheEnd tells when the end of its input has come.
type seeingTheEnd struct {
	summing
	through chan struct{}
}

func (f *seeingTheEnd) Finish(*stream.Context, stream.Collector[word]) error {
	close(f.through)
	return nil
}

// The final state of a subtask stands in for parts that it has not stored. So it must not overtake one that
// is being stored: the checkpoint would hold the source of a later moment than the others.
func TestAnEndDoesNotOvertakeAPart(t *testing.T) {
	for range 5 {
		disk, err := checkpoints.NewStore(checkpoints.NewMemDisk(), 2)
		require.NoError(t, err)
		store := &slowStore{CheckpointStore: disk, through: make(chan struct{})}
		j := engine.NewJob("ending", takesParts(), 1)
		s := engine.From(j, "numbers", func() stream.Source[word] {
			return &untilStored{numbers: numbers{total: 1, keys: 1}, store: store}
		})
		out := engine.ProcessKeyed(keyBy(s, keyOfWord), "sum", func() stream.KeyedFunction[word, word] {
			return &seeingTheEnd{through: store.through}
		})
		engine.SinkTo(out, "sink", (&results{}).sink)
		_, err = j.Run(t.Context(), engine.Options{
			Checkpoints: &engine.Checkpoints{Store: store, Config: stream.Checkpointing{Interval: 1}},
		})
		require.NoError(t, err)
		require.Equal(t, []int64{1, stream.FinalPart}, store.stored)
	}
}

// The end of an input is its barrier: the task that had only waited for that one takes its part at once.
func TestAnEndCompletesAnAlignment(t *testing.T) {
	u, err := engine.NewKeyedUnit(engine.UnitConfig{Parts: takesParts(), UID: "sum", Parallelism: 1, Clock: &engine.ManualClock{}, Inputs: 2},
		keyOfWord, &summing{}, func(stream.Record[word]) {})
	require.NoError(t, err)
	require.NoError(t, u.Control(0, stream.Control{Kind: stream.Barrier, Checkpoint: 1}))
	require.Equal(t, []bool{true, false}, u.Blocked())
	require.Empty(t, u.Acks())
	require.NoError(t, u.Control(1, stream.Control{Kind: stream.EndOfInput}))
	acks := u.Acks()
	require.Len(t, acks, 1)
	require.EqualValues(t, 1, acks[0].Checkpoint)
	require.Equal(t, []bool{false, false}, u.Blocked())
	require.NoError(t, u.Close())
}
