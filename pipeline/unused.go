package pipeline

import (
	"fmt"
	"slices"

	"gatewaymeter/engine"
	"gatewaymeter/stream"
)

// Unused lists the partitions without a message and the subtasks that handled nothing although they
// should have: a test that turns parallelism and partitions must turn them for real. Splits are those of
// each source, by its uid, as the job found them at its start.
func Unused(sources map[string][]stream.Split, parallelism int, tasks []engine.Metrics) (names []string) {
	for uid, splits := range sources {
		owners := map[int]bool{}
		for _, s := range splits {
			owners[int(s.Partition)%parallelism] = true
			if s.Next == s.Stop {
				names = append(names, fmt.Sprintf("partition %d of %s", s.Partition, s.Topic))
			}
		}
		for _, m := range tasks {
			if read, reads := m.Counters[uid+"/events"]; reads && read == 0 && owners[m.Subtask] {
				names = append(names, fmt.Sprintf("subtask %d of %s", m.Subtask, m.Task))
			}
		}
	}
	for _, m := range tasks {
		if !m.Source && m.In == 0 && m.Out == 0 {
			names = append(names, fmt.Sprintf("subtask %d of %s", m.Subtask, m.Task))
		}
	}
	slices.Sort(names)
	return names
}
