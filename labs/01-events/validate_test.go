package lab01_test

import (
	"fmt"
	"testing"

	"gatewaymeter/internal/kit/suite"
	events "gatewaymeter/labs/01-events/starter"
)

// Test1b: Validate: every missing or wrong field named (20 min)
func Test1b(t *testing.T) {
	suite.Exercise(t, "1b", func(t *testing.T) {
		suite.Sub(t, "good drafts have no faults", func(t *testing.T) {
			judge(t, startedDraft(), "r-7", "a good RequestStarted")
			judge(t, completedDraft(), "r-7", "a good RequestCompleted")
			d := startedDraft()
			d.Model = text("model-nobody-knows")
			judge(t, d, "r-7", "a model without a price: the event is right, only nobody can bill it")
			d = startedDraft()
			d.Status, d.LatencyMS = events.Text{State: events.WrongType}, number(-1)
			judge(t, d, "r-7", "a RequestStarted with a status that is no text: not its field, so not its fault")
		})
		suite.Sub(t, "all faults are named, in order", allFaults)
		suite.Sub(t, "each field that is missing, null or of another type is a fault", eachState)
		suite.Sub(t, "texts must not be empty", emptyTexts)
		suite.Sub(t, "numbers have bounds", bounds)
		suite.Sub(t, "unknown types are refused, and their payload left alone", func(t *testing.T) {
			d := completedDraft()
			d.EventType, d.Status, d.TS = text("RequestCancelled"), events.Text{}, number(-5)
			judge(t, d, "r-7", "an unknown type, a bad ts, no status", "event_type", "ts")
			d.EventType = text("requeststarted")
			d.TS = number(5)
			judge(t, d, "r-7", "a type in lower case", "event_type")
		})
		suite.Sub(t, "the key is the request id", func(t *testing.T) {
			judge(t, startedDraft(), "r-8", "the key r-8 on request r-7", "key")
			judge(t, startedDraft(), "", "no key", "key")
			judge(t, startedDraft(), "R-7", "a key in upper case", "key")
			d := startedDraft()
			d.RequestID = events.Text{State: events.Null}
			judge(t, d, "r-8", "a request id that is null: there is nothing to compare the key with", "request_id")
			d.RequestID = text("")
			judge(t, d, "", "an empty request id and an empty key", "request_id")
		})
		suite.Sub(t, "every fault says why", func(t *testing.T) {
			for _, f := range events.Validate(&events.Draft{EventType: text("x"), RequestID: text("a"), TS: number(-1)}, nil) {
				if f.Why == "" {
					suite.Wrong(t, suite.Failure{Says: "the fault " + f.Name + " says nothing in Why: who mends the message needs more than a name"})
				}
			}
		})
	})
}

// judge compares the names of a draft's faults.
func judge(t *testing.T, d events.Draft, key, what string, want ...string) {
	t.Helper()
	got := names(events.Validate(&d, []byte(key)))
	suite.Equal(t, want, got, suite.Failure{
		Says:  what + ": other faults than it has",
		Input: fmt.Sprintf("key %q, draft %+v (State: 0 missing, 1 null, 2 of another type, 3 good)", key, d),
	})
}

func allFaults(t *testing.T) {
	judge(t, events.Draft{}, "r-7", "a draft with nothing in it", "event_type", "request_id", "tenant_id", "model", "ts", "payload")
	started := events.Draft{EventType: text("RequestStarted"), Payload: events.Good}
	judge(t, started, "r-7", "a start with nothing but its type", "request_id", "tenant_id", "model", "ts", "payload.prompt_tokens")
	completed := events.Draft{EventType: text("RequestCompleted"), Payload: events.Good, RequestID: text("r-9")}
	judge(t, completed, "r-7", "a completion with nothing but its type and another's id",
		"key", "tenant_id", "model", "ts", "payload.completion_tokens", "payload.latency_ms", "payload.status")
	noPayload := completedDraft()
	noPayload.Payload, noPayload.Status = events.WrongType, events.Text{}
	judge(t, noPayload, "r-7", "a payload that is no object: its fields are not judged", "payload")
}

// field is a way to spoil one field of a draft.
type field struct {
	name    string
	text    func(d *events.Draft) *events.Text    // for strings
	integer func(d *events.Draft) *events.Integer // for numbers
	most    int64
	draft   func() events.Draft
}

func fields() []field {
	return []field{
		{name: "event_type", text: func(d *events.Draft) *events.Text { return &d.EventType }, draft: startedDraft},
		{name: "request_id", text: func(d *events.Draft) *events.Text { return &d.RequestID }, draft: startedDraft},
		{name: "tenant_id", text: func(d *events.Draft) *events.Text { return &d.TenantID }, draft: startedDraft},
		{name: "model", text: func(d *events.Draft) *events.Text { return &d.Model }, draft: completedDraft},
		{name: "ts", integer: func(d *events.Draft) *events.Integer { return &d.TS }, most: events.MaxInteger, draft: startedDraft},
		{name: "payload.prompt_tokens", integer: func(d *events.Draft) *events.Integer { return &d.PromptTokens }, most: events.MaxTokens, draft: startedDraft},
		{name: "payload.completion_tokens", integer: func(d *events.Draft) *events.Integer { return &d.CompletionTokens }, most: events.MaxTokens, draft: completedDraft},
		{name: "payload.latency_ms", integer: func(d *events.Draft) *events.Integer { return &d.LatencyMS }, most: events.MaxInteger, draft: completedDraft},
		{name: "payload.status", text: func(d *events.Draft) *events.Text { return &d.Status }, draft: completedDraft},
	}
}

func eachState(t *testing.T) {
	for _, f := range fields() {
		for _, state := range []events.State{events.Missing, events.Null, events.WrongType} {
			d := f.draft()
			if f.text != nil {
				*f.text(&d) = events.Text{State: state}
			} else {
				*f.integer(&d) = events.Integer{State: state}
			}
			judge(t, d, "r-7", fmt.Sprintf("only %s is wrong (State %d)", f.name, state), f.name)
		}
	}
	for _, state := range []events.State{events.Missing, events.Null, events.WrongType} {
		d := startedDraft()
		d.Payload = state
		judge(t, d, "r-7", fmt.Sprintf("only the payload is wrong (State %d)", state), "payload")
	}
}

func emptyTexts(t *testing.T) {
	for _, f := range fields() {
		if f.text != nil {
			d := f.draft()
			*f.text(&d) = text("")
			judge(t, d, "r-7", f.name+" is an empty string", f.name)
		}
	}
}

func bounds(t *testing.T) {
	for _, f := range fields() {
		if f.integer == nil {
			continue
		}
		for _, n := range []int64{0, 1, f.most} {
			d := f.draft()
			*f.integer(&d) = number(n)
			judge(t, d, "r-7", fmt.Sprintf("%s is %d, which is allowed", f.name, n))
		}
		for _, n := range []int64{-1, f.most + 1, -1 << 63, 1<<63 - 1} {
			d := f.draft()
			*f.integer(&d) = number(n)
			judge(t, d, "r-7", fmt.Sprintf("%s is %d, out of 0 to %d", f.name, n, f.most), f.name)
		}
	}
}
