package generator

import (
	"fmt"
	"time"
)

// Params say what to generate. All of them are part of the content: the same Params, the same bytes.
//
// Rates are shares from 0 to 1. Those of a request's fate (NeverCompleted, NeverStarted, Reversed, Long,
// LagAboveBound) exclude one another, so their sum is at most 1.
type Params struct {
	Seed     uint64
	Requests int
	Tenants  int           // the k-th has a weight of 1/k
	Start    int64         // event time of the first request, ms since the epoch
	Span     time.Duration // event time over which requests start, unless InFlight holds them back
	InFlight int           // most requests at a time that wait for their completion

	Bound           time.Duration // B: how far an event may lag behind the greatest ts before it
	DuplicateWithin time.Duration // D: how far event time may be past an event when its duplicate comes; at least B

	Disorder           float64 // of events: lag by 0 to B
	DuplicateStarted   float64 // of Started events
	DuplicateCompleted float64 // of Completed events
	Malformed          float64 // malformed messages a good one

	NeverCompleted float64 // of requests: no Completed event
	NeverStarted   float64 // of requests: no Started event
	Reversed       float64 // of requests: Completed stands before Started in the log
	Long           float64 // of requests: completed five minutes or more after the start
	LagAboveBound  float64 // of requests: the Completed event lags by more than B; off by default

	UnknownModel float64 // of requests: a model that has no price
	ErrorStatus  float64 // of requests that complete: a status that is not "ok"
}

// Default returns the traffic of `lab run`: every anomaly but LagAboveBound has a rate above 0.
func Default(requests int, seed uint64) Params {
	return Params{
		Seed: seed, Requests: requests, Tenants: 50,
		Start: 1_700_000_040_000, // the start of a minute
		Span:  20 * time.Minute, InFlight: 1000,
		Bound: 5 * time.Second, DuplicateWithin: time.Minute,
		Disorder: 0.25, DuplicateStarted: 0.02, DuplicateCompleted: 0.02, Malformed: 0.01,
		NeverCompleted: 0.02, NeverStarted: 0.01, Reversed: 0.01, Long: 0.01,
		UnknownModel: 0.02, ErrorStatus: 0.05,
	}
}

// ParamError is a parameter that is out of range.
type ParamError struct {
	Field string // of Params; several are joined by " + "
	Got   any
	Want  string
}

func (e *ParamError) Error() string {
	return fmt.Sprintf("generator: %s is %v: want %s", e.Field, e.Got, e.Want)
}

// Validate returns a ParamError that names the first parameter that is out of range, and the range.
func (p Params) Validate() error {
	bad := func(field string, got any, want string) error {
		return &ParamError{Field: field, Got: got, Want: want}
	}
	const most = int64(1) << 52 // leaves room for what follows the start within an event's range of ts
	switch {
	case p.Requests < 0:
		return bad("Requests", p.Requests, "0 or more")
	case p.Tenants < 1 || p.Tenants > 1_000_000:
		return bad("Tenants", p.Tenants, "1 to 1000000")
	case p.InFlight < 1:
		return bad("InFlight", p.InFlight, "1 or more")
	case p.Span < 0 || p.Span > 1000*time.Hour:
		return bad("Span", p.Span, "0s to 1000h")
	case p.Bound < 0 || p.Bound > 24*time.Hour || p.Bound%time.Millisecond != 0:
		return bad("Bound", p.Bound, "whole milliseconds, 0s to 24h")
	case p.DuplicateWithin < p.Bound || p.DuplicateWithin > 48*time.Hour:
		return bad("DuplicateWithin", p.DuplicateWithin, fmt.Sprintf("Bound (%v) to 48h", p.Bound))
	case p.Start < p.Bound.Milliseconds() || p.Start > most:
		return bad("Start", p.Start, fmt.Sprintf("Bound (%d ms) to %d ms", p.Bound.Milliseconds(), most))
	case p.Reversed > 0 && p.Bound == 0:
		return bad("Reversed", p.Reversed, "0 when Bound is 0, as a reversal is a disorder")
	}
	fates := 0.0
	for _, r := range []struct {
		field string
		rate  float64
		fate  bool
	}{
		{"Disorder", p.Disorder, false},
		{"DuplicateStarted", p.DuplicateStarted, false},
		{"DuplicateCompleted", p.DuplicateCompleted, false},
		{"Malformed", p.Malformed, false},
		{"NeverCompleted", p.NeverCompleted, true},
		{"NeverStarted", p.NeverStarted, true},
		{"Reversed", p.Reversed, true},
		{"Long", p.Long, true},
		{"LagAboveBound", p.LagAboveBound, true},
		{"UnknownModel", p.UnknownModel, false},
		{"ErrorStatus", p.ErrorStatus, false},
	} {
		if !(r.rate >= 0 && r.rate <= 1) { // NaN fails too
			return bad(r.field, r.rate, "a share from 0 to 1")
		}
		if r.fate {
			fates += r.rate
		}
	}
	if fates > 1 {
		return bad("NeverCompleted + NeverStarted + Reversed + Long + LagAboveBound", fates, "at most 1, as each request has one fate")
	}
	return nil
}
