package lab01_test

import (
	"fmt"
	"strings"
	"testing"

	"gatewaymeter/gateway"
	"gatewaymeter/internal/kit/suite"
	events "gatewaymeter/labs/01-events/starter"
)

// The two messages that everything here is a variation of.
const (
	startedJSON = `{"event_type":"RequestStarted","request_id":"r-7","tenant_id":"tenant-3","model":"model-a",` +
		`"ts":1764480000123,"payload":{"prompt_tokens":512}}`
	completedJSON = `{"event_type":"RequestCompleted","request_id":"r-7","tenant_id":"tenant-3","model":"model-a",` +
		`"ts":1764480004123,"payload":{"completion_tokens":80,"latency_ms":4000,"status":"ok"}}`
)

func text(s string) events.Text     { return events.Text{State: events.Good, Value: s} }
func number(n int64) events.Integer { return events.Integer{State: events.Good, Value: n} }
func parse(value string) (events.Draft, error) {
	var d events.Draft
	err := d.Parse([]byte(value))
	return d, err
}

func startedDraft() events.Draft {
	return events.Draft{
		EventType: text("RequestStarted"), RequestID: text("r-7"), TenantID: text("tenant-3"), Model: text("model-a"),
		TS: number(1764480000123), Payload: events.Good, PromptTokens: number(512),
	}
}

func completedDraft() events.Draft {
	return events.Draft{
		EventType: text("RequestCompleted"), RequestID: text("r-7"), TenantID: text("tenant-3"), Model: text("model-a"),
		TS: number(1764480004123), Payload: events.Good,
		CompletionTokens: number(80), LatencyMS: number(4000), Status: text("ok"),
	}
}

// Test1a: Decode: bytes to Event, both types (25 min)
func Test1a(t *testing.T) {
	suite.Exercise(t, "1a", func(t *testing.T) {
		suite.Sub(t, "both types are read", func(t *testing.T) {
			parsesTo(t, startedJSON, startedDraft(), "the fields of a RequestStarted are not what its JSON says")
			parsesTo(t, completedJSON, completedDraft(), "the fields of a RequestCompleted are not what its JSON says")
		})
		suite.Sub(t, "members come in any order and with white space", func(t *testing.T) {
			parsesTo(t, " {\n\t\"payload\" : { \"prompt_tokens\" : 512 } , \"ts\":1764480000123,\r\n \"model\":\"model-a\","+
				`"tenant_id":"tenant-3","request_id":"r-7","event_type":"RequestStarted" } `, startedDraft(),
				"order or white space changed what was read")
		})
		suite.Sub(t, "other members are ignored, wherever they stand", func(t *testing.T) {
			value := strings.Replace(startedJSON, "{", `{"region":{"ts":1,"model":[null,true,-1.5e3]},"TS":9,"Model":"x",`, 1)
			value = strings.Replace(value, `"payload":{`, `"payload":{"ts":3,"cache":{"prompt_tokens":1},`, 1)
			value = value[:len(value)-1] + `,"Tenant_ID":"x","MODEL":null}`
			parsesTo(t, value, startedDraft(), "a member that is not ours was taken for one that is: names are exact, and a name inside another object is another name")
		})
		suite.Sub(t, "escapes are text", func(t *testing.T) {
			want := startedDraft()
			want.TenantID = text("tenant-é-😀-\"")
			parsesTo(t, strings.Replace(startedJSON, `"tenant-3"`, `"tenant-\u00e9-\ud83d\ude00-\""`, 1), want, "an escape was not decoded")
		})
		suite.Sub(t, "missing, null and wrong type are told apart", fieldStates)
		suite.Sub(t, "what is no message as a whole is refused", wholeFaults)
		suite.Sub(t, "an event has the fields of its type only", eventOfDraft)
	})
}

func parsesTo(t *testing.T, value string, want events.Draft, says string) {
	t.Helper()
	got, err := parse(value)
	suite.NoError(t, err, fmt.Sprintf("Parse takes %s", value))
	suite.Equal(t, want, got, suite.Failure{Says: says, Input: value})
}

// fieldStates replaces one field's value at a time, and takes it out.
func fieldStates(t *testing.T) {
	base := startedJSON[:len(startedJSON)-1] + `,"end":0}`
	base = strings.Replace(base, `{"prompt_tokens":512}`,
		`{"prompt_tokens":512,"completion_tokens":80,"latency_ms":4000,"status":"ok","end":0}`, 1)
	for _, f := range []struct {
		name, value string
		wrong       []string
		state       func(events.Draft) events.State
	}{
		{"event_type", `"RequestStarted"`, []string{"1", "true", "{}", "[]"}, func(d events.Draft) events.State { return d.EventType.State }},
		{"request_id", `"r-7"`, []string{"7", "false", "[\"r-7\"]"}, func(d events.Draft) events.State { return d.RequestID.State }},
		{"tenant_id", `"tenant-3"`, []string{"3", "{}"}, func(d events.Draft) events.State { return d.TenantID.State }},
		{"model", `"model-a"`, []string{"-1", "{}"}, func(d events.Draft) events.State { return d.Model.State }},
		{"ts", `1764480000123`, []string{`"1764480000123"`, "1.0", "1e3", "9223372036854775808", "true", "[1]"}, func(d events.Draft) events.State { return d.TS.State }},
		{"prompt_tokens", `512`, []string{`"512"`, "512.0", "{}"}, func(d events.Draft) events.State { return d.PromptTokens.State }},
		{"completion_tokens", `80`, []string{`"80"`, "8e1"}, func(d events.Draft) events.State { return d.CompletionTokens.State }},
		{"latency_ms", `4000`, []string{`"4000"`, "4000.5", "-9223372036854775809"}, func(d events.Draft) events.State { return d.LatencyMS.State }},
		{"status", `"ok"`, []string{"200", "{}"}, func(d events.Draft) events.State { return d.Status.State }},
	} {
		member := fmt.Sprintf("%q:%s,", f.name, f.value)
		check := func(with string, want events.State, what string) {
			t.Helper()
			value := strings.Replace(base, member, with, 1)
			d, err := parse(value)
			suite.NoError(t, err, "a field that is wrong is no error of Parse; "+value)
			suite.Equal(t, want, f.state(d), suite.Failure{Says: f.name + " is " + what + ", and its State says something else", Input: value})
		}
		check(member, events.Good, "there and of its type")
		check("", events.Missing, "missing")
		check(fmt.Sprintf("%q:null,", f.name), events.Null, "null")
		for _, wrong := range f.wrong {
			check(fmt.Sprintf("%q:%s,", f.name, wrong), events.WrongType, wrong)
		}
	}
	for _, c := range []struct {
		value string
		want  events.State
	}{{`[]`, events.WrongType}, {`"x"`, events.WrongType}, {`null`, events.Null}, {`{}`, events.Good}} {
		d, err := parse(`{"payload":` + c.value + `}`)
		suite.NoError(t, err, "a payload that is wrong is no error of Parse")
		suite.Equal(t, c.want, d.Payload, suite.Failure{Says: "the payload's state is wrong", Input: "payload " + c.value})
	}
}

func wholeFaults(t *testing.T) {
	twice := strings.Replace(startedJSON, `"ts":`, `"ts":5,"ts":`, 1)
	inPayload := strings.Replace(startedJSON, `"prompt_tokens":512`, `"prompt_tokens":1,"prompt_tokens":512`, 1)
	for _, c := range []struct{ name, value, want string }{
		{"a byte that is no text", strings.Replace(startedJSON, "r-7", "r-\xff", 1), "UTF-8"},
		{"half a character in an ignored member", `{"note":"` + "\xc3" + `"}`, "UTF-8"},
		{"no text before no JSON", "\xff{", "UTF-8"},
		{"nothing", "", "JSON"},
		{"white space", " \n", "JSON"},
		{"a cut message", startedJSON[:len(startedJSON)-1], "JSON"},
		{"an array", "[" + startedJSON + "]", "JSON"},
		{"null", "null", "JSON"},
		{"two objects", startedJSON + startedJSON, "JSON"},
		{"something after the object", startedJSON + " x", "JSON"},
		{"a name without quotes", `{ts:1}`, "JSON"},
		{"a number that JSON does not know", `{"ts":01}`, "JSON"},
		{"a broken ignored member", `{"note":{"a":}}`, "JSON"},
		{"a name twice", twice, "twice"},
		{"a name twice, once with an escape", strings.Replace(startedJSON, `"ts":`, `"t\u0073":5,"ts":`, 1), "twice"},
		{"an ignored name twice", `{"x":1,"x":1}`, "twice"},
		{"a name twice in the payload", inPayload, "twice"},
		{"a name twice, then no JSON", twice[:len(twice)-1], "JSON"},
		{"a name twice in the payload, then no JSON", inPayload + "]", "JSON"},
	} {
		_, err := parse(c.value)
		suite.Equal(t, []string{c.want}, faultsOf(err), suite.Failure{
			Says: c.name + ": Parse must refuse it with that fault alone", Input: fmt.Sprintf("%q", c.value),
		})
	}
	_, err := parse(`{"note":{"x":1,"x":2},"payload":{"cache":{"a":1,"a":2}}}`)
	suite.NoError(t, err, "a name that stands twice inside an ignored member is nobody's business")
}

// faultsOf is the names of the faults in err; nil if it is no *Malformed.
func faultsOf(err error) []string {
	m, ok := err.(*events.Malformed)
	if !ok {
		return nil
	}
	return names(m.Faults)
}

func names(faults []events.Fault) []string {
	var out []string
	for _, f := range faults {
		out = append(out, f.Name)
	}
	return out
}

func eventOfDraft(t *testing.T) {
	d := startedDraft()
	suite.Equal(t, gateway.Event{
		Type: gateway.RequestStarted, RequestID: "r-7", TenantID: "tenant-3", Model: "model-a", TS: 1764480000123, PromptTokens: 512,
	}, d.Event(), suite.Failure{Says: "the event of a started request is not its draft's", Input: startedJSON})
	d = completedDraft()
	suite.Equal(t, gateway.Event{
		Type: gateway.RequestCompleted, RequestID: "r-7", TenantID: "tenant-3", Model: "model-a", TS: 1764480004123,
		CompletionTokens: 80, LatencyMS: 4000, Status: "ok",
	}, d.Event(), suite.Failure{Says: "the event of a completed request is not its draft's", Input: completedJSON})

	d = completedDraft()
	d.PromptTokens = number(99)
	suite.Equal(t, int64(0), d.Event().PromptTokens, suite.Failure{
		Says: "a RequestCompleted that brings prompt_tokens must not set them: they were counted at the start", Input: "completed, with prompt_tokens 99",
	})
	d = startedDraft()
	d.CompletionTokens, d.LatencyMS, d.Status = number(1), number(2), text("ok")
	e := d.Event()
	suite.Equal(t, gateway.Event{}, gateway.Event{CompletionTokens: e.CompletionTokens, LatencyMS: e.LatencyMS, Status: e.Status}, suite.Failure{
		Says: "a RequestStarted has no completion tokens, latency or status, whatever it brings", Input: "started, with fields of both types",
	})
}
