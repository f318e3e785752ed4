package generator

import (
	"fmt"
	"strconv"

	"gatewaymeter/gateway"
)

// fate is what goes wrong with a request as a whole.
type fate int

const (
	normal fate = iota
	neverCompleted
	neverStarted
	reversed
	long
	lagging
	fates
)

// shortMost is the longest duration, in ms, of all but a few normal requests.
const shortMost = 30_000

// planner gives each request its life.
type planner struct {
	params  Params
	bound   int64 // ms
	tenants zipf
	names   []string
	pick    random // tenant, model, tokens: the same for a seed, whatever the rates
	times   random // durations and lags
	fates   [fates]schedule
	unknown schedule
	errors  schedule
	ends    int64 // requests with a Completed event so far
	counts  *Counts
}

func newPlanner(p Params, counts *Counts) *planner {
	pl := &planner{
		params: p, bound: p.Bound.Milliseconds(), tenants: newZipf(p.Tenants), counts: counts,
		pick: newRandom(p.Seed, "pick"), times: newRandom(p.Seed, "times"),
		unknown: newSchedule(p.Seed, "unknown", p.UnknownModel),
		errors:  newSchedule(p.Seed, "errors", p.ErrorStatus),
	}
	for k := range p.Tenants {
		pl.names = append(pl.names, fmt.Sprintf("tenant-%04d", k))
	}
	for f, rate := range [fates]float64{
		neverCompleted: p.NeverCompleted, neverStarted: p.NeverStarted, reversed: p.Reversed, long: p.Long, lagging: p.LagAboveBound,
	} {
		pl.fates[f] = newSchedule(p.Seed, "fate"+strconv.Itoa(f), rate)
	}
	return pl
}

// life is a request: its two events, and when each reaches the log.
type life struct {
	fate                   fate
	started, completed     gateway.Event
	startedAt, completedAt int64
}

func (l life) hasStart() bool { return l.fate != neverStarted }
func (l life) hasEnd() bool   { return l.fate != neverCompleted }

// plan makes request n, the first event of which reaches the log at now.
func (p *planner) plan(n, now int64) life {
	l := life{fate: p.fate(n)}
	e := gateway.Event{
		RequestID: "r-" + strconv.FormatInt(n, 10),
		TenantID:  p.names[p.tenants.pick(&p.pick)],
		Model:     "model-a",
	}
	if p.pick.next()&1 == 1 {
		e.Model = "model-b"
	}
	if p.unknown.take(n) {
		e.Model = "model-x"
		p.counts.UnknownModel++
		p.counts.unknown[l.fate]++
	}
	l.started, l.completed = e, e
	l.started.Type, l.started.PromptTokens = gateway.RequestStarted, 1+p.pick.skewed(8000)
	l.completed.Type, l.completed.CompletionTokens = gateway.RequestCompleted, 1+p.pick.skewed(2000)
	l.completed.Status = p.status(l)
	p.time(&l, now)
	l.completed.LatencyMS = l.completed.TS - l.started.TS
	p.count(l)
	return l
}

// fate is what the schedules ask for. A request takes one fate; what else is due waits for the next.
func (p *planner) fate(n int64) fate {
	for f := range p.fates {
		if p.fates[f].take(n) {
			return fate(f)
		}
	}
	return normal
}

func (p *planner) status(l life) string {
	if !l.hasEnd() {
		return ""
	}
	p.ends++
	if !p.errors.take(p.ends - 1) {
		return "ok"
	}
	p.counts.ErrorStatus++
	return [...]string{"timeout", "rate_limited", "upstream_error"}[p.ends%3]
}

// time sets both events' ts and when they reach the log. An event reaches it at its ts plus a lag; as
// all before it in the log have a ts of at most that moment, its lag behind them is at most that lag.
func (p *planner) time(l *life, now int64) {
	if l.fate == reversed {
		p.timeReversed(l, now)
		return
	}
	lag := p.lag()
	l.startedAt = now
	l.started.TS = now - lag
	duration := p.duration(l.fate)
	if l.fate == neverStarted { // its end is all that the log has, and that comes now
		l.completedAt = now
		l.completed.TS = now - lag
		l.started.TS = l.completed.TS - duration
		return
	}
	l.completed.TS = l.started.TS + duration
	endLag := p.lag()
	if l.fate == lagging {
		// The log's time is then at most start + 5m + B, so no watermark has reached start + 5m.
		endLag = p.times.between(p.bound+1, gateway.AbandonAfterMS+p.bound-duration)
	}
	l.completedAt = max(l.completed.TS+endLag, now) // not before its start; now is at most a bound past the ts
}

// timeReversed lets the end come now and the start after it, within the bound: so the request was
// shorter than that.
func (p *planner) timeReversed(l *life, now int64) {
	duration := p.times.between(1, p.bound)
	startLag := p.times.between(duration, p.bound)
	endLag := p.times.between(0, startLag-duration)
	l.completedAt = now
	l.completed.TS = now - endLag
	l.started.TS = l.completed.TS - duration
	l.startedAt = l.started.TS + startLag
}

// lag is how long an event takes to the log, in ms: nothing for most, anything up to the bound for some.
func (p *planner) lag() int64 {
	share, lag := p.times.share(), p.times.between(0, p.bound)
	if share < p.params.Disorder {
		return lag
	}
	return 0
}

// duration is how long a request takes, in ms: below five minutes but for the long ones. Both sides of
// that limit are hit to the millisecond now and then.
func (p *planner) duration(f fate) int64 {
	exact := p.times.below(256)
	short, more := 50+p.times.skewed(shortMost-50), p.times.below(180_000)
	switch {
	case f == long && exact < 64:
		return gateway.AbandonAfterMS
	case f == long:
		return gateway.AbandonAfterMS + more
	case exact == 0:
		return gateway.AbandonAfterMS - 1
	}
	return short
}

func (p *planner) count(l life) {
	p.counts.Requests++
	switch l.fate {
	case neverCompleted:
		p.counts.NeverCompleted++
	case neverStarted:
		p.counts.NeverStarted++
	case reversed:
		p.counts.Reversed++
	case long:
		p.counts.Long++
	}
}
