// Package oracle is the truth about a finished run: the messages of a topic go in as they stand in
// the log, and what every correct job must have made of them comes out.
//
// It is a batch program that can be read in five minutes, in this order: message.go (bytes to event),
// pair.go (events to records), invoice.go (records to bills), then check*.go, which hold a run's output
// topics against the invoice. It has no time, no state and no threads, and it imports nothing of this
// module: decoding, pairing and pricing are written here a second time, in the plainest way, so that a
// mistake in the engine is not repeated here. A test keeps it so.
//
// It trusts the log to follow the generator's rules (docs/design.md §7) and checks those that it can:
// offsets ascend in a partition, and a request's messages share one. What it leaves to others: where
// the messages come from, and who prints the result.
//
// # What is malformed
//
// A message is well-formed when all of this holds; else it is malformed, is counted, goes to the dead
// letters, and has no other effect at all. Decode and Validate of lab 01 follow the same rules.
//
// The whole value, in this order; the first rule that fails is the message's only fault:
//
//	fault    rule
//	UTF-8    every byte of the value is part of valid UTF-8
//	JSON     the value is one JSON object and nothing else but JSON's white space around it
//	twice    neither the object nor its payload has two members of the same name
//
// Then the fields, by their exact names (upper and lower case differ). All that are missing, null, of
// another type or out of range are faults, in this order:
//
//	fault                      rule
//	event_type                 "RequestStarted" or "RequestCompleted"
//	request_id                 a string, not empty
//	key                        the message's key is the very bytes of request_id (not judged when request_id is a fault)
//	tenant_id                  a string, not empty
//	model                      a string, not empty (an unknown model is well-formed: it is unpriced)
//	ts                         an integer, 0 to 9007199254740991 (2^53-1)
//	payload                    an object
//	payload.prompt_tokens      RequestStarted: an integer, 0 to 10000000
//	payload.completion_tokens  RequestCompleted: an integer, 0 to 10000000
//	payload.latency_ms         RequestCompleted: an integer, 0 to 9007199254740991
//	payload.status             RequestCompleted: a string, not empty
//
// An integer is written as JSON digits with at most a minus sign before them: 1.0, 1e3 and "1" are
// faults, -0 is 0. Members that are not named here are ignored, whatever they hold. Fields of the
// payload are judged only if event_type and payload are right. An escaped half of a surrogate pair in
// a string reads as U+FFFD, as in encoding/json. An empty value is no JSON, so a message that Kafka
// calls a tombstone is malformed.
//
// With these bounds a request costs at most 1.25e11 nano-USD, so that a total overflows only after
// more than 70 million such requests.
//
// A dead letter carries the value's bytes as they came, topic, partition and offset, and a reason in
// words of the job's choice that must contain the name of each fault, as written above.
//
// # What each message counts as
//
// First come duplicates: the identity of an event is (request_id, event_type), and the first
// well-formed message of that identity in the log stands. Every later one is a duplicate, whether its
// bytes are the same or not: it is counted and has no other effect (its ts still drives the watermark).
// All that follows is about first events.
//
//	anomaly                     stage 03              stages 04, 05            stages 06, 07
//	malformed message           malformed             malformed                malformed
//	duplicate                   duplicates            duplicates               duplicates
//	started, never completed    open, no bill         open, no bill            abandoned, prompt billed
//	completed, never started    unmatched             unmatched                unmatched
//	completed before started    unmatched + open      unmatched + open         unmatched + abandoned
//	  in the log (a reversal)
//	completed 5 min or more     record, billed        record, billed           abandoned + unmatched
//	  after the start
//	error status                record, billed        record, billed           record, billed
//	unknown model               record + unpriced     record + unpriced        record + unpriced
//	unknown model, never        open                  open                     abandoned + unpriced
//	  completed
//	Completed lags more than    record, billed        record, billed in its    record, billed in its
//	  the bound behind                                window or late           window or late
//
// A record takes tenant, model, prompt tokens and start from the Started event, and the rest from the
// Completed event. An abandoned one ends exactly five minutes after its start, with no completion
// tokens, latency 300000 and status "abandoned"; its window is the minute of that end. Whatever is
// still open at the end of the input is abandoned too, from stage 06 on. A record of an unknown model
// counts as a record and as unpriced (and as abandoned, if it is), has no bill, and is in no window.
//
// From stage 04 on the bill is per tenant and minute, by the time of completion. A record is surely in
// its window if the watermark cannot have passed the window's last moment plus the allowed lateness:
// if window end - 1 + lateness > M - bound - 1, where M is the greatest ts before the record's
// Completed in its own partition. Abandoned records always are, as the watermark fires the timer that
// makes them. Which of the other records end in topic late depends on timing, so CheckWindows asks
// only that each is in one of the two places, exactly once. When no event lags more than the bound, that
// is no freedom at all: every window is exact and nothing is late.
//
// Money is whole nano-USD. From stage 04 on, the run's sum is the windows plus what went to topic late,
// so it is the sum over all priced records at every stage.
package oracle
