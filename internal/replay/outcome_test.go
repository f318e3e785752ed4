package replay

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"gatewaymeter/engine"
	"gatewaymeter/oracle"
	"gatewaymeter/pipeline"
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
