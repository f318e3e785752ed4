package lab04_test

import (
	"testing"

	"gatewaymeter/engine"
	"gatewaymeter/internal/kit/suite"
	keying "gatewaymeter/labs/02-keying/solution"
	operators "gatewaymeter/labs/03-stateful-operators/solution"
	timers "gatewaymeter/labs/06-timers/solution"
	"gatewaymeter/stream"
)

// parts is the engine under the window operator: our key groups, state and timers.
func parts(t *testing.T) engine.Parts {
	t.Helper()
	groups, err := keying.NewGroups(128)
	suite.Harness(t, err)
	return engine.Parts{
		Groups:       groups,
		Hash:         keying.HashString,
		Backend:      func(s engine.Subtask) (stream.Backend, error) { return operators.NewHeap(s.First, s.Last), nil },
		Operator:     operators.NewOperatorStore,
		Redistribute: operators.Redistribute,
		Timers:       timers.NewService,
	}
}
