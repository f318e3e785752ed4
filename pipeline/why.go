package pipeline

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

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
	Source    bool                `json:"source"`              // its channels are partitions, not inputs
	From      string              `json:"from,omitempty"`      // who sends on the input that holds it back
	Root      *Root               `json:"partition,omitempty"` // the partition at the end of the trail
}

// Root is the partition that a subtask waits for, found by going from input to sender up to a source.
type Root struct {
	Reader string `json:"reader"` // the source's subtask
	stream.ChannelTime
}

// Why says of every subtask with channels what holds its time back, by the metrics of all of them. It is
// a look at one moment: while a job runs, a sender may be further on than what has arrived from it.
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
			w.From, w.Root = trail(metrics, m, held)
		}
		all = append(all, w)
	}
	return all
}

// trail follows what holds a subtask back: to who sends it, and on to the partition. Where everything
// that a sender waits for is idle or at its end, no partition is to blame.
func trail(metrics []engine.Metrics, m engine.Metrics, held stream.ChannelTime) (from string, root *Root) {
	for !m.Source {
		if held.Channel >= len(m.Senders) {
			return from, nil
		}
		m = metrics[m.Senders[held.Channel]]
		if from == "" {
			from = name(m)
		}
		var waits bool
		if held, waits = watermarks.HoldsBack(m.Channels); !waits {
			return from, nil
		}
	}
	return from, &Root{Reader: name(m), ChannelTime: held}
}

// Holding is a partition that holds time back, and how many subtasks behind its reader wait for it.
type Holding struct {
	Root
	Subtasks int
}

// HoldBack sums up an answer: the partitions that anybody waits for, the one with most to wait for it
// first.
func HoldBack(waiting []Waiting) (all []Holding) {
	for _, w := range waiting {
		if w.Source || w.Root == nil { // a source waits for one of its partitions at any time
			continue
		}
		i := slices.IndexFunc(all, func(h Holding) bool { return h.Reader == w.Root.Reader && h.Channel == w.Root.Channel })
		if i < 0 {
			i = len(all)
			all = append(all, Holding{Root: *w.Root})
		}
		all[i].Subtasks++
	}
	slices.SortStableFunc(all, func(a, b Holding) int { return cmp.Compare(b.Subtasks, a.Subtasks) })
	return all
}

// String says it in words.
func (h Holding) String() string {
	return fmt.Sprintf("partition %d of %s, last event %v, holds back %d subtasks", h.Channel, short(h.Reader), h.LastEvent, h.Subtasks)
}

func name(m engine.Metrics) string { return fmt.Sprintf("%s/%d", m.Task, m.Subtask) }

// short is a task's name without the sinks and other operators that are chained to its first.
func short(name string) string {
	first, _, chained := strings.Cut(name, " -> ")
	if !chained {
		return name
	}
	return first + name[strings.LastIndexByte(name, '/'):]
}

// String is the answer in words. Of a chain of operators it names the first.
func (w Waiting) String() string {
	kind := "input"
	if w.Source {
		kind = "partition"
	}
	s := fmt.Sprintf("%s stands at %v: ", short(fmt.Sprintf("%s/%d", w.Task, w.Subtask)), w.Watermark)
	switch {
	case w.HeldBack == nil:
		s += fmt.Sprintf("no %s is waited for, every one is idle or at its end", kind)
	case w.Source:
		s += fmt.Sprintf("it waits for partition %d, last event %v, not idle", w.HeldBack.Channel, w.HeldBack.LastEvent)
	case w.Root == nil:
		s += w.input() + ", behind which no partition is waited for"
	default:
		s += fmt.Sprintf("%s, behind it partition %d of %s, last event %v, not idle",
			w.input(), w.Root.Channel, short(w.Root.Reader), w.Root.LastEvent)
	}
	if w.NextTimer != nil {
		s += fmt.Sprintf("; timers: %d, the next at %v: %s", w.Timers, *w.NextTimer, w.Why)
	}
	return s
}

// input is the input that holds the subtask back.
func (w Waiting) input() string {
	return fmt.Sprintf("it waits for input %d from %s, which is at %v", w.HeldBack.Channel, short(w.From), w.HeldBack.Watermark)
}
