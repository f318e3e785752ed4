package engine

import (
	"sync"

	"gatewaymeter/stream"
)

// Metrics is what one subtask has done so far.
type Metrics struct {
	Task      string           `json:"task"`
	Subtask   int              `json:"subtask"`
	In        int64            `json:"records_in"`
	Out       int64            `json:"records_out"`
	Watermark stream.Time      `json:"watermark"`
	Backlog   int              `json:"backlog"` // packets that wait in its inbox
	Entries   map[string]int   `json:"entries"` // by "uid/state": keys that have something in it
	Timers    int              `json:"timers"`
	Counters  map[string]int64 `json:"counters"` // by "uid/name"
}

// metrics is what a task has published; read by other goroutines.
type metrics struct {
	mu    sync.Mutex
	last  Metrics
	calls int
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

func (t *Task) publishNow() {
	m := Metrics{Task: t.Name, Subtask: t.Subtask, In: t.in, Out: t.out, Watermark: t.mark,
		Entries: map[string]int{}, Counters: map[string]int64{}}
	for _, o := range t.chain {
		c := o.self().ctx
		for _, state := range c.States {
			m.Entries[c.UID+"/"+state] += c.Backend.Entries(state)
		}
		for name, counter := range c.Counters {
			m.Counters[c.UID+"/"+name] += counter.Count()
		}
		for _, s := range []stream.TimerService{c.EventTimers, c.ProcessingTimers} {
			if s != nil {
				m.Timers += s.Len()
			}
		}
	}
	t.metrics.mu.Lock()
	t.metrics.last = m
	t.metrics.mu.Unlock()
}

// Metrics is the subtask's latest published figures. It may be called from any goroutine.
func (t *Task) Metrics() Metrics {
	t.metrics.mu.Lock()
	defer t.metrics.mu.Unlock()
	return t.metrics.last
}
