package pipeline_test

import (
	"fmt"
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

// Partitions that fall silent, in a whole job under the simulated driver.

const silent = 1 // the partition that does

// TestAPartitionStopsForAnHourAndComesBack: partition 1 of three hangs when it is half through; the others
// go on for what is left of two hours, and are read to their ends. Then it comes back with its backlog.
// Without idleness time has waited for it, and the bill is exact. With idleness it has not: minutes were
// billed meanwhile, and what comes back is in its window or in topic late, once; nothing is lost.
func TestAPartitionStopsForAnHourAndComesBack(t *testing.T) {
	for seed := range uint64(3) {
		waited := newHour(t, seed)
		waited.run(t, "every message of the others is read", func() bool { return waited.read() == int64(waited.before) })
		closed := len(waited.out.Invoice)
		waited.resume()
		counts := waited.finish(t, seed, nil)
		require.Zero(t, counts.Late, "seed %d", seed)
		all := len(waited.out.Invoice)
		require.Less(t, closed, all*2/3, "seed %d: minutes closed without the partition that hangs", seed)

		idle := newHour(t, seed, watermarks.WithIdleness(time.Second))
		idle.run(t, "the partition is idle, and the minutes of the others have closed", func() bool {
			return idle.read() == int64(idle.before) && len(idle.out.Invoice) > all*3/4
		})
		idle.resume()
		counts = idle.finish(t, seed, map[int32]int64{silent: idle.resumed})
		require.Positive(t, counts.Late, "seed %d: nothing of an hour's backlog was late, so nothing was tested", seed)
	}
}

// hour is a job on a topic of which one partition hangs half way.
type hour struct {
	topic    *pipeline.Recorded
	withheld []generator.Message
	before   int   // messages that are there at first
	resumed  int64 // where the partition goes on
	out      *pipeline.Output
	sim      *engine.Simulation
}

func newHour(t *testing.T, seed uint64, options ...watermarks.Option) *hour {
	t.Helper()
	const stage, partitions = 5, 3
	p := generator.Default(1200, seed)
	p.Span = 2 * time.Hour
	whole, _ := pipeline.Record(p, gateway.TopicEvents, partitions)
	h := &hour{topic: pipeline.NewRecorded(gateway.TopicEvents, partitions), out: &pipeline.Output{}}
	h.resumed = whole.Splits()[silent].Stop / 2
	next := int64(0)
	for m := range generator.New(p).All() {
		if generator.PartitionOf(m.Key, partitions) == silent {
			if next++; next > h.resumed {
				h.withheld = append(h.withheld, m)
				continue
			}
		}
		h.topic.Append(m.Key, m.Value)
		h.before++
	}
	parts, functions, err := pipeline.Ours(stage)
	require.NoError(t, err)
	pipeline.WithWatermarks(&parts, options...)
	j, err := pipeline.Build(pipeline.Config{
		Stage: stage, Parallelism: 2, Parts: parts, Functions: functions, Sinks: h.out.Sinks(),
		Events: pipeline.Input{Splits: whole.Splits(), Log: h.topic.Log, Every: 20}, // each ends where it will end
	})
	require.NoError(t, err)
	h.sim, err = engine.NewSimulation(j, engine.SimOptions{Seed: seed})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, h.sim.Close()) })
	return h
}

func (h *hour) read() int64 { return h.sim.Result().Counters["gateway-source/events"] }

// run lets the job go on until something holds.
func (h *hour) run(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for step := range 100_000 {
		if step%100 == 0 && holds() {
			return
		}
		more, err := h.sim.Step()
		require.NoError(t, err)
		require.True(t, more, "the job has ended before: %s", what)
	}
	require.Fail(t, "this does not come about: "+what, "read %d of %d, %d minutes billed", h.read(), h.before, len(h.out.Invoice))
}

// resume writes what was withheld.
func (h *hour) resume() {
	for _, m := range h.withheld {
		h.topic.Append(m.Key, m.Value)
	}
}

// finish runs the job to its end and holds it against the oracle, which knows where a partition resumed.
func (h *hour) finish(t *testing.T, seed uint64, resumed map[int32]int64) oracle.Counts {
	t.Helper()
	require.NoError(t, h.sim.Run())
	invoice, err := oracle.Expect(pipeline.OracleLog(h.topic.Messages()), oracle.Options{
		Stage: 5, Bound: pipeline.Bound.Milliseconds(), Lateness: pipeline.Lateness.Milliseconds(), Resumed: resumed,
	})
	require.NoError(t, err)
	counts := pipeline.Count(5, invoice, h.out, h.sim.Result())
	require.Empty(t, oracle.Table(pipeline.Verify(invoice, h.out, counts), 10), "seed %d", seed)
	return counts
}

// FLINK-8001: a subtask without partitions is idle. It neither holds time back, so that no minute would
// close, nor has it come to an end, which would end time for all as soon as the one partition is idle too
// (FLINK-38477). The topic has one partition and no end; it falls silent, and comes back.
func TestSubtasksWithoutPartitionsAreIdle(t *testing.T) {
	whole, _ := pipeline.Record(generator.Default(600, 1), gateway.TopicEvents, 1)
	messages := whole.Messages()
	topic := pipeline.NewRecorded(gateway.TopicEvents, 1)
	write := func(messages []stream.Message) {
		for _, m := range messages {
			topic.Append(m.Key, m.Value)
		}
	}
	write(messages[:600])
	s, out := endless(t, pipeline.Config{Stage: 5, Parallelism: 3, Events: pipeline.Input{Every: 20}}, topic, 1, func(p *engine.Parts) {
		pipeline.WithWatermarks(p, watermarks.WithIdleness(time.Second))
	})
	run := func() {
		for range 3000 {
			_, err := s.Step()
			require.NoError(t, err)
		}
		for _, m := range s.Result().Tasks {
			require.Less(t, m.Watermark, stream.MaxTime, "%s, subtask %d: time has ended", m.Task, m.Subtask)
			for _, c := range m.Channels {
				require.True(t, c.Idle, "%s, subtask %d: %+v", m.Task, m.Subtask, c)
			}
		}
	}
	run()
	closed := len(out.Invoice)
	require.Greater(t, closed, 100, "no minute closes")
	write(messages[600:])
	run()
	require.Greater(t, len(out.Invoice), closed)
	require.Zero(t, len(out.Late))
}

// FLINK-36875, which is about timers that are not done when a watermark goes on: a storm of them fires in
// slices of 1,024, and the watermark waits for the last. Each record that a timer emits here belongs to a
// minute that this same watermark closes: were it a slice early, the rest would be late.
func TestAWatermarkWaitsForTheLastSliceOfTimers(t *testing.T) {
	const requests, start = 5000, 1_700_000_040_000
	for seed := range uint64(5) {
		topic := pipeline.NewRecorded(gateway.TopicEvents, 1)
		for i := range requests {
			topic.Append(message(startedAt(i, start)))
		}
		parts, functions, err := pipeline.Ours(6)
		require.NoError(t, err)
		out := &pipeline.Output{}
		result, err := pipeline.Simulate(pipeline.Config{
			Stage: 6, Parallelism: 1, Parts: parts, Functions: functions, Sinks: out.Sinks(),
			Events: pipeline.Input{Splits: topic.Splits(), Log: topic.Log},
		}, seed)
		require.NoError(t, err)
		require.Zero(t, len(out.Late), "seed %d", seed)
		require.Len(t, out.Invoice, 1, "seed %d", seed)
		require.EqualValues(t, requests, out.Invoice[0].Requests, "seed %d", seed)
		require.Zero(t, result.Timers)
	}
}

// What a partition has never had does not stop a bill: an empty one is at its end, and not waited for.
func TestAnEmptyPartitionStopsNothing(t *testing.T) {
	for _, partitions := range []int{2, 7} {
		topic := pipeline.NewRecorded(gateway.TopicEvents, partitions)
		for m := range generator.New(generator.Default(300, 1)).All() {
			if generator.PartitionOf(m.Key, partitions) != 0 {
				topic.Append(m.Key, m.Value)
			}
		}
		require.Zero(t, topic.Splits()[0].Stop)
		parts, functions, err := pipeline.Ours(6)
		require.NoError(t, err)
		out := &pipeline.Output{}
		result, err := pipeline.Simulate(pipeline.Config{
			Stage: 6, Parallelism: 3, Parts: parts, Functions: functions, Sinks: out.Sinks(),
			Events: pipeline.Input{Splits: topic.Splits(), Log: topic.Log, Every: 20},
		}, 1)
		require.NoError(t, err)
		invoice, err := pipeline.Expect(6, topic.Topic, topic.Messages())
		require.NoError(t, err)
		require.Empty(t, oracle.Table(pipeline.Verify(invoice, out, pipeline.Count(6, invoice, out, result)), 10), fmt.Sprint(partitions))
	}
}
