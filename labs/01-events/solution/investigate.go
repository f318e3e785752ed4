package events

import (
	"fmt"

	"gatewaymeter/stream"
)

// AfterRestart is investigation 1.1. A consumer of one partition, whose offsets have no gaps, has
// handled every message up to and including offset handled (-1: none yet) when it dies. Its successor
// starts at offset saved, the next offset to read that it finds stored, and reads on for ever. Which
// offsets does somebody handle twice, and which does nobody ever handle? Both ascend; nil for none.
func AfterRestart(handled, saved int64) (twice, never []int64) {
	//lab:begin 1.1
	for offset := saved; offset <= handled; offset++ {
		twice = append(twice, offset)
	}
	for offset := handled + 1; offset < saved; offset++ {
		never = append(never, offset)
	}
	return twice, never
	//lab:end
}

// OrderTest is investigation 1.2: a test of the order in which read hands out the messages of a topic.
//
// read is given messages of several partitions, by partition and offset, and returns them in the order
// in which a job would see them. Say what it may do and what not: t must fail if read loses or repeats
// a message or changes the order inside a partition, and must not fail whichever partition's turn it
// is. Event time is in the messages' values ("ts") and may run backwards; choose messages with which it
// does, or you will not catch a reader that sorts by it.
func OrderTest(t stream.TestingT, read func(topic []stream.Message) []stream.Message) {
	//lab:begin 1.2
	t.Helper()
	const partitions, each = 3, 5
	var topic []stream.Message
	for p := range int32(partitions) {
		for offset := range int64(each) {
			ts := 1000 + 100*offset
			if offset%2 == 1 {
				ts -= 150 // every second event is older than the one before it
			}
			topic = append(topic, stream.Message{
				Topic: "gateway-events", Partition: p, Offset: offset,
				Key: fmt.Appendf(nil, "r-%d-%d", p, offset), Value: fmt.Appendf(nil, `{"ts":%d}`, ts),
			})
		}
	}
	next := map[int32]int64{}
	for _, m := range read(topic) {
		if m.Offset != next[m.Partition] {
			t.Errorf("partition %d: offset %d came where %d was due", m.Partition, m.Offset, next[m.Partition])
			t.FailNow()
		}
		next[m.Partition]++
	}
	for p := range int32(partitions) {
		if next[p] != each {
			t.Errorf("partition %d ended before offset %d, and has %d messages", p, next[p], each)
			t.FailNow()
		}
	}
	//lab:end
}
