package lab07_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"gatewaymeter/internal/kit/suite"
	"gatewaymeter/internal/kit/timeline"
	checkpoints "gatewaymeter/labs/07-checkpoints/starter"
	"gatewaymeter/stream"
)

// Test7e: The coordinator: pending, complete, abort, time out (45 min)
func Test7e(t *testing.T) {
	suite.Exercise(t, "7e", func(t *testing.T) {
		timeline.Play(t, "testdata/coordinator.txt", func(t *testing.T, head timeline.Step) func(timeline.Step) timeline.Outcome {
			c := checkpoints.NewCoordinator(checkpointing(t, head), head.Number(t, "tasks"))
			return func(s timeline.Step) timeline.Outcome { return timeline.Outcome{Got: coordinate(t, c, s)} }
		})
		suite.Sub(t, "a failure says why", func(t *testing.T) {
			c := checkpoints.NewCoordinator(stream.Checkpointing{Interval: 10}, 2)
			c.Tick(0)
			c.Tick(10)
			why := errors.New("no space left on device")
			d := c.Decline(1, 1, why, 11)
			if !errors.Is(d.Fail, why) || !strings.Contains(d.Fail.Error(), "checkpoint 1") {
				suite.Wrong(t, suite.Failure{Says: "the job fails, and its error must wrap the reason and name the checkpoint", Got: fmt.Sprint(d.Fail)})
			}
		})
	})
}

func checkpointing(t *testing.T, head timeline.Step) (cfg stream.Checkpointing) {
	t.Helper()
	for name, field := range map[string]*stream.Time{"interval": &cfg.Interval, "pause": &cfg.Pause, "timeout": &cfg.Timeout} {
		if head.Has(name) {
			*field = head.At(t, name)
		}
	}
	if head.Has("tolerate") {
		cfg.Tolerate = head.Number(t, "tolerate")
	}
	if head.Has("first") {
		cfg.First = int64(head.Number(t, "first"))
	}
	return cfg
}

// coordinate tells the coordinator one thing, and prints what it decides.
func coordinate(t *testing.T, c stream.Coordinator, s timeline.Step) string {
	t.Helper()
	now, id, task := s.At(t, "now"), int64(0), 0
	if s.Has("id") {
		id = int64(s.Number(t, "id"))
	}
	if s.Has("task") {
		task = s.Number(t, "task")
	}
	var d stream.Decision
	switch s.Verb {
	case "tick":
		d = c.Tick(now)
	case "ack":
		d = c.Ack(id, task, now)
	case "ended":
		d = c.Ended(task, now)
	case "decline":
		d = c.Decline(id, task, errors.New("the part cannot be stored"), now)
	case "stored":
		d = c.Stored(id, nil, now)
	case "lost":
		d = c.Stored(id, errors.New("the manifest cannot be written"), now)
	default:
		s.Unknown(t)
	}
	return decided(d)
}

func decided(d stream.Decision) string {
	var parts []string
	for _, p := range []struct {
		name string
		id   int64
	}{{"trigger", d.Trigger}, {"complete", d.Complete}, {"notify", d.Notify}, {"abort", d.Abort}} {
		if p.id != 0 {
			parts = append(parts, fmt.Sprintf("%s %d", p.name, p.id))
		}
	}
	if d.Fail != nil {
		parts = append(parts, "fail")
	}
	if len(parts) == 0 {
		return "nothing"
	}
	return strings.Join(parts, ", ")
}
