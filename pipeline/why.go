package pipeline

import (
	"fmt"

	"gatewaymeter/engine"
	watermarks "gatewaymeter/labs/05-watermarks/solution"
	timers "gatewaymeter/labs/06-timers/solution"
	"gatewaymeter/stream"
)

// Waiting is what holds one subtask's event time: the answer to *why does nothing come out?*
type Waiting struct {
	Task      string              `json:"task"`
	Subtask   int                 `json:"subtask"`
	Watermark stream.Time         `json:"watermark"`
	Timers    int                 `json:"timers"`
	NextTimer *stream.Time        `json:"next_timer,omitempty"` // the earliest event timer
	Why       timers.Wait         `json:"why"`                  // why that one has not fired
	HeldBack  *stream.ChannelTime `json:"held_back_by,omitempty"`
	Source    bool                `json:"source"` // its channels are partitions, not inputs
}

// Why says of every subtask with channels what holds its time back, by its metrics.
func Why(metrics []engine.Metrics) []Waiting {
	var all []Waiting
	for _, m := range metrics {
		if len(m.Channels) == 0 {
			continue
		}
		w := Waiting{Task: m.Task, Subtask: m.Subtask, Watermark: m.Watermark, Timers: m.Timers, NextTimer: m.NextTimer, Source: m.Source}
		next := stream.NoTime
		if m.NextTimer != nil {
			next = *m.NextTimer
		}
		w.Why, _ = timers.WhyWaiting(m.Channels, m.Watermark, next, m.NextTimer != nil)
		if held, ok := watermarks.HoldsBack(m.Channels); ok {
			w.HeldBack = &held
		}
		all = append(all, w)
	}
	return all
}

// String is the answer in words.
func (w Waiting) String() string {
	kind := "input"
	if w.Source {
		kind = "partition"
	}
	s := fmt.Sprintf("%s/%d stands at %v", w.Task, w.Subtask, w.Watermark)
	switch {
	case w.HeldBack == nil:
		s += fmt.Sprintf(": no %s is waited for, every one is idle or at its end", kind)
	case w.Source:
		s += fmt.Sprintf(": it waits for partition %d, last event %v, not idle", w.HeldBack.Channel, w.HeldBack.LastEvent)
	default:
		s += fmt.Sprintf(": it waits for input %d, which is at %v", w.HeldBack.Channel, w.HeldBack.Watermark)
	}
	if w.NextTimer != nil {
		s += fmt.Sprintf("; %d timers, the next at %v: %s", w.Timers, *w.NextTimer, w.Why)
	}
	return s
}
