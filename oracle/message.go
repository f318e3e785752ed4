package oracle

import (
	"bytes"
	"encoding/json"
	"strconv"
	"unicode/utf8"
)

// Message is one message as it stands in the log.
type Message struct {
	Partition  int32
	Offset     int64
	Key, Value []byte
}

// Bounds of the numbers in an event.
const (
	maxInteger = 1<<53 - 1  // the largest integer on which all JSON readers agree
	maxTokens  = 10_000_000 // keeps every cost and total far from overflow
)

// event is a well-formed message. Of the last four a Started event has only prompt, a Completed event
// only the others.
type event struct {
	completed                  bool
	request, tenant, model     string
	ts                         int64
	prompt, completion, waited int64
	status                     string
}

// decode returns the event in a message, or the faults for which it is malformed: see the package doc.
func decode(m Message) (event, []string) {
	if !utf8.Valid(m.Value) {
		return event{}, []string{"UTF-8"}
	}
	if !json.Valid(m.Value) {
		return event{}, []string{"JSON"}
	}
	object, fault := members(m.Value)
	if fault != "" {
		return event{}, []string{fault}
	}
	payload, payloadFault := members(object["payload"])
	if payloadFault == "twice" {
		return event{}, []string{payloadFault}
	}

	var e event
	f := &fields{of: object}
	kind := f.text("event_type")
	started, completed := kind == "RequestStarted", kind == "RequestCompleted"
	if kind != "" && !started && !completed {
		f.fault("event_type")
	}
	e.completed = completed
	e.request = f.text("request_id")
	if e.request != "" && e.request != string(m.Key) {
		f.fault("key")
	}
	e.tenant = f.text("tenant_id")
	e.model = f.text("model")
	e.ts = f.integer("ts", maxInteger)
	if payloadFault != "" {
		f.fault("payload")
		return e, f.faults
	}
	f.of, f.prefix = payload, "payload."
	if started {
		e.prompt = f.integer("prompt_tokens", maxTokens)
	}
	if completed {
		e.completion = f.integer("completion_tokens", maxTokens)
		e.waited = f.integer("latency_ms", maxInteger)
		e.status = f.text("status")
	}
	return e, f.faults
}

// members returns the members of a JSON object, undecoded, or the fault of what is none. What it gets is
// valid JSON or empty.
func members(raw []byte) (map[string]json.RawMessage, string) {
	d := json.NewDecoder(bytes.NewReader(raw))
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return nil, "JSON"
	}
	found := map[string]json.RawMessage{}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return nil, "JSON"
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return nil, "JSON"
		}
		if _, again := found[name.(string)]; again {
			return nil, "twice"
		}
		found[name.(string)] = value
	}
	return found, ""
}

// fields reads the members of an object and notes those that break their rule.
type fields struct {
	of     map[string]json.RawMessage
	prefix string
	faults []string
}

func (f *fields) fault(name string) { f.faults = append(f.faults, f.prefix+name) }

// text reads a string that must not be empty. It returns "" for a fault.
func (f *fields) text(name string) string {
	var s string
	raw := f.of[name]
	if len(raw) == 0 || raw[0] != '"' || json.Unmarshal(raw, &s) != nil || s == "" {
		f.fault(name)
		return ""
	}
	return s
}

// integer reads an integer from 0 to most. ParseInt takes neither fractions, exponents, quotes nor null,
// and the signs and leading zeros that it would take are not JSON.
func (f *fields) integer(name string, most int64) int64 {
	n, err := strconv.ParseInt(string(f.of[name]), 10, 64)
	if err != nil || n < 0 || n > most {
		f.fault(name)
		return 0
	}
	return n
}
