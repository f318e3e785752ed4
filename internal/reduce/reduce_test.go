package reduce_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"gatewaymeter/gateway"
	"gatewaymeter/generator"
	"gatewaymeter/internal/planted"
	"gatewaymeter/internal/reduce"
	"gatewaymeter/internal/replay"
	"gatewaymeter/pipeline"
	"gatewaymeter/stream"
	"gatewaymeter/todo"
)

// bugs are what the reducer is tried on: each with the stage, and how many messages show it.
var bugs = map[string]struct {
	stage, most int
	maker       replay.Maker
}{
	"duplicates pass":                  {6, 3, planted.WithoutDedupe()},
	"a valve that follows the fastest": {5, 8, planted.FastestValve()},
	"errors are free": {4, 2, planted.Assemble(func() func(gateway.Event, func(gateway.Event) error) error {
		return func(e gateway.Event, pass func(gateway.Event) error) error {
			if e.Status != "" && e.Status != "ok" {
				e.CompletionTokens = 0
			}
			return pass(e)
		}
	})},
	"the fifth request of a subtask is lost": {6, 6, planted.Assemble(func() func(gateway.Event, func(gateway.Event) error) error {
		seen := 0
		return func(e gateway.Event, pass func(gateway.Event) error) error {
			if seen++; seen == 5 {
				return nil
			}
			return pass(e)
		}
	})},
	"a panic": {3, 1, planted.Decode(func(right func(stream.Message) (gateway.Event, error), m stream.Message) (gateway.Event, error) {
		e, err := right(m)
		if e.PromptTokens > 7000 {
			panic("too many tokens")
		}
		return e, err
	})},
}

func config(stage int, maker replay.Maker) reduce.Config {
	traffic := replay.DefaultTraffic(2000, 1)
	messages, _ := traffic.Messages()
	p := traffic.Params()
	return reduce.Config{
		Job:   replay.Job{Stage: stage, Parallelism: 3, Partitions: 7, Backend: "pebble", Schedule: 1},
		Maker: maker, Messages: messages, Bound: p.Bound, Within: p.DuplicateWithin, Schedules: 20,
	}
}

// TestReduce: of 4,000 messages a handful is left, which fail in the same way, read back from their file
// too; the job without the bug passes on them.
func TestReduce(t *testing.T) {
	for name, bug := range bugs {
		t.Run(name, func(t *testing.T) {
			cfg := config(bug.stage, bug.maker)
			r, err := reduce.Run(t.Context(), cfg)
			require.NoError(t, err)
			t.Logf("%v\n%s\n%s", r, r.Outcome.Way(), r.Recording().Text())
			require.LessOrEqual(t, len(r.Messages), bug.most)
			require.Less(t, r.Runs, 200, "each takes milliseconds")
			require.Equal(t, r.Original.Way(), r.Outcome.Way())
			require.NoError(t, generator.Check(r.Messages, cfg.Bound, cfg.Within))
			require.Equal(t, "heap", r.Job.Backend, "the simplest job that fails")

			again, err := replay.Parse(r.Recording().Text())
			require.NoError(t, err)
			require.Equal(t, r.Messages, again.Messages)
			o, err := again.Job.RunMessages(cfg.Maker, again.Messages)
			require.NoError(t, err)
			require.Equal(t, r.Outcome.First(), o.First())
			sound, err := again.Job.RunMessages(pipeline.Ours, again.Messages)
			require.NoError(t, err)
			require.True(t, sound.OK(), "the sound engine passes on the same messages: %s", sound.First())
		})
	}
}

func TestNothingToReduce(t *testing.T) {
	cfg := config(6, pipeline.Ours)
	cfg.Schedules = 2
	_, err := reduce.Run(t.Context(), cfg)
	require.ErrorIs(t, err, reduce.ErrMatches)
}

// TestSoundOnWhateverIsLeftOut: any part of the traffic that follows the rules is billed as the oracle
// says. Else the reducer could end at messages on which the sound engine fails, too.
func TestSoundOnWhateverIsLeftOut(t *testing.T) {
	rng := newRand(t)
	for range 40 {
		traffic := replay.DefaultTraffic(150, rng.Uint64())
		traffic.Duplicates, traffic.Lag = 0.5, 0.1
		all, _ := traffic.Messages()
		p := traffic.Params()
		var part []generator.Message
		for _, m := range all {
			if rng.IntN(3) > 0 {
				continue
			}
			if with := append(part[:len(part):len(part)], m); generator.Check(with, p.Bound, p.DuplicateWithin) == nil {
				part = with
			}
		}
		job := replay.Job{Stage: 4 + rng.IntN(4), Parallelism: 1 + rng.IntN(3), Partitions: 1 + rng.IntN(3), Backend: "heap", Schedule: rng.Uint64()}
		o, err := job.RunMessages(pipeline.Ours, part)
		require.NoError(t, err)
		require.True(t, o.OK(), "%s\n%s", o.First(), (&replay.Recording{Job: job, Messages: part}).Text())
	}
}

func TestUnwrittenIsNoFailure(t *testing.T) {
	cfg := config(3, planted.Decode(func(func(stream.Message) (gateway.Event, error), stream.Message) (gateway.Event, error) {
		panic(todo.Exercise("1a"))
	}))
	_, err := reduce.Run(t.Context(), cfg)
	e, ok := todo.Of(err)
	require.True(t, ok, "%v", err)
	require.Equal(t, "1a", e.Exercise)
}

func TestReduceStops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cfg := config(6, planted.WithoutDedupe())
	cfg.Progress = func(messages, _ int) {
		if messages < 1000 {
			cancel()
		}
	}
	_, err := reduce.Run(ctx, cfg)
	require.ErrorIs(t, err, context.Canceled)
}

// A run over much traffic takes long: it is not waited for.
func TestReduceStopsInTheMiddleOfARun(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	decoded := 0
	_, err := reduce.Run(ctx, config(6, planted.Decode(func(right func(stream.Message) (gateway.Event, error), m stream.Message) (gateway.Event, error) {
		if decoded++; decoded == 10 {
			cancel()
		}
		return right(m)
	})))
	require.ErrorIs(t, err, context.Canceled)
	require.Less(t, decoded, 100, "of some 4,000 messages")
}
