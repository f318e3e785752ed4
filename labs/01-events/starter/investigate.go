package events

import (
	"gatewaymeter/stream"
	"gatewaymeter/todo" // made from ../solution by "go tool lab starters"; this file is yours to edit
)

// AfterRestart is investigation 1.1. A consumer of one partition, whose offsets have no gaps, has
// handled every message up to and including offset handled (-1: none yet) when it dies. Its successor
// starts at offset saved, the next offset to read that it finds stored, and reads on for ever. Which
// offsets does somebody handle twice, and which does nobody ever handle? Both ascend; nil for none.
func AfterRestart(handled, saved int64) (twice, never []int64) {
	//lab:begin 1.1
	panic(todo.Exercise("1.1"))
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
	panic(todo.Exercise("1.2"))
	//lab:end
}
