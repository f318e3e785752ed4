package scene

import "gatewaymeter/stream"

// memoryLog is a topic in memory, partition by partition: what a script has written so far. Its
// messages are empty; at gives what one stands for.
type memoryLog[T any] struct{ partitions [][]T }

func newLog[T any](partitions int) *memoryLog[T] {
	return &memoryLog[T]{partitions: make([][]T, partitions)}
}

// write appends to a partition.
func (l *memoryLog[T]) write(partition int, v T) {
	l.partitions[partition] = append(l.partitions[partition], v)
}

// at is what a message stands for.
func (l *memoryLog[T]) at(m stream.Message) T { return l.partitions[m.Partition][m.Offset] }

// splits are the partitions, from their start on and without an end.
func (l *memoryLog[T]) splits() (all []stream.Split) {
	for p := range l.partitions {
		all = append(all, stream.Split{Topic: "memory", Partition: int32(p), Stop: stream.Unbounded})
	}
	return all
}

// Fetch implements stream.Log.
func (l *memoryLog[T]) Fetch(partition int32, from int64, max int) (all []stream.Message, err error) {
	for at := from; at < min(from+int64(max), int64(len(l.partitions[partition]))); at++ {
		all = append(all, stream.Message{Partition: partition, Offset: at})
	}
	return all, nil
}

// Ready implements stream.Log: a script says when to read.
func (l *memoryLog[T]) Ready() <-chan struct{} { return nil }

// Close implements stream.Log.
func (l *memoryLog[T]) Close() error { return nil }
