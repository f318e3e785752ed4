package events

import (
	"fmt"

	"gatewaymeter/gateway"
)

// The largest numbers that a field may hold; the least is 0.
const (
	MaxInteger = 1<<53 - 1  // ts and latency_ms, in ms: the largest integer on which all JSON readers agree
	MaxTokens  = 10_000_000 // prompt_tokens and completion_tokens: no sum of costs overflows
)

// Validate is every fault of a draft whose message has that key, in this order; none: it is an event.
//
//	event_type                 "RequestStarted" or "RequestCompleted"
//	request_id                 a string, not empty
//	key                        the key is the very bytes of request_id; not judged if request_id is a fault
//	tenant_id                  a string, not empty
//	model                      a string, not empty; a model that nobody has a price for is no fault
//	ts                         an integer, 0 to MaxInteger
//	payload                    an object
//	payload.prompt_tokens      RequestStarted: an integer, 0 to MaxTokens
//	payload.completion_tokens  RequestCompleted: an integer, 0 to MaxTokens
//	payload.latency_ms         RequestCompleted: an integer, 0 to MaxInteger
//	payload.status             RequestCompleted: a string, not empty
//
// The payload's fields are judged only if event_type and payload are no faults. A fault's Name is the
// name in the first column; Why is for people. A draft without faults costs no allocation.
func Validate(d *Draft, key []byte) []Fault {
	//lab:begin 1b
	var f faults
	kind := gateway.EventType(d.EventType.Value)
	known := f.text("event_type", d.EventType)
	if known && kind != gateway.RequestStarted && kind != gateway.RequestCompleted {
		known = false
		f.add("event_type", "must be RequestStarted or RequestCompleted")
	}
	if f.text("request_id", d.RequestID) && d.RequestID.Value != string(key) {
		f.add("key", "the message's key is not its request id")
	}
	f.text("tenant_id", d.TenantID)
	f.text("model", d.Model)
	f.integer("ts", d.TS, MaxInteger)
	if !f.state("payload", d.Payload, "an object") || !known {
		return f
	}
	switch kind {
	case gateway.RequestStarted:
		f.integer("payload.prompt_tokens", d.PromptTokens, MaxTokens)
	case gateway.RequestCompleted:
		f.integer("payload.completion_tokens", d.CompletionTokens, MaxTokens)
		f.integer("payload.latency_ms", d.LatencyMS, MaxInteger)
		f.text("payload.status", d.Status)
	}
	return f
	//lab:end
}

//lab:begin 1b

// faults collects what breaks a rule; each method reports whether its rule holds.
type faults []Fault

func (f *faults) add(name, why string) { *f = append(*f, Fault{name, why}) }

func (f *faults) text(name string, t Text) bool {
	if !f.state(name, t.State, "a string") {
		return false
	}
	if t.Value == "" {
		f.add(name, "must not be empty")
		return false
	}
	return true
}

func (f *faults) integer(name string, i Integer, most int64) {
	if !f.state(name, i.State, "a whole number, without point or exponent") {
		return
	}
	if i.Value < 0 || i.Value > most {
		f.add(name, fmt.Sprintf("must be from 0 to %d", most))
	}
}

// state judges whether a field is there and of its type.
func (f *faults) state(name string, s State, kind string) bool {
	switch s {
	case Missing:
		f.add(name, "missing")
	case Null:
		f.add(name, "must not be null")
	case WrongType:
		f.add(name, "must be "+kind)
	}
	return s == Good
}

//lab:end
