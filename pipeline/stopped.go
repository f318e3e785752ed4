package pipeline

import (
	"iter"
	"slices"

	"gatewaymeter/generator"
)

// Stopped is generated traffic of which some partitions stop half way: of their messages, the second half
// is never written. So it looks when the producers of a partition hang, and nobody says so.
func Stopped(p generator.Params, partitions int, stopped []int) iter.Seq[generator.Message] {
	if len(stopped) == 0 {
		return generator.New(p).All()
	}
	all := make([]int, partitions)
	for m := range generator.New(p).All() {
		all[generator.PartitionOf(m.Key, partitions)]++
	}
	return func(yield func(generator.Message) bool) {
		written := make([]int, partitions)
		for m := range generator.New(p).All() {
			at := int(generator.PartitionOf(m.Key, partitions))
			if slices.Contains(stopped, at) && written[at] >= all[at]/2 {
				continue
			}
			written[at]++
			if !yield(m) {
				return
			}
		}
	}
}
