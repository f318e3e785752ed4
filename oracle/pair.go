package oracle

import "fmt"

// abandonAfter is how long a request may stay open, in ms of event time, from stage 06 on.
const abandonAfter = 5 * 60 * 1000

// none is the greatest ts of a partition that has had no event yet.
const none = int64(-1)

// request is what the log says about one request: its first event of each type.
type request struct {
	id                 string
	partition          int32
	started, completed *event
	reversed           bool  // the Completed event stands first in the log
	offset             int64 // of the Completed event
	before             int64 // the greatest ts in the partition before the Completed event
}

// reading is the whole log, read once from front to back.
type reading struct {
	requests    []*request // in the order of their first event
	duplicates  int64
	maxLag      int64 // ms by which a first event stood behind the greatest ts before it in its partition
	deadLetters []DeadLetter
}

// read decodes the log and puts the events of each request together, until stop has an error.
func read(stop func() error, log []Message, topic string) (*reading, error) {
	r := &reading{}
	byID := map[string]*request{}
	next := map[int32]int64{}     // the least offset that may follow in a partition
	greatest := map[int32]int64{} // the greatest ts of a partition so far
	for i, m := range log {
		if i%1024 == 0 {
			if err := stop(); err != nil {
				return nil, err
			}
		}
		if m.Offset < next[m.Partition] {
			return nil, fmt.Errorf("oracle: offset %d of partition %d comes after offset %d: pass each partition's messages once, in the order of the log",
				m.Offset, m.Partition, next[m.Partition]-1)
		}
		next[m.Partition] = m.Offset + 1

		e, faults := decode(m)
		if len(faults) > 0 {
			r.deadLetters = append(r.deadLetters, DeadLetter{Raw: m.Value, Topic: topic, Partition: m.Partition, Offset: m.Offset, faults: faults})
			continue
		}
		before, seen := greatest[m.Partition]
		if !seen {
			before = none
		}
		greatest[m.Partition] = max(before, e.ts)

		q := byID[e.request]
		if q == nil {
			q = &request{id: e.request, partition: m.Partition}
			byID[e.request] = q
			r.requests = append(r.requests, q)
		}
		if q.partition != m.Partition {
			return nil, fmt.Errorf("oracle: request %q is in partitions %d and %d: a request's messages must share a partition, or their order is not known",
				e.request, q.partition, m.Partition)
		}
		switch {
		case e.completed && q.completed == nil:
			q.completed, q.reversed = &e, q.started == nil
			q.offset, q.before = m.Offset, before
		case !e.completed && q.started == nil:
			q.started = &e
		default:
			r.duplicates++
			continue
		}
		r.maxLag = max(r.maxLag, before-e.ts)
	}
	return r, nil
}

// outcome is what becomes of one request.
type outcome struct {
	record    *Record // nil: none
	abandoned bool    // the record was made without a completion
	open      bool    // started, and no record made of it
	unmatched bool    // the Completed event found no open request
}

// settle decides what becomes of a request. In each stage a Completed event needs its Started event
// before it in the log; from stage 06 on it must also come within five minutes of it.
func settle(q *request, stage int) outcome {
	matched := q.started != nil && q.completed != nil && !q.reversed
	if matched && stage >= 6 {
		matched = q.completed.ts < q.started.ts+abandonAfter
	}
	o := outcome{unmatched: q.completed != nil && !matched}
	switch {
	case matched:
		s, c := q.started, q.completed
		o.record = &Record{
			RequestID: q.id, TenantID: s.tenant, Model: s.model, StartedTS: s.ts, CompletedTS: c.ts,
			LatencyMS: c.waited, PromptTokens: s.prompt, CompletionTokens: c.completion, Status: c.status,
		}
	case q.started != nil && stage >= 6:
		s := q.started
		o.abandoned = true
		o.record = &Record{
			RequestID: q.id, TenantID: s.tenant, Model: s.model, StartedTS: s.ts, CompletedTS: s.ts + abandonAfter,
			LatencyMS: abandonAfter, PromptTokens: s.prompt, Status: "abandoned",
		}
	case q.started != nil:
		o.open = true
	}
	return o
}
