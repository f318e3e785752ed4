package pipeline

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gatewaymeter/engine"
	"gatewaymeter/stream"
)

func TestWhy(t *testing.T) {
	next := stream.Time(9000)
	idle := stream.ChannelTime{Channel: 1, Watermark: 8000, LastEvent: 8500, Idle: true}
	metrics := []engine.Metrics{
		{Task: "source", Source: true, Watermark: 1000, Channels: []stream.ChannelTime{{Channel: 0, Watermark: 5000}, {Channel: 3, Watermark: 1000, LastEvent: 6001}, idle}},
		{Task: "assemble", Subtask: 2, Watermark: 1000, Timers: 4, NextTimer: &next, Channels: []stream.ChannelTime{{Channel: 0, Watermark: 1000}, idle}},
		{Task: "night", Watermark: 8000, Timers: 1, NextTimer: &next, Channels: []stream.ChannelTime{idle}},
		{Task: "no channels"},
	}
	var said []string
	for _, w := range Why(metrics) {
		said = append(said, w.String())
	}
	require.Equal(t, []string{
		"source/0 stands at t=1s: it waits for partition 3, last event t=6.001s, not idle",
		"assemble/2 stands at t=1s: it waits for input 0, which is at t=1s; 4 timers, the next at t=9s: held back",
		"night/0 stands at t=8s: no input is waited for, every one is idle or at its end; 1 timers, the next at t=9s: stopped",
	}, said)
}
