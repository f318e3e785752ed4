// Package wrong holds assemblers that are wrong, each in one way: what the students' own tests must
// find, and what the suite's experiments compare with.
package wrong

import (
	"time"

	"gatewaymeter/gateway"
	operators "gatewaymeter/labs/03-stateful-operators/solution"
	"gatewaymeter/stream"
)

// Assembler is a known assembler.
type Assembler struct {
	Name  string
	New   func() stream.KeyedFunction[gateway.Event, gateway.RequestRecord]
	Right bool
}

// Assemblers are all that a leak test is tried on.
func Assemblers() []Assembler {
	variant := func(name string, f flaws) Assembler {
		return Assembler{Name: name, New: func() stream.KeyedFunction[gateway.Event, gateway.RequestRecord] {
			return &assembler{flaws: f, inMemory: map[string]gateway.OpenRequest{}}
		}}
	}
	return []Assembler{
		{Name: "ours, which is right", New: operators.NewAssembler, Right: true},
		variant("an assembler that forgets every thousandth start", flaws{forgets: 1000}),
		variant("an assembler that clears before it reads, so that no record comes out", flaws{clearsEarly: true}),
		variant("an assembler that keeps what is completed", flaws{keepsCompleted: true}),
		variant("an assembler that remembers in a Go map instead of state", flaws{remembersInMemory: true}),
	}
}

// Expiring is an assembler whose open requests have a time to live, as a backstop against the leak.
func Expiring(after time.Duration) stream.KeyedFunction[gateway.Event, gateway.RequestRecord] {
	return &assembler{options: []stream.Option{stream.Expire(stream.TTL{After: after})}}
}

type flaws struct {
	forgets           int // every n-th start; 0: none
	clearsEarly       bool
	keepsCompleted    bool
	remembersInMemory bool
}

type assembler struct {
	flaws
	options  []stream.Option
	open     stream.Value[gateway.OpenRequest]
	inMemory map[string]gateway.OpenRequest
	starts   int
}

func (a *assembler) Open(c *stream.Context) error {
	a.open = stream.NewValue(c, "open", operators.OpenRequests, a.options...)
	return nil
}

func (a *assembler) ProcessElement(c *stream.Context, e gateway.Event, out stream.Collector[gateway.RequestRecord]) error {
	if e.Type == gateway.RequestStarted {
		a.start(e)
		return nil
	}
	if a.clearsEarly {
		a.open.Clear()
	}
	start, ok := a.open.Get()
	if a.remembersInMemory {
		start, ok = a.inMemory[e.RequestID]
		delete(a.inMemory, e.RequestID)
	}
	if !ok {
		return nil
	}
	if !a.keepsCompleted {
		a.open.Clear()
	}
	out.Collect(gateway.RequestRecord{
		RequestID: start.RequestID, TenantID: start.TenantID, Model: start.Model,
		StartedTS: start.StartedTS, CompletedTS: e.TS, LatencyMS: e.LatencyMS,
		PromptTokens: start.PromptTokens, CompletionTokens: e.CompletionTokens, Status: e.Status,
	})
	return nil
}

func (a *assembler) start(e gateway.Event) {
	a.starts++
	if a.forgets > 0 && a.starts%a.forgets == 0 {
		return
	}
	r := gateway.OpenRequest{
		RequestID: e.RequestID, TenantID: e.TenantID, Model: e.Model, StartedTS: e.TS, PromptTokens: e.PromptTokens,
	}
	if a.remembersInMemory {
		a.inMemory[e.RequestID] = r
		return
	}
	a.open.Update(r)
}
