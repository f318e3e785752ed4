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
		{Task: "source -> sink", Source: true, Watermark: 1000, Channels: []stream.ChannelTime{{Channel: 0, Watermark: 5000}, {Channel: 3, Watermark: 1000, LastEvent: 6001}, idle}},
		{Task: "assemble", Subtask: 2, Senders: []int{0, 2}, Watermark: 1000, Timers: 4, NextTimer: &next, Channels: []stream.ChannelTime{{Channel: 0, Watermark: 1000}, idle}},
		{Task: "night -> more", Watermark: 8000, Timers: 1, NextTimer: &next, Channels: []stream.ChannelTime{idle}},
		{Task: "no channels"},
		{Task: "bill", Watermark: 1000, Senders: []int{1}, Channels: []stream.ChannelTime{{Channel: 0, Watermark: 1000}}},
		{Task: "dark", Watermark: 500, Senders: []int{2}, Channels: []stream.ChannelTime{{Channel: 0, Watermark: 500}}},
	}
	var said []string
	for _, w := range Why(metrics) {
		said = append(said, w.String())
	}
	require.Equal(t, []string{
		"source/0 stands at t=1s: it waits for partition 3, last event t=6.001s, not idle",
		"assemble/2 stands at t=1s: it waits for input 0 from source/0, which is at t=1s, behind it partition 3 of source/0, last event t=6.001s, not idle; timers: 4, the next at t=9s: held back",
		"night/0 stands at t=8s: no input is waited for, every one is idle or at its end; timers: 1, the next at t=9s: stopped",
		"bill/0 stands at t=1s: it waits for input 0 from assemble/2, which is at t=1s, behind it partition 3 of source/0, last event t=6.001s, not idle",
		"dark/0 stands at t=500ms: it waits for input 0 from night/0, which is at t=500ms, behind which no partition is waited for",
	}, said)
	var sum []string
	for _, h := range HoldBack(Why(metrics)) {
		sum = append(sum, h.String())
	}
	require.Equal(t, []string{"partition 3 of source/0, last event t=6.001s, holds back 2 subtasks"}, sum)
}
