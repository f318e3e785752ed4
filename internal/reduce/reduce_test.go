package reduce_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gatewaymeter/engine"
	"gatewaymeter/gateway"
	"gatewaymeter/generator"
	"gatewaymeter/internal/reduce"
	"gatewaymeter/internal/replay"
	"gatewaymeter/pipeline"
	"gatewaymeter/stream"
	"gatewaymeter/todo"
)

// planted makes a maker of jobs with a bug.
func planted(plant func(*engine.Parts, *pipeline.Functions)) replay.Maker {
	return func(stage int) (engine.Parts, pipeline.Functions, error) {
		p, f, err := pipeline.Ours(stage)
		plant(&p, &f)
		return p, f, err
	}
}

// spoiled is a function with another ProcessElement.
type spoiled[I, O any] struct {
	stream.KeyedFunction[I, O]
	stream.TimerFunction[O]
	process func(inner stream.KeyedFunction[I, O], c *stream.Context, v I, out stream.Collector[O]) error
}

func (s spoiled[I, O]) ProcessElement(c *stream.Context, v I, out stream.Collector[O]) error {
	return s.process(s.KeyedFunction, c, v, out)
}

func spoil[I, O any](makes func() stream.KeyedFunction[I, O], process func(stream.KeyedFunction[I, O], *stream.Context, I, stream.Collector[O]) error) func() stream.KeyedFunction[I, O] {
	return func() stream.KeyedFunction[I, O] {
		f := makes()
		timers, _ := f.(stream.TimerFunction[O])
		return spoiled[I, O]{f, timers, process}
	}
}

// fastest is a valve that lets the fastest input lead, instead of waiting for the slowest. What it does
// wrong hangs on the schedule.
type fastest struct{ at stream.Time }

func (v *fastest) Watermark(_ int, t stream.Time) stream.Signal {
	if t <= v.at {
		return stream.Nothing
	}
	v.at = t
	return stream.Signal{Watermark: t}
}

func (*fastest) Idle(int) stream.Signal   { return stream.Nothing }
func (*fastest) Active(int) stream.Signal { return stream.Nothing }

// bugs are what the reducer is tried on: each with the stage, and how many messages show it.
var bugs = map[string]struct {
	stage, most int
	plant       func(*engine.Parts, *pipeline.Functions)
}{
	"duplicates pass": {6, 3, func(_ *engine.Parts, f *pipeline.Functions) {
		f.Dedupe = spoil(f.Dedupe, func(_ stream.KeyedFunction[gateway.Event, gateway.Event], _ *stream.Context, e gateway.Event, out stream.Collector[gateway.Event]) error {
			out.Collect(e)
			return nil
		})
	}},
	"errors are free": {4, 2, func(_ *engine.Parts, f *pipeline.Functions) {
		f.Assemble = spoil(f.Assemble, func(inner stream.KeyedFunction[gateway.Event, gateway.RequestRecord], c *stream.Context, e gateway.Event, out stream.Collector[gateway.RequestRecord]) error {
			if e.Status != "" && e.Status != "ok" {
				e.CompletionTokens = 0
			}
			return inner.ProcessElement(c, e, out)
		})
	}},
	"a valve that follows the fastest": {5, 8, func(p *engine.Parts, _ *pipeline.Functions) {
		p.Valve = func(int) stream.Valve { return &fastest{at: stream.NoTime} }
	}},
	"a panic": {3, 1, func(_ *engine.Parts, f *pipeline.Functions) {
		decode := f.Decode
		f.Decode = func(m stream.Message) (gateway.Event, error) {
			e, err := decode(m)
			if e.PromptTokens > 7000 {
				panic("too many tokens")
			}
			return e, err
		}
	}},
}

func config(stage int, maker replay.Maker) reduce.Config {
	traffic := replay.DefaultTraffic(2000, 1)
	messages, _ := traffic.Messages()
	p := traffic.Params()
	return reduce.Config{
		Job:   replay.Job{Stage: stage, Parallelism: 3, Partitions: 7, Backend: "heap", Schedule: 1},
		Maker: maker, Messages: messages, Bound: p.Bound, Within: p.DuplicateWithin, Schedules: 20,
	}
}

// TestReduce: of 4,000 messages a handful is left, which fail in the same way, in a file too.
func TestReduce(t *testing.T) {
	for name, bug := range bugs {
		t.Run(name, func(t *testing.T) {
			cfg := config(bug.stage, planted(bug.plant))
			start := time.Now()
			r, err := reduce.Run(t.Context(), cfg)
			require.NoError(t, err)
			t.Logf("%v in %v", r, time.Since(start))
			t.Logf("%s\n%s", r.Outcome.Way(), r.Recording().Text())
			require.LessOrEqual(t, len(r.Messages), bug.most)
			require.Less(t, time.Since(start), 10*time.Second)
			require.Equal(t, r.Original.Way(), r.Outcome.Way())
			require.NoError(t, generator.Check(r.Messages, cfg.Bound, cfg.Within))

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

func TestUnwrittenIsNoFailure(t *testing.T) {
	cfg := config(3, planted(func(_ *engine.Parts, f *pipeline.Functions) {
		f.Decode = func(stream.Message) (gateway.Event, error) { panic(todo.Exercise("1a")) }
	}))
	_, err := reduce.Run(t.Context(), cfg)
	e, ok := todo.Of(err)
	require.True(t, ok, "%v", err)
	require.Equal(t, "1a", e.Exercise)
}

func TestReduceStops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cfg := config(6, planted(bugs["duplicates pass"].plant))
	cfg.Progress = func(messages, _ int) {
		if messages < 1000 {
			cancel()
		}
	}
	_, err := reduce.Run(ctx, cfg)
	require.ErrorIs(t, err, context.Canceled)
}
