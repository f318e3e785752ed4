package generator

import (
	"bytes"
	"fmt"
	"time"

	"gatewaymeter/gateway"
)

// Check says which message is the first to break one of the rules that make a job's results a function
// of its input (G1 to G5 of docs/design.md §7), and how; nil if none does. bound is B and within is D.
//
// It is for traffic that was changed after it was made. What [EventOf] does not read counts as
// malformed, which no rule forbids.
func Check(messages []Message, bound, within time.Duration) error {
	c := checker{bound: bound.Milliseconds(), within: within.Milliseconds(), high: -1, requests: map[string]*seen{}}
	for i, m := range messages {
		if len(m.Key) == 0 {
			return fmt.Errorf("message %d breaks G1: it has no key", i)
		}
		e, ok := EventOf(m)
		if !ok {
			continue
		}
		if err := c.event(e, m); err != nil {
			return fmt.Errorf("message %d, %s of %s, breaks %w", i, e.Type, e.RequestID, err)
		}
		c.high = max(c.high, e.TS)
	}
	return nil
}

// checker is what the messages so far have in common.
type checker struct {
	bound, within int64 // ms
	high          int64 // the greatest ts so far
	requests      map[string]*seen
}

// seen is the first message of each type of a request; nil: none yet.
type seen struct {
	started, completed     []byte
	startedTS, completedTS int64
}

func (c *checker) event(e gateway.Event, m Message) error {
	s := c.requests[e.RequestID]
	if s == nil {
		s = &seen{}
		c.requests[e.RequestID] = s
	}
	first, ts := &s.started, &s.startedTS
	if e.Type == gateway.RequestCompleted {
		first, ts = &s.completed, &s.completedTS
	}
	if *first != nil {
		return c.duplicate(e, m, *first)
	}
	reversed := e.Type == gateway.RequestStarted && s.completed != nil
	*first, *ts = m.Value, e.TS
	if s.started != nil && s.completed != nil {
		switch latency := s.completedTS - s.startedTS; {
		case latency <= 0:
			return fmt.Errorf("G2: it does not take any time")
		case reversed && latency > c.bound:
			return fmt.Errorf("G2: a reversal of %d ms, above the bound of %d ms", latency, c.bound)
		}
	}
	if lag := c.high - e.TS; lag > c.bound && !c.mayLag(e, s) {
		return fmt.Errorf("G3: it lags %d ms, above the bound of %d ms", lag, c.bound)
	}
	return nil
}

// mayLag applies G5: a completion may lag more if no watermark can have abandoned its request.
func (c *checker) mayLag(e gateway.Event, s *seen) bool {
	abandoned := s.startedTS + gateway.AbandonAfterMS
	return e.Type == gateway.RequestCompleted && s.started != nil && e.TS < abandoned && c.high-c.bound-1 < abandoned
}

func (c *checker) duplicate(e gateway.Event, m Message, first []byte) error {
	switch {
	case !bytes.Equal(m.Value, first):
		return fmt.Errorf("G4: its bytes are not those of the first")
	case c.high > e.TS+c.within:
		return fmt.Errorf("G4: a duplicate %d ms late, above %d ms", c.high-e.TS, c.within)
	}
	return nil
}
