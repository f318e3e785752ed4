package conformance

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gatewaymeter/engine"
	keying "gatewaymeter/labs/02-keying/solution"
	"gatewaymeter/labs/03-stateful-operators/serialised"
	operators "gatewaymeter/labs/03-stateful-operators/solution"
	timers "gatewaymeter/labs/06-timers/solution"
	"gatewaymeter/stream"
)

// parts is the engine that the scripts run on: the labs' solutions, on the heap backend.
func parts(t *testing.T) engine.Parts {
	groups, err := keying.NewGroups(128)
	require.NoError(t, err)
	return engine.Parts{
		Groups:       groups,
		Hash:         keying.HashString,
		Backend:      func(s engine.Subtask) (stream.Backend, error) { return operators.NewHeap(s.First, s.Last), nil },
		Operator:     operators.NewOperatorStore,
		Redistribute: operators.Redistribute,
		Timers:       timers.NewService,
	}
}

// onPebble is the same engine on the serialised backend.
func onPebble(t *testing.T) engine.Parts {
	p := parts(t)
	p.Backend = func(s engine.Subtask) (stream.Backend, error) { return serialised.New(t.TempDir(), s.First, s.Last) }
	return p
}
