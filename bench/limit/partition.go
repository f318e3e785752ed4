package limit

import (
	"math"
	"slices"

	"gatewaymeter/bench/work"
)

// usage is a finished request: the assembler's output, with all that WORK.md gives it.
type usage struct {
	tenant     string
	id         string
	ts         int64
	cost       int64
	prompt     int32
	completion int32
	model      uint8
	abandoned  bool
}

// request is one in flight: its state, and its timer.
type request struct {
	id     string
	tenant string
	timer  int64
	pos    int // in the timer heap
	prompt int32
	model  uint8
}

type total struct{ seq, sum int64 }

type pane struct{ count, sum int64 }

// partition is what the keys that it owns have: requests, running totals, windows.
type partition struct {
	full    bool // timers and windows too
	open    map[string]*request
	timers  timerHeap
	free    []*request
	totals  map[string]*total
	windows map[int64]map[string]*pane // by start, then by tenant
	oldest  int64                      // the earliest start, to skip the map on most watermarks
	emit    func(*usage)
	sums    work.Sums
	out     usage
}

func newPartition(stage work.Stage) *partition {
	return &partition{
		full:    stage == work.Full,
		open:    map[string]*request{},
		totals:  map[string]*total{},
		windows: map[int64]map[string]*pane{},
		oldest:  math.MaxInt64,
	}
}

func (p *partition) event(e *work.Event) {
	if e.Kind == work.Started {
		o := p.fresh()
		*o = request{id: e.ID, tenant: e.Tenant, model: e.Model, prompt: e.Prompt, timer: e.TS + work.TimeoutMS}
		p.open[e.ID] = o
		if p.full {
			p.timers.add(o)
		}
		return
	}
	o := p.open[e.ID]
	if o == nil {
		p.sums.Unmatched++
		return
	}
	delete(p.open, e.ID)
	if p.full {
		p.timers.remove(o)
	}
	p.finish(o, e.TS, e.Completion, false)
}

// fresh is a request to be filled: one that has ended, if there is one.
func (p *partition) fresh() *request {
	k := len(p.free)
	if k == 0 {
		return &request{}
	}
	o := p.free[k-1]
	p.free = p.free[:k-1]
	return o
}

func (p *partition) finish(o *request, ts int64, completion int32, abandoned bool) {
	p.out = usage{tenant: o.tenant, id: o.id, ts: ts, cost: work.Cost(o.model, o.prompt, completion),
		prompt: o.prompt, completion: completion, model: o.model, abandoned: abandoned}
	p.free = append(p.free, o)
	p.emit(&p.out)
}

// watermark fires what is due: abandoned requests first, since they still fall into windows.
func (p *partition) watermark(wm int64) {
	p.fireTimers(wm)
	p.fireWindows(wm)
}

func (p *partition) fireTimers(wm int64) {
	for o := p.timers.pop(wm); o != nil; o = p.timers.pop(wm) {
		delete(p.open, o.id)
		p.finish(o, o.timer, 0, true)
	}
}

// usage takes a finished request into its tenant's total and window.
func (p *partition) usage(u *usage) {
	t := p.totals[u.tenant]
	if t == nil {
		t = &total{}
		p.totals[u.tenant] = t
	}
	t.seq++
	t.sum += u.cost
	p.sums.A(t.seq, u.cost)
	if p.full {
		p.window(u)
	}
}

func (p *partition) window(u *usage) {
	start := work.WindowStart(u.ts)
	w := p.windows[start]
	if w == nil {
		w = map[string]*pane{}
		p.windows[start] = w
		p.oldest = min(p.oldest, start)
	}
	a := w[u.tenant]
	if a == nil {
		a = &pane{}
		w[u.tenant] = a
	}
	a.count++
	a.sum += u.cost
}

func (p *partition) fireWindows(wm int64) {
	if p.oldest > wm-work.WindowMS+1 { // the last instant, start+size-1, is not reached
		return
	}
	var due []int64
	for start := range p.windows {
		if start <= wm-work.WindowMS+1 {
			due = append(due, start)
		}
	}
	slices.Sort(due)
	for _, start := range due {
		for _, a := range p.windows[start] {
			p.sums.B(start, a.sum)
		}
		delete(p.windows, start)
	}
	p.oldest = math.MaxInt64
	for start := range p.windows {
		p.oldest = min(p.oldest, start)
	}
}
