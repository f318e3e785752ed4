package engine

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gatewaymeter/stream"
)

// cancelled is an aligner that remembers what it was told to give up.
type cancelled struct {
	stream.Aligner
	ids []int64
}

func (c *cancelled) Cancel(checkpoint int64) stream.Alignment {
	c.ids = append(c.ids, checkpoint)
	return stream.Alignment{Aborted: checkpoint}
}

// What the coordinator gives up reaches the aligner, or inputs would wait for barriers that nobody needs. A
// task whose inputs have all ended has nothing to let go.
func TestCancelReachesTheAligner(t *testing.T) {
	u, err := newFilingUnit(t, &filing{})
	require.NoError(t, err)
	a := &cancelled{}
	u.task.aligner, u.task.open = a, 2
	require.NoError(t, u.task.Cancel(5))
	require.Equal(t, []int64{5}, a.ids)
	require.Empty(t, u.task.TakeAcks(), "nothing is stored of what was given up")
	u.task.open = 0
	require.NoError(t, u.task.Cancel(6))
	require.Equal(t, []int64{5}, a.ids)
}
