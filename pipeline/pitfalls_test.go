package pipeline

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gatewaymeter/engine"
	"gatewaymeter/gateway"
	"gatewaymeter/stream"
)

const oneStart = `{"event_type":"RequestStarted","request_id":"r-1","tenant_id":"t-1","model":"model-a","ts":1700000000000,"payload":{"prompt_tokens":500}}`

// FLINK-2577: a source at its end sends the final watermark. Without it the last minutes never close and
// the last requests are never abandoned; here nothing follows the one start that could move time.
func TestFinishedSourceEndsTime(t *testing.T) {
	topic := NewRecorded("gateway-events", 3)
	topic.Append([]byte("r-1"), []byte(oneStart))
	parts, functions, err := Ours(6)
	require.NoError(t, err)
	out := &Output{}
	result, err := Simulate(Config{
		Stage: 6, Parallelism: 2, Parts: parts, Functions: functions, Sinks: out.Sinks(),
		Events: Input{Splits: topic.Splits(), Log: topic.Log},
	}, 1)
	require.NoError(t, err)
	require.Len(t, out.Invoice, 1, "the minute of the abandoned request")
	require.Equal(t, gateway.NanoUSD(1_250_000), out.Invoice[0].Sum)
	require.Zero(t, result.Timers)
}

// clocked sets a timer for every tick and two that are never due, and notes who is called when.
type clocked struct {
	fired, afterClose, never *atomic.Int64
	closed                   bool
}

func (f *clocked) Open(*stream.Context) error { return nil }

func (f *clocked) ProcessElement(c *stream.Context, _ gateway.Event, _ stream.Collector[gateway.RequestRecord]) error {
	c.RegisterProcessingTimer(c.Clock.Now())
	c.RegisterProcessingTimer(stream.MaxTime - 1)
	c.RegisterEventTimer(stream.MaxTime - 1)
	return nil
}

func (f *clocked) OnTimer(c *stream.Context, t stream.Timer, _ stream.Collector[gateway.RequestRecord]) error {
	if f.closed {
		f.afterClose.Add(1)
	}
	if t.At == stream.MaxTime-1 {
		f.never.Add(1)
		return nil
	}
	f.fired.Add(1)
	c.RegisterProcessingTimer(c.Clock.Now() + 1)
	return nil
}

func (f *clocked) Close() error {
	f.closed = true
	return nil
}

// FLINK-31370: no timer fires once a job has been cancelled, neither those that are due again and again
// nor, as if the input had ended, those that wait for the end of time.
func TestNoTimerFiresAfterCancel(t *testing.T) {
	topic := NewRecorded("gateway-events", 1)
	topic.Append([]byte("r-1"), []byte(oneStart))
	splits := topic.Splits()
	splits[0].Stop = stream.Unbounded
	parts, functions, err := Ours(6)
	require.NoError(t, err)
	var fired, afterClose, never atomic.Int64
	functions.Assemble = func() stream.KeyedFunction[gateway.Event, gateway.RequestRecord] {
		return &clocked{fired: &fired, afterClose: &afterClose, never: &never}
	}
	j, err := Build(Config{
		Stage: 6, Parallelism: 1, Parts: parts, Functions: functions, Sinks: (&Output{}).Sinks(),
		Events: Input{Splits: splits, Log: topic.Log},
	})
	require.NoError(t, err)
	e, err := j.Start(context.Background(), engine.Options{Tick: time.Millisecond})
	require.NoError(t, err)
	require.Eventually(t, func() bool { return fired.Load() > 3 }, 10*time.Second, time.Millisecond)
	stop := errors.New("stop")
	e.Cancel(stop)
	_, err = e.Wait()
	require.ErrorIs(t, err, stop)
	require.Zero(t, afterClose.Load(), "timers fired after Close")
	require.Zero(t, never.Load(), "a cancelled job's timers fired as if its input had ended")
}
