package engine

import (
	"slices"
	"sync"

	"gatewaymeter/stream"
)

// Metrics is what one subtask has done so far.
type Metrics struct {
	Task      string           `json:"task"`
	Subtask   int              `json:"subtask"`
	Source    bool             `json:"source,omitempty"`  // it has no inputs: its channels are partitions
	Senders   []int            `json:"senders,omitempty"` // of each input: which of Execution.Metrics sends on it
	In        int64            `json:"records_in"`
	Out       int64            `json:"records_out"`
	Watermark stream.Time      `json:"watermark"`
	Backlog   int              `json:"backlog"` // packets that wait in its inbox
	Entries   map[string]int   `json:"entries"` // by "uid/state": keys that have something in it
	Timers    int              `json:"timers"`
	Counters  map[string]int64 `json:"counters"` // by "uid/name"

	Channels  []stream.ChannelTime `json:"channels,omitempty"`   // what its watermark is made of: a source's partitions, or its inputs
	NextTimer *stream.Time         `json:"next_timer,omitempty"` // the earliest event timer; nil: none
}

// metrics is what a task has published; read by other goroutines.
type metrics struct {
	mu    sync.Mutex
	last  Metrics
	calls int

	senders []int // the same all the time
}

// publishEvery is how many calls pass between two publications: counting is plain fields, so that a
// record costs no atomic.
const publishEvery = 16

// publish makes the task's figures visible outside, now and then.
func (t *Task) publish() {
	t.metrics.calls++
	if t.metrics.calls%publishEvery == 0 || t.done {
		t.publishNow()
	}
}

// publishLast shows them once more when the task is over: without guard, a panic of a timer service, which
// is asked for its next timer, would end the process instead of the job.
func (t *Task) publishLast() (err error) {
	defer t.guard(&err)
	t.publishNow()
	return nil
}

func (t *Task) publishNow() {
	m := Metrics{Task: t.Name, Subtask: t.Subtask, Source: t.IsSource(), Senders: t.metrics.senders, In: t.in, Out: t.out, Watermark: t.mark,
		Entries: map[string]int{}, Counters: map[string]int64{}}
	for _, o := range t.chain {
		c := o.self().ctx
		for _, state := range c.States {
			m.Entries[c.UID+"/"+state] += c.Backend.Entries(state)
		}
		for name, counter := range c.Counters {
			m.Counters[c.UID+"/"+name] += counter.Count()
		}
		if s := c.EventTimers; s != nil {
			if at, any := s.Next(); any && (m.NextTimer == nil || at < *m.NextTimer) {
				m.NextTimer = &at
			}
		}
		for _, s := range []stream.TimerService{c.EventTimers, c.ProcessingTimers} {
			if s != nil {
				m.Timers += s.Len()
			}
		}
	}
	m.Channels = slices.Clone(channelsOf(t.valve)) // the reporter uses its slice again
	if t.IsSource() {
		m.Channels = slices.Clone(channelsOf(t.head))
	}
	t.metrics.mu.Lock()
	t.metrics.last = m
	t.metrics.mu.Unlock()
}

// channelsOf is what a part reports about what it waits for; nil if it cannot.
func channelsOf(part any) []stream.ChannelTime {
	if r, ok := part.(stream.TimeReporter); ok {
		return r.Channels()
	}
	return nil
}

// Metrics is the subtask's latest published figures. It may be called from any goroutine.
func (t *Task) Metrics() Metrics {
	t.metrics.mu.Lock()
	defer t.metrics.mu.Unlock()
	return t.metrics.last
}
