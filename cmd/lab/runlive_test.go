package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gatewaymeter/engine"
	"gatewaymeter/stream"
)

// The live picture shows what event time waits for, and nothing of it at a stage without event time.
func TestEventTimeOfTheLivePicture(t *testing.T) {
	require.Empty(t, eventTime([]engine.Metrics{{Source: true}}))

	split := func(n int, last, mark stream.Time) stream.ChannelTime {
		return stream.ChannelTime{Channel: n, LastEvent: last, Watermark: mark}
	}
	ended, idle := split(2, 50_000, 44_999), split(1, stream.NoTime, stream.NoTime)
	ended.Ended, idle.Idle = true, true
	got := eventTime([]engine.Metrics{
		{Source: true, Channels: []stream.ChannelTime{split(0, 60_000, 54_999), ended}},
		{Source: true, Channels: []stream.ChannelTime{idle, split(3, stream.NoTime, stream.NoTime), split(4, 30_000, 24_999)}},
		{Channels: []stream.ChannelTime{split(0, stream.NoTime, 10)}, Counters: map[string]int64{"tenant-minute/open_windows": 3, "tenant-minute/late": 1}},
		{Counters: map[string]int64{"tenant-minute/open_windows": 4}},
	})
	require.Equal(t, "open windows 7, late records 1\nwatermark lag by partition:\n"+
		"   0: 5.001s         1: idle           2: ended          3: none yet    \n"+
		"   4: 35.001s     \n", got)
}

func TestLabOfAnExercise(t *testing.T) {
	for exercise, lab := range map[string]string{"3d": "03", "3.2": "03", "11a": "11"} {
		require.Equal(t, lab, labOf(exercise))
	}
}
