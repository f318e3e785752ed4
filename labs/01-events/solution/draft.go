package events

import (
	"strconv"
	"unicode/utf8"

	"gatewaymeter/gateway"
)

// Draft is a message's fields as they stand in its JSON, not judged yet.
type Draft struct {
	EventType, RequestID, TenantID, Model Text
	TS                                    Integer
	Payload                               State // Good: an object
	PromptTokens                          Integer
	CompletionTokens, LatencyMS           Integer
	Status                                Text
}

// State says what stands in the JSON where a field should be.
type State uint8

// The states of a field.
const (
	Missing   State = iota // the member is not there
	Null                   // it is null
	WrongType              // it is of another JSON type, or a number that is no 64-bit integer
	Good                   // it is of the right type
)

func (s State) String() string {
	return [...]string{"Missing", "Null", "WrongType", "Good"}[s]
}

// Text is a field that should be a string.
type Text struct {
	State State
	Value string // if Good
}

// String is the value in quotes, or what is there instead.
func (t Text) String() string {
	if t.State != Good {
		return t.State.String()
	}
	return strconv.Quote(t.Value)
}

// Integer is a field that should be a whole number.
type Integer struct {
	State State
	Value int64 // if Good
}

// String is the value, or what is there instead.
func (n Integer) String() string {
	if n.State != Good {
		return n.State.String()
	}
	return strconv.FormatInt(n.Value, 10)
}

// Parse reads a message's value into d, which must be zero. It judges the value as a whole only, and
// returns a *Malformed with a single fault, the first of these that applies:
//
//   - UTF-8: some byte is not part of valid UTF-8;
//   - JSON: the value is not one JSON object with nothing but white space around it;
//   - twice: two members of the object, or two of its payload, have the same name.
//
// Fields are found by their exact names; other members are ignored. What is missing or wrong in a field
// is no error here: it stays in d for Validate.
func (d *Draft) Parse(value []byte) error {
	//lab:begin 1a
	if !utf8.Valid(value) {
		return malformed("UTF-8", "the value has bytes that are no text")
	}
	var payloadErr error
	object := Scan(value)
	for object.Next() {
		switch string(object.Name()) {
		case "event_type":
			d.EventType = object.Text()
		case "request_id":
			d.RequestID = object.Text()
		case "tenant_id":
			d.TenantID = object.Text()
		case "model":
			d.Model = object.Text()
		case "ts":
			d.TS = object.Integer()
		case "payload":
			payload, state := object.Object()
			if d.Payload = state; state == Good {
				payloadErr = d.parsePayload(&payload)
			}
		}
	}
	if err := object.Err(); err != nil {
		return err // a syntax error further on comes before a name that stands twice in the payload
	}
	return payloadErr
	//lab:end
}

//lab:begin 1a

// parsePayload reads the fields of both types; which of them matter is for Validate.
func (d *Draft) parsePayload(payload *Scanner) error {
	for payload.Next() {
		switch string(payload.Name()) {
		case "prompt_tokens":
			d.PromptTokens = payload.Integer()
		case "completion_tokens":
			d.CompletionTokens = payload.Integer()
		case "latency_ms":
			d.LatencyMS = payload.Integer()
		case "status":
			d.Status = payload.Text()
		}
	}
	return payload.Err()
}

//lab:end

// Event is the event of a draft in which Validate found no fault. Payload fields that the event's type
// does not have are zero, whatever the message says about them.
func (d *Draft) Event() gateway.Event {
	//lab:begin 1a
	e := gateway.Event{
		Type:      gateway.EventType(d.EventType.Value),
		RequestID: d.RequestID.Value,
		TenantID:  d.TenantID.Value,
		Model:     d.Model.Value,
		TS:        d.TS.Value,
	}
	switch e.Type {
	case gateway.RequestStarted:
		e.PromptTokens = d.PromptTokens.Value
	case gateway.RequestCompleted:
		e.CompletionTokens = d.CompletionTokens.Value
		e.LatencyMS = d.LatencyMS.Value
		e.Status = d.Status.Value
	}
	return e
	//lab:end
}
