package conformance

import (
	"testing"

	"github.com/stretchr/testify/require"

	operators "gatewaymeter/labs/03-stateful-operators/solution"
	"gatewaymeter/stream"
)

type operatorStateCase struct {
	Mode           string     `json:"mode"`
	OldParallelism int        `json:"old_parallelism"`
	NewParallelism int        `json:"new_parallelism"`
	Old            [][]string `json:"old"`
	New            [][]string `json:"new"`
}

// RoundRobinOperatorStateRepartitioner: how operator state is dealt out at another parallelism.
func TestOperatorState(t *testing.T) {
	modes := map[string]stream.Redistribution{
		"split": stream.EvenSplit, "union": stream.Union, "broadcast": stream.Broadcasts,
	}
	Each(t, "operator_state.jsonl", func(t *testing.T, _ int, c operatorStateCase) {
		mode, known := modes[c.Mode]
		require.True(t, known, "mode %q", c.Mode)
		require.Len(t, c.Old, c.OldParallelism)

		old := make([][][]byte, len(c.Old))
		for i, elements := range c.Old {
			if elements == nil {
				continue
			}
			old[i] = [][]byte{}
			for _, e := range elements {
				old[i] = append(old[i], []byte(e))
			}
		}
		got := make([][]string, 0, c.NewParallelism)
		for _, elements := range operators.Redistribute(mode, old, c.NewParallelism) {
			share := []string{}
			for _, e := range elements {
				share = append(share, string(e))
			}
			got = append(got, share)
		}
		require.Equal(t, c.New, got, "%s, %d subtasks to %d, old %v", c.Mode, c.OldParallelism, c.NewParallelism, c.Old)
	})
}
