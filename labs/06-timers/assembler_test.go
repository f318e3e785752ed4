package lab06_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"gatewaymeter/gateway"
	"gatewaymeter/harness"
	"gatewaymeter/internal/kit/suite"
	"gatewaymeter/internal/kit/timeline"
	timers "gatewaymeter/labs/06-timers/starter"
	"gatewaymeter/stream"
)

// Test6d: RequestAssembler with abandonment after five minutes (35 min)
func Test6d(t *testing.T) {
	suite.Exercise(t, "6d", func(t *testing.T) {
		timeline.Play(t, "testdata/assembler.txt", playAssembler)
		suite.Sub(t, "an event of neither type fails the job", func(t *testing.T) {
			a := &assembly{t: t}
			a.open(harness.AllowFailure())
			a.h.ProcessElement(gateway.Event{Type: "RequestPaused", RequestID: "r-1"}, 0)
			if a.h.Err() == nil {
				suite.Wrong(t, suite.Failure{
					Says: "an event of an unknown type was swallowed: lab 01 lets none pass, so one that comes here is a fault", Input: "RequestPaused r-1",
				})
			}
		})
		suite.Sub(t, "an unmatched completion is noted in the trace", func(t *testing.T) {
			a := &assembly{t: t}
			a.open()
			a.h.ProcessElement(completed("r-1", 4000, 7, "ok", 1000), 4000)
			noted := slices.ContainsFunc(a.h.Trace(), func(s stream.Step) bool { return s.Kind == stream.Dropped && s.Name == "unmatched" })
			suite.Equal(t, true, noted, suite.Failure{
				Says: "a completion was dropped and the trace does not tell: c.Drop is what whoever looks for it finds", Input: "RequestCompleted r-1, never started", Of: a.h, Key: "r-1",
			})
		})
		suite.Sub(t, "the record carries all of both events", wholeRecords)
	})
}

func byRequest(e gateway.Event) string { return e.RequestID }

func started(id string, at stream.Time, prompt int64) gateway.Event {
	return gateway.Event{
		Type: gateway.RequestStarted, RequestID: id, TenantID: "tenant-7", Model: "model-a", TS: int64(at), PromptTokens: prompt,
	}
}

func completed(id string, at stream.Time, tokens int64, status string, latency int64) gateway.Event {
	return gateway.Event{
		Type: gateway.RequestCompleted, RequestID: id, TenantID: "another", Model: "another", TS: int64(at),
		CompletionTokens: tokens, Status: status, LatencyMS: latency,
	}
}

// assembly is the student's assembler on our harness.
type assembly struct {
	t       *testing.T
	options []timers.Option
	h       *harness.Keyed[gateway.Event, gateway.RequestRecord]
	began   map[string]stream.Time
	mark    stream.Time // the watermark
}

func (a *assembly) open(opts ...harness.Option) {
	a.t.Helper()
	a.began, a.mark = map[string]stream.Time{}, stream.NoTime
	opts = append(opts, harness.Named("assemble"), harness.WithTrace())
	a.h = harness.NewKeyed(a.t, parts(a.t), byRequest, timers.NewAssembler(a.options...), opts...)
}

func playAssembler(t *testing.T, head timeline.Step) func(timeline.Step) timeline.Outcome {
	a := &assembly{t: t}
	if head.Arg("rule") == "on" {
		a.options = []timers.Option{timers.EventTimeRule()}
	}
	a.open()
	return func(s timeline.Step) timeline.Outcome {
		o := timeline.Outcome{Before: a.left(), Watermark: clock(a.mark)}
		id := s.Arg("id")
		switch s.Verb {
		case "started":
			at := s.At(t, "t")
			a.began[id] = at
			a.h.ProcessElement(started(id, at, int64(s.Number(t, "prompt"))), at)
		case "completed":
			at, status := s.At(t, "t"), "ok"
			if s.Has("status") {
				status = s.Arg("status")
			}
			a.h.ProcessElement(completed(id, at, int64(s.Number(t, "tokens")), status, int64(at-a.began[id])), at)
		case "watermark":
			a.mark = s.At(t, "t")
			a.h.ProcessWatermark(a.mark)
		case "snapshot":
			snapshot, began := a.h.Snapshot(), a.began
			a.h.Close()
			a.open(harness.From(snapshot))
			a.began = began
		case "count":
			o.Of = a.h
			o.Got = fmt.Sprintf("unmatched %d, abandoned %d", a.h.Counter("unmatched"), a.h.Counter("abandoned"))
			return o
		default:
			s.Unknown(t)
		}
		o.Got, o.Of = strings.TrimSpace(a.records()+" "+a.left()), a.h
		return o
	}
}

func (a *assembly) left() string {
	return fmt.Sprintf("(%d open, %d timers)", a.h.Entries("open"), a.h.EventTimers())
}

// records is what came out, and checks what no line says: a record's timestamp is that of its end.
func (a *assembly) records() string {
	var lines []string
	for _, r := range a.h.Outputs() {
		v := r.Value
		suite.Equal(a.t, clock(r.Time), clock(stream.Time(v.CompletedTS)), suite.Failure{
			Says:  "the time at which a request ended is that of what ended it, the completion or the timer (not the watermark), and the record is stamped with it",
			Input: fmt.Sprintf("%+v", v), Of: a.h, Key: v.RequestID,
		})
		lines = append(lines, fmt.Sprintf("%s %s at %s, %d+%d tokens, %s",
			v.RequestID, v.Status, clock(stream.Time(v.CompletedTS)), v.PromptTokens, v.CompletionTokens, clock(stream.Time(v.LatencyMS))))
	}
	return strings.Join(lines, "; ")
}

// wholeRecords compares every field of the two kinds of record.
func wholeRecords(t *testing.T) {
	a := &assembly{t: t}
	a.open()
	a.h.ProcessElement(started("r-1", 1000, 11), 1000)
	a.h.ProcessElement(started("r-2", 2000, 22), 2000)
	a.h.ProcessElement(completed("r-1", 3000, 33, "error", 1999), 3000)
	a.h.ProcessWatermark(stream.MaxTime)
	want := []gateway.RequestRecord{
		{RequestID: "r-1", TenantID: "tenant-7", Model: "model-a", StartedTS: 1000, CompletedTS: 3000, LatencyMS: 1999, PromptTokens: 11, CompletionTokens: 33, Status: "error"},
		{RequestID: "r-2", TenantID: "tenant-7", Model: "model-a", StartedTS: 2000, CompletedTS: 302_000, LatencyMS: 300_000, PromptTokens: 22, Status: "abandoned"},
	}
	got := a.h.Values()
	for i := range want {
		if i >= len(got) {
			suite.Wrong(t, suite.Failure{Says: "a record is missing", Want: fmt.Sprintf("%+v", want[i]), Of: a.h, Key: want[i].RequestID})
		}
		suite.Equal(t, want[i], got[i], suite.Failure{Says: "tenant, model and prompt come from the start, the rest from the end", Of: a.h, Key: want[i].RequestID})
	}
}
