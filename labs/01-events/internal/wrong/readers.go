// Package wrong holds readers that do not keep the order of a log, for the students' own test
// (investigation 1.2), and one that does, to show that a test asks for no more than it may.
package wrong

import (
	"cmp"
	"encoding/json"
	"slices"

	"gatewaymeter/stream"
)

// Reader hands out the messages of a topic, which it is given by partition and offset.
type Reader struct {
	Name string
	Read func(topic []stream.Message) []stream.Message
	Keep bool // it is right
}

// Readers are those that a student's test must tell apart.
func Readers() []Reader {
	return []Reader{
		{"one partition after the other", slices.Clone[[]stream.Message], true},
		{"partitions by turns", byTurns, true},
		{"the last partition first", lastFirst, true},
		{"sorted by event time", byEventTime, false},
		{"two neighbours of a partition swapped", swapped, false},
		{"each partition backwards", backwards, false},
		{"a partition's last message lost", lastLost, false},
		{"a partition's first message lost", firstLost, false},
		{"a partition's last message twice", lastTwice, false},
		{"a whole partition lost", partitionLost, false},
	}
}

// byTurns takes the partitions' first messages, then their second ones.
func byTurns(topic []stream.Message) []stream.Message {
	out := slices.Clone(topic)
	slices.SortStableFunc(out, func(a, b stream.Message) int { return cmp.Compare(a.Offset, b.Offset) })
	return out
}

func lastFirst(topic []stream.Message) []stream.Message {
	out := slices.Clone(topic)
	slices.SortStableFunc(out, func(a, b stream.Message) int { return cmp.Compare(b.Partition, a.Partition) })
	return out
}

func byEventTime(topic []stream.Message) []stream.Message {
	out := slices.Clone(topic)
	slices.SortStableFunc(out, func(a, b stream.Message) int { return cmp.Compare(eventTime(a), eventTime(b)) })
	return out
}

func eventTime(m stream.Message) int64 {
	var e struct {
		TS int64 `json:"ts"`
	}
	if json.Unmarshal(m.Value, &e) != nil {
		return 0 // a message without a time sorts first
	}
	return e.TS
}

// swapped exchanges the last two messages of the first partition that has two.
func swapped(topic []stream.Message) []stream.Message {
	out := slices.Clone(topic)
	for i := 1; i < len(out); i++ {
		if out[i].Partition == out[i-1].Partition {
			out[i], out[i-1] = out[i-1], out[i]
			break
		}
	}
	return out
}

func backwards(topic []stream.Message) []stream.Message {
	out := slices.Clone(topic)
	slices.Reverse(out)
	return out
}

func lastLost(topic []stream.Message) []stream.Message {
	return slices.Clone(topic[:max(0, len(topic)-1)])
}

func firstLost(topic []stream.Message) []stream.Message {
	return slices.Clone(topic[min(1, len(topic)):])
}

func lastTwice(topic []stream.Message) []stream.Message {
	out := slices.Clone(topic)
	return append(out, out[max(0, len(out)-1):]...)
}

func partitionLost(topic []stream.Message) []stream.Message {
	return slices.DeleteFunc(slices.Clone(topic), func(m stream.Message) bool {
		return m.Partition == topic[len(topic)-1].Partition
	})
}
