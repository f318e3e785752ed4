// Package wrong holds assemblers with timers that are wrong, each in one way: what the students' own
// tests must find.
package wrong

import (
	"time"

	"gatewaymeter/gateway"
	operators "gatewaymeter/labs/03-stateful-operators/solution"
	timers "gatewaymeter/labs/06-timers/solution"
	"gatewaymeter/stream"
)

// Assembler is a known assembler.
type Assembler struct {
	Name  string
	New   func() stream.KeyedFunction[gateway.Event, gateway.RequestRecord]
	Right bool
}

// Leaking are what a test of the closed leak is tried on.
func Leaking() []Assembler {
	return []Assembler{
		ours(),
		{Name: "lab 03's assembler, which never abandons", New: operators.NewAssembler},
		variant("an assembler that keeps the timers of completed requests", flaws{keepsTimer: true}),
		variant("an assembler that keeps the state of abandoned requests", flaws{keepsState: true}),
		variant("an assembler that forgets an abandoned request without a record", flaws{silent: true}),
		variant("an assembler that bills an abandoned request twice", flaws{twice: true}),
		variant("an assembler that abandons a second too early", flaws{shift: -time.Second}),
		variant("an assembler that abandons a second too late", flaws{shift: time.Second}),
		variant("an assembler that abandons no more than a thousand requests a watermark, and forgets the timers of the others", flaws{most: 1000}),
		variant("an assembler that gives abandoned requests away for free", flaws{free: true}),
	}
}

// Stalling are what a test of a stalled watermark is tried on.
func Stalling() []Assembler {
	return []Assembler{
		ours(),
		variant("an assembler whose state lives ten minutes of processing time", flaws{ttl: 10 * time.Minute}),
		variant("an assembler whose state lives ten minutes from the last read", flaws{ttl: 10 * time.Minute, onRead: true}),
		variant("an assembler that abandons five minutes of processing time after the start", flaws{byClock: true}),
	}
}

func ours() Assembler {
	return Assembler{Name: "ours, which is right", Right: true, New: func() stream.KeyedFunction[gateway.Event, gateway.RequestRecord] {
		return timers.NewAssembler(timers.EventTimeRule())
	}}
}

func variant(name string, f flaws) Assembler {
	return Assembler{Name: name, New: func() stream.KeyedFunction[gateway.Event, gateway.RequestRecord] {
		return &assembler{flaws: f}
	}}
}

type flaws struct {
	keepsTimer, keepsState, silent, twice, free, byClock, onRead bool
	shift, ttl                                                   time.Duration
	most                                                         int // requests that a watermark abandons; 0: all
}

type assembler struct {
	flaws
	open      stream.Value[gateway.OpenRequest]
	unmatched stream.Counter
	abandoned stream.Counter
	watermark stream.Time // of the last timers
	fired     int         // and how many there were
}

func (a *assembler) Open(c *stream.Context) error {
	var options []stream.Option
	if a.ttl > 0 {
		ttl := stream.TTL{After: a.ttl}
		if a.onRead {
			ttl.Update = stream.OnReadAndWrite
		}
		options = append(options, stream.Expire(ttl))
	}
	a.open = stream.NewValue(c, "open", operators.OpenRequests, options...)
	a.unmatched = stream.NewCounter(c, "unmatched")
	a.abandoned = stream.NewCounter(c, "abandoned")
	return nil
}

func (a *assembler) deadline(started int64) stream.Time {
	return stream.Time(started).Add(gateway.AbandonAfterMS*time.Millisecond + a.shift)
}

func (a *assembler) ProcessElement(c *stream.Context, e gateway.Event, out stream.Collector[gateway.RequestRecord]) error {
	if e.Type == gateway.RequestStarted {
		a.open.Update(gateway.OpenRequest{
			RequestID: e.RequestID, TenantID: e.TenantID, Model: e.Model, StartedTS: e.TS, PromptTokens: e.PromptTokens,
		})
		if a.byClock {
			c.RegisterProcessingTimer(c.Clock.Now().Add(gateway.AbandonAfterMS * time.Millisecond))
			return nil
		}
		c.RegisterEventTimer(a.deadline(e.TS))
		return nil
	}
	start, ok := a.open.Get()
	if !ok {
		a.unmatched.Add(1)
		return nil
	}
	a.open.Clear()
	if !a.keepsTimer {
		c.DeleteEventTimer(a.deadline(start.StartedTS))
	}
	out.Collect(gateway.RequestRecord{
		RequestID: start.RequestID, TenantID: start.TenantID, Model: start.Model, StartedTS: start.StartedTS, CompletedTS: e.TS,
		LatencyMS: e.LatencyMS, PromptTokens: start.PromptTokens, CompletionTokens: e.CompletionTokens, Status: e.Status,
	})
	return nil
}

func (a *assembler) OnTimer(c *stream.Context, t stream.Timer, out stream.Collector[gateway.RequestRecord]) error {
	start, ok := a.open.Get()
	if !ok || a.tired(c.Watermark) {
		return nil
	}
	if !a.keepsState {
		a.open.Clear()
	}
	a.abandoned.Add(1)
	r := gateway.RequestRecord{
		RequestID: start.RequestID, TenantID: start.TenantID, Model: start.Model, StartedTS: start.StartedTS,
		CompletedTS: int64(t.At), LatencyMS: int64(t.At) - start.StartedTS, PromptTokens: start.PromptTokens, Status: gateway.StatusAbandoned,
	}
	if a.free {
		r.PromptTokens = 0
	}
	if !a.silent {
		out.Collect(r)
	}
	if a.twice {
		out.Collect(r)
	}
	return nil
}

// tired counts the timers of a watermark, and reports whether they are more than the assembler bears.
func (a *assembler) tired(watermark stream.Time) bool {
	if a.watermark != watermark {
		a.watermark, a.fired = watermark, 0
	}
	a.fired++
	return a.most > 0 && a.fired > a.most
}
