package harness_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	operators "gatewaymeter/labs/03-stateful-operators/solution"
	timers "gatewaymeter/labs/06-timers/solution"
	"gatewaymeter/stream"
	"gatewaymeter/stream/trace"
)

// visit is what nearly every request costs an operator: a value and a timer are set, and taken away.
func visit(tb testing.TB, hook func(stream.Step)) func() {
	tb.Helper()
	c := &stream.Context{UID: "assemble", Backend: operators.NewHeap(0, 15), Trace: hook}
	service, err := timers.NewService(c, stream.EventTime)
	require.NoError(tb, err)
	c.EventTimers = service
	open := stream.NewValue(c, "open", stream.Int64)
	return func() {
		c.SetKey(7, "r-1")
		open.Update(42)
		c.RegisterEventTimer(300_000)
		c.DeleteEventTimer(300_000)
		open.Clear()
	}
}

// A trace that is off is a check for nil: no step is even built.
func TestTraceOffAllocatesNothing(t *testing.T) {
	once := visit(t, nil)
	once() // the drawer is made, and used again from then on
	require.Zero(t, testing.AllocsPerRun(1000, once))
}

func BenchmarkTraceOff(b *testing.B) {
	once := visit(b, nil)
	b.ReportAllocs()
	for b.Loop() {
		once()
	}
}

// BenchmarkTraceOn records the visit's four steps.
func BenchmarkTraceOn(b *testing.B) {
	once := visit(b, trace.NewRecorder(trace.Options{Max: 1000, Key: "r-1"}).Record)
	b.ReportAllocs()
	for b.Loop() {
		once()
	}
}
