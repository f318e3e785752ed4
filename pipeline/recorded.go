package pipeline

import (
	"fmt"
	"slices"
	"sync"

	"gatewaymeter/stream"
)

// Recorded is a topic in memory: its partitions as a producer wrote them. It can grow while it is
// read, and may be used from several goroutines.
type Recorded struct {
	Topic string

	mu         sync.Mutex
	partitions [][]stream.Message
	order      []int32 // the partition of each message, as they were written
	readers    []chan struct{}
	fetched    []int64 // up to which offset each partition has been read
}

// NewRecorded makes an empty topic.
func NewRecorded(topic string, partitions int) *Recorded {
	return &Recorded{Topic: topic, partitions: make([][]stream.Message, partitions), fetched: make([]int64, partitions)}
}

// Append writes a message to the partition that its key belongs to.
func (r *Recorded) Append(key, value []byte) {
	p := PartitionOf(string(key), len(r.partitions))
	r.mu.Lock()
	defer r.mu.Unlock()
	r.partitions[p] = append(r.partitions[p], stream.Message{
		Topic: r.Topic, Partition: p, Offset: int64(len(r.partitions[p])), Key: key, Value: value,
	})
	r.order = append(r.order, p)
	r.tell()
}

// follow writes the next message of another topic, which has the same partitions and does not change any
// more; false: there is none. The message is shared, not copied.
func (r *Recorded) follow(from *Recorded) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	next := len(r.order)
	if next == len(from.order) {
		return false
	}
	p := from.order[next]
	n := len(r.partitions[p])
	r.partitions[p] = from.partitions[p][: n+1 : n+1]
	r.order = from.order[: next+1 : next+1]
	r.tell()
	return true
}

// tell wakes the readers.
func (r *Recorded) tell() {
	for _, ready := range r.readers {
		select {
		case ready <- struct{}{}:
		default:
		}
	}
}

// Messages is the topic's content: partition by partition, in offset order.
func (r *Recorded) Messages() (all []stream.Message) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, p := range r.partitions {
		all = append(all, p...)
	}
	return all
}

// Splits are the partitions from their start to their present end.
func (r *Recorded) Splits() []stream.Split {
	r.mu.Lock()
	defer r.mu.Unlock()
	splits := make([]stream.Split, len(r.partitions))
	for p := range splits {
		splits[p] = stream.Split{Topic: r.Topic, Partition: int32(p), Stop: int64(len(r.partitions[p]))}
	}
	return splits
}

// starts is offset 0 of every partition.
func (r *Recorded) starts() []int64 { return make([]int64, len(r.partitions)) }

// ends is the next offset to be written in every partition.
func (r *Recorded) ends() []int64 {
	ends := r.starts()
	for p, s := range r.Splits() {
		ends[p] = s.Stop
	}
	return ends
}

// fetchedSoFar is the next offset to be read in every partition.
func (r *Recorded) fetchedSoFar() []int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.fetched)
}

// Log opens the topic for one reader.
func (r *Recorded) Log(int) (stream.Log, error) {
	ready := make(chan struct{}, 1)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.readers = append(r.readers, ready)
	return &recordedLog{topic: r, ready: ready}, nil
}

// recordedLog is one reader's view.
type recordedLog struct {
	topic *Recorded
	ready chan struct{}
}

func (l *recordedLog) Fetch(partition int32, from int64, max int) ([]stream.Message, error) {
	l.topic.mu.Lock()
	defer l.topic.mu.Unlock()
	if int(partition) >= len(l.topic.partitions) {
		return nil, fmt.Errorf("topic %s has no partition %d, only %d partitions", l.topic.Topic, partition, len(l.topic.partitions))
	}
	all := l.topic.partitions[partition]
	if from < 0 || from > int64(len(all)) {
		return nil, fmt.Errorf("topic %s, partition %d: offset %d is outside the log, which holds 0 to %d", l.topic.Topic, partition, from, len(all)-1)
	}
	to := min(from+int64(max), int64(len(all)))
	l.topic.fetched[partition] = to
	return all[from:to], nil
}

func (l *recordedLog) Ready() <-chan struct{} { return l.ready }
func (l *recordedLog) Close() error           { return nil }
