package anatomytest

import (
	"fmt"

	timers "gatewaymeter/labs/06-timers/solution"
	"gatewaymeter/pipeline"
	"gatewaymeter/stream"
)

// Small writes three checkpoints of a made-up job into the folder dir, which must be there. Whatever a
// look says of them can be told from here:
//
//   - assemble, 2 subtasks, 8 key groups: state "open" has 3, 4 and 5 entries, of which one has no timer;
//     state "seen" goes by TTL, "total" never, and "legacy" does not say.
//   - card-source has ended: its part is the same file from checkpoint 2 on.
//   - gateway-source reads two partitions on at 10 and 20 times the checkpoint's number.
func Small(dir string) error {
	return More(dir, 3)
}

// More takes so many more checkpoints of the same job.
func More(dir string, n int64) error {
	store, err := pipeline.OpenCheckpoints(dir)
	if err != nil {
		return err
	}
	first, err := store.Next()
	if err != nil {
		return err
	}
	for id := first; id < first+n; id++ {
		parts := []stream.OperatorSnapshot{
			assemble(0, int(id)+1, true), assemble(1, 1, false),
			source("gateway-source", 0, split("gateway-events", 0, 10*id, 100)), source("gateway-source", 1, split("gateway-events", 1, 20*id, 200)),
		}
		cards := source("card-source", 0, split("card-transactions", 0, 7, 7))
		if id == first {
			parts = append(parts, cards)
		} else if id == first+1 {
			if err := store.Part(stream.FinalPart, cards); err != nil {
				return err
			}
		}
		for _, p := range parts {
			if err := store.Part(id, p); err != nil {
				return err
			}
		}
		if err := store.Complete(stream.Checkpoint{ID: id, Job: "gatewaymeter-stage-07", Created: stream.Time(1000 * id)}); err != nil {
			return err
		}
	}
	return nil
}

// assemble is a keyed operator's part: n requests are open in its first group, each with a timer unless
// it is not timed.
func assemble(subtask, n int, timed bool) stream.OperatorSnapshot {
	var open, clocks, total, legacy []byte
	for i := range n {
		key := fmt.Sprintf("r-%d", i)
		open = stream.AppendContent(open, key, []byte("an open request"))
		clocks = stream.AppendContent(clocks, key, timer(1000+i))
	}
	total = stream.AppendContent(total, "tenant-1", []byte("a sum"))
	legacy = stream.AppendContent(legacy, "k", []byte("who knows"))
	group := stream.AppendSection(nil, stream.Section{Name: "legacy", Type: "string", Kind: stream.ListState, Body: legacy})
	group = stream.AppendSection(group, stream.Section{Name: "open", Type: "gateway.OpenRequest", Kind: stream.ValueState, Body: open})
	if timed {
		group = stream.AppendSection(group, stream.Section{Name: timers.StateName(stream.EventTime), Type: "timers.set", Kind: stream.ValueState, Body: clocks})
	}
	group = stream.AppendSection(group, stream.Section{Name: "total", Type: "int64", Kind: stream.ValueState, Body: total})
	return stream.OperatorSnapshot{
		UID: "assemble", Subtask: subtask, Parallelism: 2, MaxGroups: 8,
		Groups: []stream.GroupSnapshot{{Group: 4 * subtask, Bytes: group}},
		Lists:  []stream.OperatorList{{Name: "unmatched", Mode: stream.EvenSplit, Elements: [][]byte{stream.AppendInt(nil, 5)}}},
		States: []stream.StateInfo{
			{Name: "open", Kind: "value", Type: "gateway.OpenRequest", Removed: []stream.Removal{stream.ByElement, stream.ByTimer}},
			{Name: "seen", Kind: "map", Type: "stream.Time", TTLMS: 600_000, Removed: []stream.Removal{stream.ByTTL}},
			{Name: "total", Kind: "value", Type: "int64", Removed: []stream.Removal{stream.Never}},
		},
	}
}

// timer is one key's timers as lab 06 writes them: time, and no window.
func timer(at int) []byte {
	return stream.AppendInt(stream.AppendInt(stream.AppendInt(nil, int64(at)), 0), 0)
}

func source(uid string, subtask int, splits ...[]byte) stream.OperatorSnapshot {
	parallelism := 2
	if uid == "card-source" {
		parallelism = 1
	}
	return stream.OperatorSnapshot{
		UID: uid, Subtask: subtask, Parallelism: parallelism,
		Lists: []stream.OperatorList{{Name: "offsets", Mode: stream.Union, Elements: splits}},
	}
}

// split is where a partition is read on, as package engine writes it.
func split(topic string, partition int32, next, stop int64) []byte {
	b := stream.AppendString(nil, topic)
	for _, n := range []int64{int64(partition), next, stop} {
		b = stream.AppendInt(b, n)
	}
	return b
}
