package lab03_test

import (
	"fmt"
	"strings"
	"testing"

	"gatewaymeter/gateway"
	"gatewaymeter/harness"
	"gatewaymeter/internal/kit/timeline"
	solution "gatewaymeter/labs/03-stateful-operators/solution"
	operators "gatewaymeter/labs/03-stateful-operators/starter"
	"gatewaymeter/stream"
)

// operator is what all players of this lab have: the student's operator on our harness, which can be
// made anew from a snapshot of itself.
type operator[In, Out any] struct {
	t    *testing.T
	make func(opts ...harness.Option) *harness.Keyed[In, Out]
	h    *harness.Keyed[In, Out]
	in   func(s timeline.Step) (In, stream.Time) // what a step hands in
	key  func(In) string                         // the key that it belongs to
	out  func(Out) string                        // how an output prints
	left func() string                           // what is left in state, and the counter
}

// play runs a timeline on what open makes for each scene.
func play[In, Out any](t *testing.T, file string, open func(t *testing.T) *operator[In, Out]) {
	t.Helper()
	timeline.Play(t, "testdata/"+file, func(t *testing.T, _ timeline.Step) func(timeline.Step) timeline.Outcome {
		o := open(t)
		o.h = o.make(harness.WithTrace())
		return o.step
	})
}

func (o *operator[In, Out]) step(s timeline.Step) timeline.Outcome {
	o.t.Helper()
	before, key := o.left(), ""
	if s.Verb == "restore" {
		snapshot := o.h.Snapshot()
		o.h.Close()
		o.h = o.make(harness.WithTrace(), harness.From(snapshot))
	} else {
		v, at := o.in(s)
		key = o.key(v)
		o.h.ProcessElement(v, at)
	}
	var words []string
	for _, v := range o.h.Values() {
		words = append(words, o.out(v))
	}
	for _, r := range harness.SideOutputs(o.h, operators.Unpriced) {
		words = append(words, "unpriced: "+r.Value.RequestID)
	}
	return timeline.Outcome{Got: strings.Join(append(words, o.left()), " "), Before: before, Of: o.h, Key: key}
}

// eventOf is the event that a step names.
func eventOf(t *testing.T, s timeline.Step) gateway.Event {
	t.Helper()
	at, number := int64(s.At(t, "t")), func(name string) int64 {
		if !s.Has(name) {
			return 0
		}
		return int64(s.Number(t, name))
	}
	switch s.Verb {
	case "started":
		return started(s.Arg("id"), at, number("prompt"))
	case "completed":
		return completed(s.Arg("id"), at, number("tokens"))
	}
	s.Unknown(t)
	return gateway.Event{}
}

// seconds prints a time as timelines write it.
func seconds(ts int64) string { return timeline.Clock(stream.Time(ts)) }

func pairing(t *testing.T) *operator[gateway.Event, gateway.RequestRecord] {
	o := &operator[gateway.Event, gateway.RequestRecord]{t: t, key: byRequest}
	o.make = func(opts ...harness.Option) *assembly {
		return harness.NewKeyed(t, parts(t), byRequest, operators.NewAssembler(), append(opts, harness.Named("assemble"))...)
	}
	o.in = func(s timeline.Step) (gateway.Event, stream.Time) {
		e := eventOf(t, s)
		return e, stream.Time(e.TS)
	}
	o.out = func(r gateway.RequestRecord) string {
		return fmt.Sprintf("%s of %s, %s to %s, %d+%d tokens", r.RequestID, r.TenantID, seconds(r.StartedTS), seconds(r.CompletedTS), r.PromptTokens, r.CompletionTokens)
	}
	o.left = func() string {
		return fmt.Sprintf("(%d open, %d unmatched)", o.h.Entries("open"), o.h.Counter("unmatched"))
	}
	return o
}

func deduping(t *testing.T) *operator[gateway.Event, gateway.Event] {
	o := &operator[gateway.Event, gateway.Event]{t: t, key: solution.DedupeKey}
	o.make = func(opts ...harness.Option) *harness.Keyed[gateway.Event, gateway.Event] {
		return harness.NewKeyed(t, parts(t), solution.DedupeKey, operators.NewDedupe(), append(opts, harness.Named("dedupe"))...)
	}
	o.in = func(s timeline.Step) (gateway.Event, stream.Time) {
		e := eventOf(t, s)
		return e, stream.Time(e.TS)
	}
	o.out = func(e gateway.Event) string {
		return map[gateway.EventType]string{gateway.RequestStarted: "start", gateway.RequestCompleted: "end"}[e.Type] + " of " + e.RequestID
	}
	o.left = func() string {
		return fmt.Sprintf("(%d seen, %d duplicates)", o.h.Entries("seen"), o.h.Counter("duplicates"))
	}
	return o
}

func totalling(t *testing.T) *operator[gateway.RequestRecord, gateway.TenantTotal] {
	o := &operator[gateway.RequestRecord, gateway.TenantTotal]{t: t, key: byTenant}
	o.make = func(opts ...harness.Option) *harness.Keyed[gateway.RequestRecord, gateway.TenantTotal] {
		return costs(t, append(opts, harness.Named("tenant-cost"))...)
	}
	o.in = func(s timeline.Step) (gateway.RequestRecord, stream.Time) {
		if s.Verb != "used" {
			s.Unknown(t)
		}
		return used(s.Arg("tenant"), s.Arg("id"), s.Arg("model"), int64(s.Number(t, "prompt")), int64(s.Number(t, "completion"))), 1
	}
	o.out = func(v gateway.TenantTotal) string {
		return fmt.Sprintf("%s of %s: line %d, %v, total %v", v.RequestID, v.TenantID, v.Seq, v.Cost, v.Total)
	}
	o.left = func() string {
		return fmt.Sprintf("(%d tenants, %d unpriced)", o.h.Entries("usd_total"), o.h.Counter("unpriced"))
	}
	return o
}
