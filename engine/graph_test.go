package engine_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"gatewaymeter/engine"
	"gatewaymeter/stream"
)

// doubling is a function without keys, for a chain.
type doubling struct{}

func (doubling) Open(*stream.Context) error { return nil }

func (doubling) ProcessElement(_ *stream.Context, w word, out stream.Collector[word]) error {
	out.Collect(word{w.Key, 2 * w.N})
	return nil
}

// rule is what is broadcast.
type rule struct{ ID string }

// rules is a source of ten rules, on subtask 0.
type rules struct{ next int }

func (*rules) Open(*stream.Context) error { return nil }

func (s *rules) Poll(c *stream.Context, max int, out stream.SourceOutput[rule]) (stream.Progress, error) {
	for ; max > 0 && s.next < 10 && c.Subtask == 0; s.next++ {
		out.Emit(rule{fmt.Sprintf("rule-%d", s.next)}, stream.NoTime)
		max--
	}
	if s.next < 10 && c.Subtask == 0 {
		return stream.Reading, nil
	}
	return stream.Ended, nil
}

func (*rules) Ready() <-chan struct{} { return nil }

// ruled passes words on, keeps rules in broadcast state, and at its end says how many it has.
type ruled struct {
	rules stream.Broadcast[string, int64]
}

func (f *ruled) Open(c *stream.Context) error {
	f.rules = stream.NewBroadcast(c, "rules", stream.String, stream.Int64)
	return nil
}

func (f *ruled) ProcessElement(_ *stream.Context, w word, out stream.Collector[word]) error {
	out.Collect(w)
	return nil
}

func (f *ruled) ProcessBroadcast(_ *stream.Context, r rule, _ stream.Collector[word]) error {
	f.rules.Put(r.ID, 1)
	return nil
}

func (f *ruled) Finish(c *stream.Context, out stream.Collector[word]) error {
	n := int64(0)
	for range f.rules.All() {
		n++
	}
	out.Collect(word{fmt.Sprintf("rules of subtask %d", c.Subtask), n})
	return nil
}

// TestChainAndBroadcast has a function chained to its source, and a keyed stream beside a broadcast one,
// under both drivers.
func TestChainAndBroadcast(t *testing.T) {
	const total, parallelism = 1000, 3
	build := func(r *results) *engine.Job {
		j := engine.NewJob("ruled", testParts(), parallelism)
		words := engine.Process(engine.From(j, "numbers", func() stream.Source[word] { return &numbers{total: total, keys: 10} }),
			"double", func() stream.Function[word, word] { return doubling{} })
		changes := engine.From(j, "rules", func() stream.Source[rule] { return &rules{} })
		out := engine.ProcessBroadcast(keyBy(words, keyOfWord), changes, "ruled", func() stream.BroadcastFunction[word, rule, word] { return &ruled{} })
		engine.SinkTo(out, "sink", r.sink)
		return j
	}
	check := func(t *testing.T, r *results) {
		sums := map[string]int64{}
		for _, w := range r.got {
			sums[w.Key] += w.N
		}
		for key, sum := range wantSums(total) {
			require.Equal(t, 2*sum, sums[key], "%s went through the chain once", key)
		}
		for subtask := range parallelism {
			require.EqualValues(t, 10, sums[fmt.Sprintf("rules of subtask %d", subtask)], "every subtask got every rule once")
		}
		require.Len(t, r.got, total+parallelism)
	}
	t.Run("live", func(t *testing.T) {
		r := &results{}
		_, err := build(r).Run(context.Background(), engine.Options{})
		require.NoError(t, err)
		check(t, r)
	})
	for seed := range uint64(10) {
		t.Run(fmt.Sprintf("simulated, seed %d", seed), func(t *testing.T) {
			r := &results{}
			s, err := engine.NewSimulation(build(r), engine.SimOptions{Seed: seed})
			require.NoError(t, err)
			require.NoError(t, s.Run())
			require.NoError(t, s.Close())
			check(t, r)
		})
	}
	p := build(&results{}).Plan()
	require.Equal(t, "numbers -> double", p.Tasks[0].Name, "a function without keys runs in its source's task")
	require.Equal(t, "broadcast", p.Tasks[2].Inputs[1].Dispatch)
}
