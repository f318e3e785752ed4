package pipeline

import (
	"time"

	"gatewaymeter/engine"
	"gatewaymeter/stream"
)

// Throttle lets a job read at most so many messages a second, for runs that somebody wants to watch, or
// to kill in the middle. Each of the source's subtasks has an equal share. 0 changes nothing.
//
// It reads the wall clock, so it is for the live driver only.
func Throttle(parts *engine.Parts, perSecond, subtasks int) {
	if perSecond == 0 {
		return
	}
	splits := parts.Splits
	parts.Splits = func(log stream.Log) stream.SplitReader {
		return &throttled{SplitReader: splits(log), perSecond: float64(perSecond) / float64(subtasks), now: time.Now}
	}
}

// throttled is a reader that says it waits while it is ahead of its rate.
type throttled struct {
	stream.SplitReader
	perSecond float64
	now       func() time.Time

	last   time.Time
	credit float64 // messages that may be read now
}

// burst bounds what a reader may catch up on after it was held up, in seconds of its rate.
const burst = 0.1

// Poll implements stream.SplitReader.
func (t *throttled) Poll(max int, out stream.SplitOutput) (stream.Progress, error) {
	now := t.now()
	if t.last.IsZero() {
		t.last = now
	}
	t.credit = min(t.credit+now.Sub(t.last).Seconds()*t.perSecond, 1+burst*t.perSecond)
	t.last = now
	allowed := min(max, int(t.credit))
	if allowed < 1 {
		return stream.Waiting, nil
	}
	counted := &counting{SplitOutput: out}
	progress, err := t.SplitReader.Poll(allowed, counted)
	t.credit -= float64(counted.messages)
	return progress, err
}

// counting counts messages on their way.
type counting struct {
	stream.SplitOutput
	messages int
}

// Message implements stream.SplitOutput.
func (c *counting) Message(m stream.Message) error {
	c.messages++
	return c.SplitOutput.Message(m)
}
