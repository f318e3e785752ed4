package lab06_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"gatewaymeter/internal/kit/suite"
	"gatewaymeter/internal/kit/timeline"
	operators "gatewaymeter/labs/03-stateful-operators/solution"
	timers "gatewaymeter/labs/06-timers/starter"
	"gatewaymeter/stream"
)

// bench is a timer service of the student's over our heap backend. Key "b" is in key group 1, "k" in
// group 2, "a" and all others in group 3: so the order of groups is not that of keys.
type bench struct {
	t        *testing.T
	c        *stream.Context
	services map[stream.Domain]stream.TimerService
}

const lastGroup = 3

func newBench(t *testing.T) *bench {
	return benchOver(t, operators.NewHeap(0, lastGroup), 0, lastGroup)
}

// benchOver makes new services over a backend that may hold timers already.
func benchOver(t *testing.T, backend stream.Backend, first, last int) *bench {
	t.Helper()
	b := &bench{t: t, c: &stream.Context{Backend: backend, FirstGroup: first, LastGroup: last, Watermark: stream.NoTime}}
	b.services = map[stream.Domain]stream.TimerService{}
	for _, d := range []stream.Domain{stream.EventTime, stream.ProcessingTime} {
		s, err := timers.NewService(b.c, d)
		suite.NoError(t, err, "a timer service is made")
		b.services[d] = s
	}
	return b
}

func groupOf(key string) int {
	switch key {
	case "b":
		return 1
	case "k":
		return 2
	}
	return lastGroup
}

func (b *bench) key(key string) *bench {
	b.c.SetKey(groupOf(key), key)
	return b
}

func (b *bench) event() stream.TimerService { return b.services[stream.EventTime] }

func (b *bench) recover() {
	for _, s := range b.services {
		suite.NoError(b.t, s.Recover(), "the timers are recovered")
	}
}

// name prints a timer: a@5s, or a@5s[0s,9s) in the namespace of a window.
func name(t stream.Timer) string {
	s := fmt.Sprintf("%s@%s", t.Key, clock(t.At))
	if t.Window != (stream.Window{}) {
		s += fmt.Sprintf("[%s,%s)", clock(t.Window.Start), clock(t.Window.End))
	}
	return s
}

// playTimers runs scenes on a bench. A timer of a step is "key=a t=5s", and in a window "to=9s" its
// window is [0s, 9s). What fires prints as the steps that caused it: key@time. The rules of a scene
// say what happens when a timer fires: on=a@5s do=register key=a t=7s.
func playTimers(t *testing.T, _ timeline.Step) func(timeline.Step) timeline.Outcome {
	b := newBench(t)
	rules := map[string][]timeline.Step{}
	return func(s timeline.Step) timeline.Outcome {
		var got string
		before := b.String()
		switch s.Verb {
		case "register", "delete":
			b.timer(s, s.Verb)
		case "on":
			rules[s.Arg("timer")] = append(rules[s.Arg("timer")], s)
			return timeline.Outcome{}
		case "advance":
			limit := 1000
			if s.Has("limit") {
				limit = s.Number(t, "limit")
			}
			got = b.advance(domainOf(s), s.At(t, "to"), limit, rules)
		case "restart": // new services over the same drawers
			b = benchOver(t, b.c.Backend, 0, lastGroup)
			b.recover()
		case "snapshot": // the same timers on another backend, by way of bytes
			b = b.restored(t)
		case "next":
			got = "none"
			if at, ok := b.services[domainOf(s)].Next(); ok {
				got = clock(at)
			}
			return timeline.Outcome{Got: got, Before: before}
		default:
			s.Unknown(t)
		}
		return timeline.Outcome{Got: strings.TrimSpace(got + " " + b.String()), Before: before}
	}
}

func domainOf(s timeline.Step) stream.Domain {
	if s.Arg("in") == "proc" {
		return stream.ProcessingTime
	}
	return stream.EventTime
}

// timer registers or deletes the timer of a step.
func (b *bench) timer(s timeline.Step, do string) {
	b.key(s.Arg("key"))
	var w stream.Window
	if s.Has("to") {
		w.End = s.At(b.t, "to")
	}
	service := b.services[domainOf(s)]
	if do == "register" {
		service.Register(s.At(b.t, "t"), w)
		return
	}
	service.Delete(s.At(b.t, "t"), w)
}

// errStop is what a rule "do=fail" gives.
var errStop = errors.New("the function has failed")

// advance fires what is due, with the rules, and prints it.
func (b *bench) advance(d stream.Domain, to stream.Time, limit int, rules map[string][]timeline.Step) string {
	var fired []string
	more, err := b.services[d].Advance(to, limit, func(t stream.Timer) error {
		fired = append(fired, name(t))
		if len(fired) > limit {
			return fmt.Errorf("more than %d timers fire in one call", limit)
		}
		b.checkFiring(t, d)
		for _, r := range rules[name(t)] {
			if r.Arg("do") == "fail" {
				return errStop
			}
			b.timer(r, r.Arg("do"))
		}
		return nil
	})
	text := strings.Join(fired, " ")
	switch {
	case errors.Is(err, errStop):
		text += " failed"
	case err != nil:
		suite.NoError(b.t, err, "timers fire")
	}
	if more {
		text += " more"
	}
	return strings.TrimSpace("fires " + text)
}

// checkFiring is what every firing must find.
func (b *bench) checkFiring(t stream.Timer, d stream.Domain) {
	f := suite.Failure{Input: name(t), State: b.String()}
	if t.Key == "" {
		f.Says = "the stream.Timer that fire is given does not say whose it is: it has five fields, Domain, At, Group, Key and Window"
		f.Got = fmt.Sprintf("%+v", t)
		suite.Wrong(b.t, f)
	}
	if b.c.Key() != t.Key || b.c.Group() != t.Group || t.Group != groupOf(t.Key) {
		f.Says = "when a timer fires, its own key must be current: else its function works on another key's state"
		f.Got, f.Want = fmt.Sprintf("key %q, group %d", b.c.Key(), b.c.Group()), fmt.Sprintf("key %q, group %d", t.Key, groupOf(t.Key))
		suite.Wrong(b.t, f)
	}
	if t.Domain != d {
		f.Says = fmt.Sprintf("a timer of %v time says that it is of %v time", d, t.Domain)
		suite.Wrong(b.t, f)
	}
}

// String is the numbers of timers, and of keys that have any: "(3 timers, 2 keys)".
func (b *bench) String() string {
	var parts []string
	for _, d := range []stream.Domain{stream.EventTime, stream.ProcessingTime} {
		s, keys := b.services[d], b.c.Backend.Entries(timers.StateName(d))
		if d == stream.ProcessingTime && s.Len() == 0 && keys == 0 {
			continue
		}
		prefix := map[stream.Domain]string{stream.ProcessingTime: "proc: "}[d]
		parts = append(parts, fmt.Sprintf("%s%d timers, %d keys", prefix, s.Len(), keys))
	}
	return "(" + strings.Join(parts, "; ") + ")"
}

// restored is the same timers on a new backend, by way of bytes.
func (b *bench) restored(t *testing.T) *bench {
	t.Helper()
	next := operators.NewHeap(0, lastGroup)
	for group := 0; group <= lastGroup; group++ {
		bytes, err := b.c.Backend.Snapshot(group, nil)
		suite.NoError(t, err, "a snapshot is taken")
		suite.NoError(t, next.Restore(group, bytes), "the snapshot is restored")
	}
	after := benchOver(t, next, 0, lastGroup)
	after.recover()
	return after
}
