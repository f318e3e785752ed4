package bench_test

import (
	"context"
	"fmt"
	"strconv"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"gatewaymeter/bench"
	"gatewaymeter/bench/work"
	operators "gatewaymeter/labs/03-stateful-operators/solution"
	timers "gatewaymeter/labs/06-timers/solution"
	"gatewaymeter/stream"
)

// BenchmarkPendingTimer is what a timer costs that is deleted and registered again before it is due, as
// nearly every request's is, while so many others are pending. "none" is the same walk over the keys
// without it.
func BenchmarkPendingTimer(b *testing.B) {
	for _, pending := range []int{1_000, 100_000, 1_000_000} {
		c, keys := withTimers(b, pending)
		walk := func(b *testing.B, visit func(at stream.Time)) {
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				n := (i * 7919) % pending // all over the queue
				c.SetKey(n%128, keys[n])
				visit(stream.Time(n))
			}
		}
		b.Run(fmt.Sprintf("pending=%d/timer", pending), func(b *testing.B) {
			walk(b, func(at stream.Time) {
				c.DeleteEventTimer(at)
				c.RegisterEventTimer(at)
			})
		})
		b.Run(fmt.Sprintf("pending=%d/none", pending), func(b *testing.B) { walk(b, func(stream.Time) {}) })
	}
}

// withTimers is a context with a value and a timer for each of so many keys.
func withTimers(tb testing.TB, pending int) (*stream.Context, []string) {
	c := &stream.Context{Backend: operators.NewHeap(0, 127)}
	service, err := timers.NewService(c, stream.EventTime)
	require.NoError(tb, err)
	c.EventTimers = service
	open := stream.NewValue(c, "open", stream.Int64)
	keys := make([]string, pending)
	for n := range keys {
		keys[n] = "r-" + strconv.Itoa(n)
		c.SetKey(n%128, keys[n])
		open.Update(int64(n))
		c.RegisterEventTimer(stream.Time(n))
	}
	return c, keys
}

// BenchmarkTrace is the work with the trace off, and with a hook that only counts. The difference is
// what a trace costs that is on; one that is off costs the checks of BenchmarkTraceCheck, steps/event
// of them.
func BenchmarkTrace(b *testing.B) {
	run := func(b *testing.B, trace func(stream.Step)) {
		events := int64(0)
		for b.Loop() {
			r, err := bench.Run(context.Background(), bench.Config{
				Stage: work.Full, Requests: 100_000, Seed: work.DefaultSeed, Parallelism: 1, Backend: bench.Heap, Trace: trace,
			})
			require.NoError(b, err)
			events += r.Events
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(events), "ns/event")
		b.ReportMetric(float64(events)/float64(b.N), "events")
	}
	b.Run("off", func(b *testing.B) { run(b, nil) })
	b.Run("counted", func(b *testing.B) {
		var steps atomic.Int64
		run(b, func(stream.Step) { steps.Add(1) })
		b.ReportMetric(float64(steps.Load())/float64(b.N)/198_999, "steps/event")
	})
}

// BenchmarkTraceCheck is the check that stands where a step would be recorded, a hundred times.
func BenchmarkTraceCheck(b *testing.B) {
	c := &stream.Context{}
	recorded := 0
	for b.Loop() {
		for range 100 {
			if c.Trace != nil {
				recorded++
			}
		}
	}
	require.Zero(b, recorded)
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/100, "ns/check")
}
