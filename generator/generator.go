package generator

import (
	"iter"

	"gatewaymeter/gateway"
)

// Generator makes the messages of some Params, one after another. It is for one goroutine.
type Generator struct {
	params  Params
	plan    *planner
	counts  Counts
	waiting queue[coming]
	now     int64 // the log's time, ms: nothing before it can come any more
	nextUS  int64 // when the next request would start, in microseconds
	gaps    random
	gapUS   int64 // mean time between two starts
	started int64 // requests begun
	open    int   // requests whose end is waiting
	high    int64 // the greatest ts so far

	duplicateStarted, duplicateCompleted, malformed schedule
	starts, ends, good                              int64 // what the three schedules count
	pick                                            random
	extra                                           *Message // a malformed message, to come next
}

// coming is an event on its way to the log.
type coming struct {
	event     gateway.Event
	duplicate bool
	holds     bool // takes one of the places of Params.InFlight
}

// New returns a generator at its first message. It panics if the parameters are invalid: call
// Params.Validate on what a user typed.
func New(p Params) *Generator {
	if err := p.Validate(); err != nil {
		panic(err)
	}
	g := &Generator{
		params: p, now: p.Start, nextUS: p.Start * 1000, high: -1,
		gaps: newRandom(p.Seed, "gaps"), pick: newRandom(p.Seed, "log"),
		duplicateStarted:   newSchedule(p.Seed, "duplicate started", p.DuplicateStarted),
		duplicateCompleted: newSchedule(p.Seed, "duplicate completed", p.DuplicateCompleted),
		malformed:          newSchedule(p.Seed, "malformed", p.Malformed),
	}
	if p.Requests > 0 {
		g.gapUS = p.Span.Microseconds() / int64(p.Requests)
	}
	g.plan = newPlanner(p, &g.counts)
	return g
}

// Next makes the next message. It returns false, and leaves m alone, when there is none left.
func (g *Generator) Next(m *Message) bool {
	if g.extra != nil {
		*m, g.extra = *g.extra, nil
		g.counts.Messages++
		return true
	}
	for g.mayStart() {
		g.start()
	}
	if g.waiting.empty() {
		return false
	}
	at, c := g.waiting.pop()
	g.now = at
	if c.holds {
		g.open--
	}
	*m = Message{Key: []byte(c.event.RequestID), Value: encode(c.event), TS: c.event.TS, Partition: NoPartition}
	g.counts.Messages++
	g.judge(c)
	g.high = max(g.high, m.TS)
	g.repeat(c)
	g.spoil(*m)
	return true
}

// All yields the messages that are left.
func (g *Generator) All() iter.Seq[Message] {
	return func(yield func(Message) bool) {
		var m Message
		for g.Next(&m) && yield(m) {
		}
	}
}

// Counts returns the truth about the messages made so far. It is about whole requests once Next has
// returned false.
func (g *Generator) Counts() Counts { return g.counts }

// mayStart tells whether the next thing to happen is the start of a request.
func (g *Generator) mayStart() bool {
	return g.started < int64(g.params.Requests) && g.open < g.params.InFlight &&
		(g.waiting.empty() || max(g.nextUS/1000, g.now) <= g.waiting.first())
}

// start begins a request and sends its events on their way.
func (g *Generator) start() {
	g.nextUS = max(g.nextUS, g.now*1000) // it may have waited for a place
	l := g.plan.plan(g.started, g.nextUS/1000)
	g.started++
	g.nextUS += g.gaps.between(0, 2*g.gapUS)
	if l.fate == reversed { // first in, first out: at equal times the end is still the first
		g.waiting.push(l.completedAt, coming{event: l.completed})
		g.waiting.push(l.startedAt, coming{event: l.started})
		return
	}
	if l.hasStart() {
		g.waiting.push(l.startedAt, coming{event: l.started})
	}
	if l.hasEnd() {
		g.open++
		g.waiting.push(l.completedAt, coming{event: l.completed, holds: true})
	}
}

// judge counts the disorder of a first event.
func (g *Generator) judge(c coming) {
	lag := g.high - c.event.TS
	if c.duplicate || lag <= 0 {
		return
	}
	g.counts.Disordered++
	if lag > g.params.Bound.Milliseconds() {
		g.counts.LagAboveBound++
	}
}

// repeat sends an event on its way a second time, if a duplicate is due. It comes at any moment from
// now until D after the event's ts, by the log's time.
func (g *Generator) repeat(c coming) {
	latest := c.event.TS + g.params.DuplicateWithin.Milliseconds()
	if c.duplicate || latest < g.now {
		return
	}
	due, count := false, &g.counts.DuplicateStarted
	if c.event.Type == gateway.RequestStarted {
		due = g.duplicateStarted.take(g.starts)
		g.starts++
	} else {
		due, count = g.duplicateCompleted.take(g.ends), &g.counts.DuplicateCompleted
		g.ends++
	}
	if due {
		*count++
		g.waiting.push(g.pick.between(g.now, latest), coming{event: c.event, duplicate: true})
	}
}

// spoil has a malformed message follow, if one is due.
func (g *Generator) spoil(after Message) {
	g.good++
	if !g.malformed.take(g.good - 1) {
		return
	}
	m, kind := malformed(g.counts.Malformed, after, g.pick.next()&1 == 0)
	m.TS = g.high
	g.counts.Malformed++
	g.counts.MalformedKinds[kind]++
	g.extra = &m
}

// Until yields the messages up to the end, or up to where stop, which is asked every thousand messages or
// so, has an error: ask it afterwards, to know which. A context's Err is such a function.
func Until(stop func() error, messages iter.Seq[Message]) iter.Seq[Message] {
	return func(yield func(Message) bool) {
		n := 0
		for m := range messages {
			if n++; n%1024 == 0 && stop() != nil || !yield(m) {
				return
			}
		}
	}
}
