package pipeline

import (
	"crypto/rand"
	"strings"

	"gatewaymeter/generator"
)

// PartitionOf is the partition of a key: the generator's rule G1 for the input, and the sinks' rule
// for the output.
func PartitionOf(key string, partitions int) int32 { return generator.PartitionOf(key, partitions) }

// Record makes generated traffic a topic in memory.
func Record(p generator.Params, topic string, partitions int) (*Recorded, generator.Counts) {
	return recordUntil(func() error { return nil }, p, topic, partitions)
}

// recordUntil is Record until stop has an error; what there is then is not the whole traffic.
func recordUntil(stop func() error, p generator.Params, topic string, partitions int) (*Recorded, generator.Counts) {
	g := generator.New(p)
	r := NewRecorded(topic, partitions)
	for m := range generator.Until(stop, g.All()) {
		r.Append(m.Key, m.Value)
	}
	return r, g.Counts()
}

// NewPrefix is a prefix for one run's topics that no other run has.
func NewPrefix() string { return "run-" + strings.ToLower(rand.Text()[:8]) + "-" }
