package replay

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gatewaymeter/engine"
	"gatewaymeter/gateway"
	"gatewaymeter/generator"
	"gatewaymeter/oracle"
	"gatewaymeter/pipeline"
	"gatewaymeter/stream"
)

func TestWays(t *testing.T) {
	wrong := func(billed int64, where string) *Outcome {
		o := &Outcome{Differences: []oracle.Difference{{Where: where}}, Invoice: &oracle.Invoice{}}
		o.Counts.USDNano, o.Invoice.Counts.USDNano = billed, 10
		return o
	}
	failure := func(key, text string) *Outcome {
		return &Outcome{Err: &engine.Failure{UID: "assemble", Key: key, Element: "offset 3", Err: errors.New(text)}}
	}
	require.Equal(t, "invoice: too little is billed", wrong(9, "invoice 22:14 tenant-1").Way())
	require.Equal(t, "bill: too much is billed", wrong(11, "bill of tenant-1").Way())
	require.Equal(t, "duplicates: the sum is right", wrong(10, "duplicates").Way())
	require.Equal(t, failure("r-1", `no state of r-1, only 12 others: "open"`).Way(), failure("r-22", `no state of r-22, only 5 others: "done"`).Way())
	require.NotEqual(t, failure("r-1", "panic: nil map").Way(), failure("r-1", "panic: out of range").Way())
	require.Empty(t, (&Outcome{}).Way())
}

// TestSameJobSameRun: the order of everything written repeats.
func TestSameJobSameRun(t *testing.T) {
	messages, _ := DefaultTraffic(300, 1).Messages()
	in, err := job.Prepare(messages)
	require.NoError(t, err)
	for _, backend := range []string{"heap", "pebble"} {
		j := job
		j.Backend = backend
		a, err := j.Run(pipeline.Ours, in)
		require.NoError(t, err)
		b, err := j.Run(pipeline.Ours, in)
		require.NoError(t, err)
		require.True(t, a.OK(), a.First())
		require.Equal(t, a.Output.Invoice, b.Output.Invoice)
		j.Schedule++
		c, err := j.Run(pipeline.Ours, in)
		require.NoError(t, err)
		require.NotEqual(t, a.Output.Invoice, c.Output.Invoice, "another schedule, another order")
		require.Equal(t, a.Counts, c.Counts)
	}
}

// restless sets a timer whenever one fires, at the same time.
type restless struct {
	stream.KeyedFunction[gateway.Event, gateway.RequestRecord]
}

func (restless) ProcessElement(c *stream.Context, _ gateway.Event, _ stream.Collector[gateway.RequestRecord]) error {
	c.RegisterEventTimer(1)
	return nil
}

func (restless) OnTimer(c *stream.Context, t stream.Timer, _ stream.Collector[gateway.RequestRecord]) error {
	c.RegisterEventTimer(t.At)
	return nil
}

func TestAJobThatGoesRoundAndRoundFails(t *testing.T) {
	messages, _ := DefaultTraffic(10, 1).Messages()
	o, err := job.RunMessages(func(stage int) (engine.Parts, pipeline.Functions, error) {
		p, f, err := pipeline.Ours(stage)
		right := f.Assemble
		f.Assemble = func() stream.KeyedFunction[gateway.Event, gateway.RequestRecord] { return restless{right()} }
		return p, f, err
	}, messages)
	require.NoError(t, err)
	require.ErrorContains(t, o.Err, "the job goes round and round: more than")
	require.Equal(t, `error of operator "assemble": panic: the job goes round and round: more than … steps over … messages`, o.Way())
	require.Equal(t, 1, strings.Count(o.Explain(), "\n"), "our own stack is nobody's business")
}

func TestConcernedAreTheKeysThatAreNamed(t *testing.T) {
	messages, _ := DefaultTraffic(3, 1).Messages()
	r := &Recording{Job: job, Messages: messages}
	o, steps, err := r.Traced(pipeline.Ours)
	require.NoError(t, err)
	require.True(t, o.OK())
	require.Zero(t, steps.Missing)
	first, ok := generator.EventOf(messages[0])
	require.True(t, ok)
	keys := map[string]bool{}
	o.Differences = []oracle.Difference{{Where: "invoice 2023-11-14T22:14:00Z " + first.TenantID, Engine: "nothing"}}
	for _, s := range r.Concerned(o, steps.Steps) {
		keys[s.Key] = true
	}
	require.Equal(t, map[string]bool{first.TenantID: true, first.RequestID: true}, keys)
	o.Differences = []oracle.Difference{{Where: "duplicates"}}
	require.Greater(t, len(r.Concerned(o, steps.Steps)), 20, "none is named, so all have a part in it")
}

func TestPrepareIsGivenUp(t *testing.T) {
	messages, _ := DefaultTraffic(2000, 1).Messages()
	enough, asked := errors.New("enough"), 0
	job := Job{Stage: 3, Parallelism: 1, Partitions: 2, Backend: "heap", Schedule: 1}
	_, err := job.PrepareUntil(func() error {
		if asked++; asked == 3 {
			return enough
		}
		return nil
	}, messages)
	require.ErrorIs(t, err, enough)
	require.Equal(t, 3, asked)
}

func TestTrafficIsGivenUp(t *testing.T) {
	enough, asked := errors.New("enough"), 0
	messages, _, err := DefaultTraffic(1_000_000_000, 1).MessagesUntil(func() error {
		if asked++; asked >= 3 {
			return enough
		}
		return nil
	})
	require.ErrorIs(t, err, enough)
	require.Empty(t, messages)
	require.Equal(t, 4, asked) // once more, to know why there are no more
}
