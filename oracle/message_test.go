package oracle

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const (
	goodStart = `{"event_type":"RequestStarted","request_id":"r-1","tenant_id":"acme","model":"model-a","ts":1000,"payload":{"prompt_tokens":7}}`
	goodEnd   = `{"event_type":"RequestCompleted","request_id":"r-1","tenant_id":"acme","model":"model-a","ts":2000,"payload":{"completion_tokens":3,"latency_ms":1000,"status":"ok"}}`
)

func TestWellFormedEvents(t *testing.T) {
	e, faults := decode(Message{Key: []byte("r-1"), Value: []byte(goodStart)})
	require.Empty(t, faults)
	require.Equal(t, event{request: "r-1", tenant: "acme", model: "model-a", ts: 1000, prompt: 7}, e)

	e, faults = decode(Message{Key: []byte("r-1"), Value: []byte(goodEnd)})
	require.Empty(t, faults)
	require.Equal(t, event{completed: true, request: "r-1", tenant: "acme", model: "model-a", ts: 2000, completion: 3, waited: 1000, status: "ok"}, e)
}

// TestFaults has a row for each sentence of "What is malformed". Each takes a good event and replaces
// one piece of it.
func TestFaults(t *testing.T) {
	for _, row := range []struct{ name, event, old, new, faults string }{
		{"white space is JSON's", goodStart, `"ts":1000,`, " \t\r\n\"ts\" : 1000 , ", ""},
		{"white space around", goodStart, goodStart, " " + goodStart + "\n", ""},
		{"unknown members are ignored", goodStart, `"ts":1000`, `"ts":1000,"x":{"y":1,"y":2}`, ""},
		{"members of the other type are ignored", goodStart, `"prompt_tokens":7`, `"prompt_tokens":7,"status":3`, ""},
		{"minus zero", goodStart, `:7`, `:-0`, ""},
		{"an escaped name is the name", goodStart, `"ts"`, `"\u0074s"`, ""},
		{"an unknown model", goodStart, `model-a`, `model-z`, ""},
		{"the greatest numbers", goodStart, `1000,"payload":{"prompt_tokens":7`, `9007199254740991,"payload":{"prompt_tokens":10000000`, ""},

		{"empty", goodStart, goodStart, "", "JSON"},
		{"invalid UTF-8 in a string", goodStart, "acme", "ac\xffme", "UTF-8"},
		{"invalid UTF-8 beats bad JSON", goodStart, goodStart, "\xff", "UTF-8"},
		{"cut off", goodStart, `}}`, `}`, "JSON"},
		{"not JSON", goodStart, goodStart, "ping", "JSON"},
		{"an array", goodStart, goodStart, "[]", "JSON"},
		{"null", goodStart, goodStart, "null", "JSON"},
		{"something after it", goodStart, `}}`, `}} {}`, "JSON"},
		{"trailing comma", goodStart, `7}`, `7,}`, "JSON"},
		{"a leading zero", goodStart, `1000`, `01000`, "JSON"},
		{"byte order mark", goodStart, `{"event_type"`, "\ufeff{\"event_type\"", "JSON"},
		{"a member twice", goodStart, `"ts":1000`, `"ts":1000,"ts":1000`, "twice"},
		{"an unknown member twice", goodStart, `"ts":1000`, `"ts":1000,"x":1,"x":1`, "twice"},
		{"a payload member twice", goodStart, `:7`, `:7,"prompt_tokens":7`, "twice"},
		{"twice by an escape", goodStart, `"ts":1000`, `"ts":1000,"\u0074s":1000`, "twice"},

		{"unknown type", goodStart, "RequestStarted", "RequestPaused", "event_type"},
		{"no type", goodStart, `"event_type":"RequestStarted",`, ``, "event_type"},
		{"case matters", goodStart, `"ts"`, `"TS"`, "ts"},
		{"case matters in the type", goodStart, "RequestStarted", "requeststarted", "event_type"},
		{"null is no value", goodStart, `"acme"`, `null`, "tenant_id"},
		{"empty string", goodStart, `"acme"`, `""`, "tenant_id"},
		{"a number for a string", goodStart, `"acme"`, `5`, "tenant_id"},
		{"model", goodStart, `"model-a"`, `["model-a"]`, "model"},
		{"a string for a number", goodStart, `1000`, `"1000"`, "ts"},
		{"a fraction", goodStart, `1000`, `1000.0`, "ts"},
		{"an exponent", goodStart, `1000`, `1e3`, "ts"},
		{"negative", goodStart, `1000`, `-1`, "ts"},
		{"too large", goodStart, `1000`, `9007199254740992`, "ts"},
		{"larger than int64", goodStart, `1000`, `99999999999999999999`, "ts"},
		{"null number", goodStart, `1000`, `null`, "ts"},
		{"empty request id", goodStart, `"r-1"`, `""`, "request_id"},
		{"the key of another request", goodStart, `"r-1"`, `"r-2"`, "key"},
		{"no payload", goodStart, `,"payload":{"prompt_tokens":7}`, ``, "payload"},
		{"payload null", goodStart, `{"prompt_tokens":7}`, `null`, "payload"},
		{"payload a string", goodStart, `{"prompt_tokens":7}`, `"{}"`, "payload"},
		{"no tokens", goodStart, `"prompt_tokens":7`, ``, "payload.prompt_tokens"},
		{"too many tokens", goodStart, `:7`, `:10000001`, "payload.prompt_tokens"},
		{"too many tokens out", goodEnd, `:3`, `:10000001`, "payload.completion_tokens"},
		{"negative latency", goodEnd, `"latency_ms":1000`, `"latency_ms":-5`, "payload.latency_ms"},
		{"empty status", goodEnd, `"ok"`, `""`, "payload.status"},
		{"all that is wrong, in order", goodEnd, goodEnd, `{"event_type":"RequestCompleted","ts":true,"payload":{"latency_ms":1.5}}`,
			"request_id tenant_id model ts payload.completion_tokens payload.latency_ms payload.status"},
		{"no fields of the payload without a type", goodEnd, goodEnd, `{"payload":{}}`, "event_type request_id tenant_id model ts"},
	} {
		t.Run(row.name, func(t *testing.T) {
			require.Contains(t, row.event, row.old)
			value := strings.Replace(row.event, row.old, row.new, 1)
			_, faults := decode(Message{Key: []byte("r-1"), Value: []byte(value)})
			require.Equal(t, row.faults, strings.Join(faults, " "), value)
		})
	}
}

func TestKeyIsTheBytesOfTheRequestID(t *testing.T) {
	for _, key := range []string{"", "r-2", "r-1 ", "r-\xff"} {
		_, faults := decode(Message{Key: []byte(key), Value: []byte(goodStart)})
		require.Equal(t, []string{"key"}, faults, "key %q", key)
	}
	// U+FFFD in the id is not what invalid bytes in the key are.
	_, faults := decode(Message{Key: []byte("\xff"), Value: []byte(strings.Replace(goodStart, "r-1", `\ud800`, 1))})
	require.Equal(t, []string{"key"}, faults)
	_, faults = decode(Message{Key: []byte("\ufffd"), Value: []byte(strings.Replace(goodStart, "r-1", `\ud800`, 1))})
	require.Empty(t, faults)
}
