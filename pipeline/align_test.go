package pipeline_test

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gatewaymeter/engine"
	"gatewaymeter/gateway"
	"gatewaymeter/generator"
	watermarks "gatewaymeter/labs/05-watermarks/solution"
	"gatewaymeter/oracle"
	"gatewaymeter/pipeline"
	"gatewaymeter/stream"
)

// leads is what has been seen of the partitions of all source subtasks: how far one was ahead of the
// least of its subtask when it was read.
type leads struct {
	mu     sync.Mutex
	most   stream.Time
	paused int   // polls in which some partition had to wait
	broken []int // partitions that were read although they had to wait
}

// watched is the watermarks of one subtask with an observer beside it.
type watched struct {
	*watermarks.Splits
	seen *leads
	wait []int // what the last Paused said
}

func (w *watched) Paused() []int {
	w.wait = slices.Clone(w.Splits.Paused())
	w.seen.mu.Lock()
	defer w.seen.mu.Unlock()
	if len(w.wait) > 0 {
		w.seen.paused++
	}
	return w.wait
}

func (w *watched) Event(split int, t stream.Time) {
	w.Splits.Event(split, t)
	least, mine := stream.MaxTime, stream.NoTime
	for _, c := range w.Splits.Channels() {
		if c.Channel == split {
			mine = c.Watermark
		}
		if !c.Idle && !c.Ended && c.Watermark != stream.NoTime {
			least = min(least, c.Watermark)
		}
	}
	w.seen.mu.Lock()
	defer w.seen.mu.Unlock()
	w.seen.most = max(w.seen.most, mine-least)
	if slices.Contains(w.wait, split) {
		w.seen.broken = append(w.seen.broken, split)
	}
}

// observe makes the watermarks of a job, watched.
func observe(parts *engine.Parts, options ...watermarks.Option) *leads {
	seen := &leads{}
	parts.Watermarks = func() stream.SplitWatermarks {
		return &watched{Splits: watermarks.NewSplits(pipeline.Bound, options...), seen: seen}
	}
	return seen
}

// unequal is a log whose partition 0 gives a message at a time, and the others eight.
type unequal struct{ stream.Log }

const ahead = 8

func (l unequal) Fetch(partition int32, from int64, most int) ([]stream.Message, error) {
	if partition == 0 {
		return l.Log.Fetch(partition, from, min(most, 1))
	}
	return l.Log.Fetch(partition, from, min(most, ahead))
}

// largestStep is the most by which a poll can move a partition's watermark: by how much the highest
// timestamp rises within so many messages that follow each other in it.
func largestStep(t *testing.T, messages []stream.Message, decode func(stream.Message) (gateway.Event, error)) (step stream.Time) {
	t.Helper()
	highest := map[int32][]stream.Time{}
	for _, m := range messages {
		h := highest[m.Partition]
		at := stream.NoTime
		if n := len(h); n > 0 {
			at = h[n-1]
		}
		if e, err := decode(m); err == nil {
			at = max(at, stream.Time(e.TS))
		}
		highest[m.Partition] = append(h, at)
	}
	for _, h := range highest {
		for i := ahead; i < len(h); i++ {
			if h[i-ahead] != stream.NoTime {
				step = max(step, h[i]-h[i-ahead])
			}
		}
	}
	return step
}

// The partition that is read fastest is never further ahead of the slowest of its subtask than the drift
// and what one poll brings, in the whole job, under either driver; and the bill is what it is without.
func TestAlignmentBoundsTheDrift(t *testing.T) {
	const drift, partitions = 20 * time.Second, 4
	for driver, run := range drivers {
		for _, parallelism := range []int{1, 2} {
			for seed := range uint64(3) {
				t.Run(fmt.Sprintf("%s, parallelism %d, seed %d", driver, parallelism, seed), func(t *testing.T) {
					topic, _ := pipeline.Record(generator.Default(1500, seed), gateway.TopicEvents, partitions)
					aligned := alignedRun(t, run, topic, parallelism, seed, watermarks.WithAlignment(drift))
					_, functions, err := pipeline.Ours(6)
					require.NoError(t, err)
					bound := stream.Time(drift.Milliseconds()) + largestStep(t, topic.Messages(), functions.Decode)
					require.Empty(t, aligned.broken, "partitions that were read while they had to wait")
					require.LessOrEqual(t, aligned.most, bound)
					require.Greater(t, aligned.paused, 10, "nobody had to wait, so nothing was tested")

					free := alignedRun(t, run, topic, parallelism, seed)
					require.Zero(t, free.paused)
					require.Greater(t, free.most, 2*bound, "without alignment the drift was no greater, so nothing was tested")
				})
			}
		}
	}
}

// alignedRun runs stage 06 on an unequal log, holds it against the oracle, and says what was seen.
func alignedRun(t *testing.T, run func(pipeline.Config, uint64) (*engine.Result, error), topic *pipeline.Recorded, parallelism int, seed uint64, options ...watermarks.Option) *leads {
	t.Helper()
	const stage = 6
	parts, functions, err := pipeline.Ours(stage)
	require.NoError(t, err)
	seen := observe(&parts, options...)
	out := &pipeline.Output{}
	result, err := run(pipeline.Config{
		Stage: stage, Parallelism: parallelism, Parts: parts, Functions: functions, Sinks: out.Sinks(),
		Events: pipeline.Input{Splits: topic.Splits(), Every: 20, Log: func(subtask int) (stream.Log, error) {
			log, err := topic.Log(subtask)
			return unequal{log}, err
		}},
	}, seed)
	require.NoError(t, err)
	invoice, err := pipeline.Expect(stage, topic.Topic, topic.Messages())
	require.NoError(t, err)
	counts := pipeline.Count(stage, invoice, out, result)
	require.Empty(t, oracle.Table(pipeline.Verify(invoice, out, counts), 10))
	return seen
}

// Nobody waits for a partition that is empty or at its end, however small the drift: the job ends.
func TestAlignmentDoesNotWaitForWhoIsAtTheEnd(t *testing.T) {
	topic := pipeline.NewRecorded(gateway.TopicEvents, 4)
	short := 10 // messages of partition 2; partition 3 stays empty
	for m := range generator.New(generator.Default(300, 1)).All() {
		switch generator.PartitionOf(m.Key, 4) {
		case 2:
			if short--; short < 0 {
				continue
			}
		case 3:
			continue
		}
		topic.Append(m.Key, m.Value)
	}
	for driver, run := range drivers {
		paused := 0
		for _, parallelism := range []int{1, 2} {
			for seed := range uint64(5) {
				paused += alignedRun(t, run, topic, parallelism, seed, watermarks.WithAlignment(time.Millisecond)).paused
			}
		}
		require.Positive(t, paused, "%s driver: nobody ever waited", driver)
	}
}

// A partition stops, in a topic without an end. As long as it may come back, the others wait within the
// drift; once it is idle, they are read to their ends, and minutes close. (Flink: idle splits take no part
// in alignment.)
func TestAlignmentDoesNotWaitForWhoIsIdle(t *testing.T) {
	const drift = 10 * time.Second
	for seed := range uint64(5) {
		waits, read, total := followStopped(t, seed, watermarks.WithAlignment(drift))
		require.Less(t, read, total, "seed %d: nobody waited for the partition that had stopped", seed)
		require.Positive(t, waits.paused)

		idles, read, total := followStopped(t, seed, watermarks.WithAlignment(drift), watermarks.WithIdleness(time.Second))
		require.Equal(t, total, read, "seed %d: the others still wait for an idle partition", seed)
		require.Positive(t, idles.paused)
		require.Empty(t, idles.broken)
	}
}

// followStopped runs a job without an end for a while, on traffic of which partition 1 stops half way, and
// says how many messages it has read, of how many.
func followStopped(t *testing.T, seed uint64, options ...watermarks.Option) (seen *leads, read, total int64) {
	t.Helper()
	const stage, partitions, steps = 6, 3, 20_000
	topic := pipeline.NewRecorded(gateway.TopicEvents, partitions)
	for m := range pipeline.Stopped(generator.Default(400, seed), partitions, []int{1}) {
		topic.Append(m.Key, m.Value)
		total++
	}
	s, _ := endless(t, pipeline.Config{Stage: stage, Parallelism: 1, Events: pipeline.Input{Every: 20}}, topic, seed, func(p *engine.Parts) {
		seen = observe(p, options...)
	})
	for range steps {
		more, err := s.Step()
		require.NoError(t, err)
		require.True(t, more)
	}
	return seen, s.Result().Counters["gateway-source/events"], total
}
