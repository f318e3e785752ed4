package watermarks_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	watermarks "gatewaymeter/labs/05-watermarks/solution"
	"gatewaymeter/stream"
)

// After the final watermark no other can follow, but that the stream is idle is still told, once (Flink:
// TimestampsAndWatermarksOperator.WatermarkEmitter, which looks at the watermark and at the status apart).
func TestPeriodicIsIdleAfterTheFinalWatermark(t *testing.T) {
	const start, interval = 1000, 200
	splits := watermarks.NewSplits(0, watermarks.WithIdleness(time.Second))
	splits.Add(0)
	p := watermarks.NewPeriodic(splits, interval*time.Millisecond, start)
	require.Equal(t, stream.Signal{Watermark: stream.MaxTime}, p.Upstream(stream.MaxTime))

	var told []stream.Signal
	for now := stream.Time(start); now <= start+3000; now += interval {
		if s := p.Tick(now); s != stream.Nothing {
			told = append(told, s)
		}
	}
	require.Len(t, told, 1)
	require.Equal(t, stream.Idle, told[0].Status)
	require.Equal(t, stream.Nothing, p.Upstream(stream.MaxTime), "nor does another final watermark make it active")
}
