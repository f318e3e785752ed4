package lab01_test

import (
	"fmt"

	"gatewaymeter/stream"
)

// memory is a log of one topic in memory. It gives messages out of a buffer that it uses again at the
// next Fetch of the partition, as a broker's client may.
type memory struct {
	partitions map[int32][]stream.Message
	buffers    map[int32][]stream.Message
	ready      chan struct{}
	err        error // what the next Fetch returns, if not nil
	fetched    map[int32]int
	largest    int // the largest max that was asked for
}

func newMemory() *memory {
	return &memory{
		partitions: map[int32][]stream.Message{}, buffers: map[int32][]stream.Message{},
		ready: make(chan struct{}, 1), fetched: map[int32]int{},
	}
}

// add appends messages with these offsets to a partition.
func (l *memory) add(partition int32, offsets ...int64) *memory {
	for _, offset := range offsets {
		value := fmt.Sprintf("p%d-%d", partition, offset)
		l.partitions[partition] = append(l.partitions[partition], message("topic", partition, offset, value))
	}
	return l
}

// upTo appends n messages with the offsets 0 to n-1.
func (l *memory) upTo(partition int32, n int64) *memory {
	for offset := range n {
		l.add(partition, offset)
	}
	return l
}

func (l *memory) Fetch(partition int32, from int64, max int) ([]stream.Message, error) {
	l.fetched[partition]++
	l.largest = larger(l.largest, max)
	if l.err != nil {
		return nil, l.err
	}
	buffer := l.buffers[partition]
	for i := range buffer {
		buffer[i] = message("used again", -1, -1, "used again")
	}
	buffer = buffer[:0]
	for _, m := range l.partitions[partition] {
		if m.Offset >= from && len(buffer) < max {
			buffer = append(buffer, m)
		}
	}
	l.buffers[partition] = buffer
	return buffer, nil
}

func larger(a, b int) int {
	if a > b {
		return a
	}
	return b
}

func (l *memory) Ready() <-chan struct{} { return l.ready }
func (l *memory) Close() error           { return nil }

// positioned is a memory that knows that nothing stands before an offset.
type positioned struct {
	*memory
	position map[int32]int64
}

func (l positioned) Position(partition int32) int64 { return l.position[partition] }

// taken writes down what a reader hands out.
type taken struct {
	messages []string // "p1-7": partition and offset, from the message's value
	finished []int32
	refuse   string // the message that Message refuses, once
}

func (o *taken) Message(m stream.Message) error {
	name := string(m.Value)
	if name == o.refuse {
		o.refuse = ""
		return errRefused
	}
	o.messages = append(o.messages, name)
	return nil
}

func (o *taken) Finished(partition int32) {
	o.finished = append(o.finished, partition)
}

var errRefused = fmt.Errorf("the sink is full")
