package events

import "gatewaymeter/todo" // made from ../solution by "go tool lab starters"; this file is yours to edit

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
	panic(todo.Exercise("1b"))
	//lab:end
}

//lab:begin 1b

// What 1b needs besides goes here.

//lab:end
