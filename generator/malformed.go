package generator

import (
	"bytes"
	"strconv"
)

// malformedKinds is how many kinds of malformed messages there are.
const malformedKinds = 18

// damage makes a good message malformed. It gets copies, which it may change.
type damage struct {
	name  string
	spoil func(key, value []byte) ([]byte, []byte)
}

// damages are taken in turn, so that a run with enough malformed messages has every kind.
var damages = [malformedKinds]damage{
	{"cut off", value(func(v []byte) []byte { return v[:len(v)/2] })},
	{"not JSON", value(func([]byte) []byte { return []byte("ping") })},
	{"empty", value(func([]byte) []byte { return []byte{} })},
	{"an array", value(func(v []byte) []byte { return append(append([]byte("["), v...), ']') })},
	{"two objects", value(func(v []byte) []byte { return append(v, v...) })},
	{"invalid UTF-8", replace(`"tenant_id":"`, "\"tenant_id\":\"\xff")},
	{"a member twice", replace(`"ts":`, `"ts":0,"ts":`)},
	{"unknown event type", replace(`"event_type":"Request`, `"event_type":"Response`)},
	{"missing field", replace(`"tenant_id":`, `"Tenant_ID":`)},
	{"empty field", replace(`"model":`, `"model":"","was":`)},
	{"empty request id", replace(`"request_id":`, `"request_id":"","was":`)},
	{"null", replace(`"payload":`, `"payload":null,"was":`)},
	{"wrong type", replace(`"ts":`, `"ts":"now","was":`)},
	{"fraction", replace(`"ts":`, `"ts":0.5,"was":`)},
	{"out of range", replace(`"ts":`, `"ts":9223372036854775808,"was":`)},
	{"negative", replace(`_tokens":`, `_tokens":-`)},
	{"key of another request", func(k, v []byte) ([]byte, []byte) { return append(k, "-other"...), v }},
	{"invalid UTF-8 in the key", func(k, v []byte) ([]byte, []byte) { return append(k, 0xff), v }},
}

func value(spoil func(v []byte) []byte) func(k, v []byte) ([]byte, []byte) {
	return func(k, v []byte) ([]byte, []byte) { return k, spoil(v) }
}

func replace(old, new string) func(k, v []byte) ([]byte, []byte) {
	return value(func(v []byte) []byte { return bytes.Replace(v, []byte(old), []byte(new), 1) })
}

// MalformedNames names the kinds, in the order of Counts.MalformedKinds.
func MalformedNames() []string {
	names := make([]string, malformedKinds)
	for i, d := range damages {
		names[i] = d.name
	}
	return names
}

// malformed makes the n-th malformed message out of the good one before it in the log: half of them on
// that request's own key, half on a key that no request has.
func malformed(n int64, after Message, own bool) (Message, int) {
	kind := int(n % malformedKinds)
	key, v := bytes.Clone(after.Key), bytes.Clone(after.Value)
	if !own {
		stranger := []byte("x-" + strconv.FormatInt(n, 10))
		v = bytes.Replace(v, append([]byte(`"request_id":"`), key...), append([]byte(`"request_id":"`), stranger...), 1)
		key = stranger
	}
	key, v = damages[kind].spoil(key, v)
	return Message{Key: key, Value: v, Partition: NoPartition}, kind
}
