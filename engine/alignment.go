package engine

import (
	"slices"

	"gatewaymeter/stream"
)

// gate stands between a split reader and its log, and holds back the partitions that are too far ahead
// of the others (stream.SplitWatermarks.Paused). To the reader, a partition that waits has nothing new.
type gate struct {
	stream.Log
	paused []int
}

// Fetch gives nothing for a partition that has to wait.
func (g *gate) Fetch(partition int32, from int64, max int) ([]stream.Message, error) {
	if slices.Contains(g.paused, int(partition)) {
		return nil, nil
	}
	return g.Log.Fetch(partition, from, max)
}

// Position implements stream.Positioned, as far as the log does; -1 says that it does not know.
func (g *gate) Position(partition int32) int64 {
	if p, ok := g.Log.(stream.Positioned); ok && !slices.Contains(g.paused, int(partition)) {
		return p.Position(partition)
	}
	return -1
}
