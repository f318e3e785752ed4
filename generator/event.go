package generator

import (
	"bytes"
	"encoding/json"

	"gatewaymeter/gateway"
)

// NewMessage is the message in which the gateway reports an event. The event's strings must need no
// JSON escapes, as the generator's own do not.
func NewMessage(e gateway.Event) Message {
	return Message{Key: []byte(e.RequestID), Value: encode(e), TS: e.TS, Partition: NoPartition}
}

// EventOf is the event in a message that [NewMessage] could have made; false for any other: a malformed
// message, or one from another writer. It is for tools that change traffic. Jobs and the oracle
// decode by their own rules.
func EventOf(m Message) (gateway.Event, bool) {
	var w struct {
		Type    gateway.EventType `json:"event_type"`
		Request string            `json:"request_id"`
		Tenant  string            `json:"tenant_id"`
		Model   string            `json:"model"`
		TS      int64             `json:"ts"`
		Payload struct {
			Prompt     int64  `json:"prompt_tokens"`
			Completion int64  `json:"completion_tokens"`
			Latency    int64  `json:"latency_ms"`
			Status     string `json:"status"`
		} `json:"payload"`
	}
	if json.Unmarshal(m.Value, &w) != nil {
		return gateway.Event{}, false
	}
	e := gateway.Event{
		Type: w.Type, RequestID: w.Request, TenantID: w.Tenant, Model: w.Model, TS: w.TS,
		PromptTokens: w.Payload.Prompt, CompletionTokens: w.Payload.Completion, LatencyMS: w.Payload.Latency, Status: w.Payload.Status,
	}
	return e, wellFormed(e) && string(m.Key) == e.RequestID && bytes.Equal(encode(e), m.Value)
}

// wellFormed says what the bytes cannot: that the fields are those of a good event.
func wellFormed(e gateway.Event) bool {
	if e.RequestID == "" || e.TenantID == "" || e.Model == "" || e.TS < 0 {
		return false
	}
	switch e.Type {
	case gateway.RequestStarted:
		return e.PromptTokens >= 0
	case gateway.RequestCompleted:
		return e.CompletionTokens >= 0 && e.LatencyMS >= 0 && e.Status != ""
	}
	return false
}
