package conformance

import (
	"fmt"
	"strings"
	"testing"

	checkpoints "gatewaymeter/labs/07-checkpoints/solution"
	"gatewaymeter/stream"
)

// barrierCase is a line of checkpoint_barriers.jsonl.
type barrierCase struct {
	ID          string          `json:"id"`
	Channels    int             `json:"channels"`
	AfterFinish bool            `json:"checkpoints_after_tasks_finish"`
	Actions     []barrierAction `json:"actions"`
}

// barrierAction is what arrives, and what is seen right after it.
type barrierAction struct {
	Op        string   `json:"op"`
	Channel   int      `json:"channel"`
	ID        int64    `json:"id"`
	Triggered []int64  `json:"triggered"`
	Aborted   [][2]any `json:"aborted"` // checkpoint and Flink's reason
	Blocked   []int    `json:"blocked"`
	Latest    int64    `json:"latest"`
}

// TestCheckpointBarriers holds lab 07's aligner against Flink's SingleCheckpointBarrierHandler. The
// latest id is Flink's own bookkeeping: here it shows in what later barriers do.
func TestCheckpointBarriers(t *testing.T) {
	Each(t, "checkpoint_barriers.jsonl", func(t *testing.T, line int, c barrierCase) {
		a := checkpoints.NewAligner(c.Channels)
		if !c.AfterFinish {
			a = checkpoints.NewAlignerWithoutFinished(c.Channels)
		}
		var script strings.Builder
		for _, action := range c.Actions {
			fmt.Fprintf(&script, "  %s channel=%d id=%d\n", action.Op, action.Channel, action.ID)
			got := describeAlignment(apply(t, a, action), a.Blocked())
			if want := action.want(); got != want {
				t.Errorf("line %d, %s, %d channels:\n%sgot  %s\nwant %s", line, c.ID, c.Channels, script.String(), got, want)
				return
			}
		}
	})
}

func apply(t *testing.T, a stream.Aligner, action barrierAction) stream.Alignment {
	switch action.Op {
	case "barrier":
		return a.Barrier(action.Channel, action.ID)
	case "cancel":
		return a.Cancel(action.ID)
	case "end_of_partition":
		return a.End(action.Channel)
	}
	t.Fatalf("unknown op %q", action.Op)
	return stream.Alignment{}
}

func describeAlignment(out stream.Alignment, blocked []bool) string {
	inputs := []int{}
	for i, b := range blocked {
		if b {
			inputs = append(inputs, i)
		}
	}
	return fmt.Sprintf("triggered %d, aborted %d, blocked %v", out.Complete, out.Aborted, inputs)
}

// want is what Flink did: at most one checkpoint triggered and one aborted an action.
func (a barrierAction) want() string {
	var triggered, aborted int64
	for _, id := range a.Triggered {
		triggered = id
	}
	for _, pair := range a.Aborted {
		aborted = int64(pair[0].(float64))
	}
	return fmt.Sprintf("triggered %d, aborted %d, blocked %v", triggered, aborted, a.Blocked)
}
