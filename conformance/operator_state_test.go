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

// A broadcast state that some subtasks did not report, at an unchanged parallelism: all are dealt a
// reported copy, and who has one of its own keeps it besides. The vectors have this case only where no
// subtask gets two; these are RoundRobinOperatorStateRepartitioner's answers (Flink 2.3.0).
func TestBroadcastReportedBySome(t *testing.T) {
	a, b, c := []byte("a"), []byte("b"), []byte("c")
	for _, at := range []struct{ old, want [][][]byte }{
		{[][][]byte{{a}, nil, {b}, {c}, nil}, [][][]byte{{a}, {b}, {b, c}, {a, c}, {b}}},
		{[][][]byte{nil, {a}, {b}}, [][][]byte{{a}, {a, b}, {a, b}}},
		{[][][]byte{{a}, {b}, {c}}, [][][]byte{{a}, {b}, {c}}},
		{[][][]byte{nil, nil}, [][][]byte{{}, {}}},
	} {
		require.Equal(t, at.want, operators.Redistribute(stream.Broadcasts, at.old, len(at.old)))
	}
}
