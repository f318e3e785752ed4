package engine

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gatewaymeter/stream"
)

// twoPartitions is a log with a message at every offset of partitions 0 and 1.
type twoPartitions struct{ stream.Log }

func (twoPartitions) Fetch(partition int32, from int64, _ int) ([]stream.Message, error) {
	return []stream.Message{{Partition: partition, Offset: from}}, nil
}

func (twoPartitions) Position(int32) int64 { return 7 }

func TestGateHoldsBackWhoIsTooFarAhead(t *testing.T) {
	g := &gate{Log: twoPartitions{}, paused: []int{1}}
	free, err := g.Fetch(0, 3, 10)
	require.NoError(t, err)
	require.Len(t, free, 1)
	held, err := g.Fetch(1, 3, 10)
	require.NoError(t, err)
	require.Empty(t, held)
	require.EqualValues(t, 7, g.Position(0))
	require.EqualValues(t, -1, g.Position(1), "what it has not been allowed to read, it does not know to be at its end")
	g.paused = nil
	again, err := g.Fetch(1, 3, 10)
	require.NoError(t, err)
	require.Len(t, again, 1)
}
