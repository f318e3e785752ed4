package lab06_test

import (
	"testing"

	"gatewaymeter/engine"
	"gatewaymeter/internal/kit/timeline"
	keying "gatewaymeter/labs/02-keying/solution"
	operators "gatewaymeter/labs/03-stateful-operators/solution"
	ours "gatewaymeter/labs/06-timers/solution"
	"gatewaymeter/stream"
)

// parts is the engine under the operators of this lab: our key groups, state and timers.
func parts(t testing.TB) engine.Parts {
	t.Helper()
	groups, err := keying.NewGroups(16)
	if err != nil {
		t.Fatalf("HARNESS: %v", err)
	}
	return engine.Parts{
		Groups:       groups,
		Hash:         keying.HashString,
		Backend:      func(s engine.Subtask) (stream.Backend, error) { return operators.NewHeap(s.First, s.Last), nil },
		Operator:     operators.NewOperatorStore,
		Redistribute: operators.Redistribute,
		Timers:       ours.NewService,
	}
}

// clock prints a time as timelines write it.
func clock(t stream.Time) string { return timeline.Clock(t) }
