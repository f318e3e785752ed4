package stream

// Message is one message of a partitioned log, as the broker keeps it.
type Message struct {
	Topic      string
	Partition  int32
	Offset     int64
	Key, Value []byte
}

// Log is where a split reader fetches from: one topic of a broker, or recorded partitions. One
// goroutine uses a Log at a time.
type Log interface {
	// Fetch is up to max messages of a partition, from the given offset on, in offset order. It
	// never blocks: nothing there yet is no messages and no error. The slice is valid until the
	// next Fetch of that partition.
	Fetch(partition int32, from int64, max int) ([]Message, error)
	// Ready gets a token (capacity 1) when a Fetch that gave nothing may give something.
	Ready() <-chan struct{}
	Close() error
}

// Positioned is a Log that knows how far it has read. A log may hold no message just before an offset
// (compacted away, or a transaction's marker), and Fetch then gives nothing, for ever.
type Positioned interface {
	// Position is the offset before which Fetch of that partition will find nothing more, given that
	// the messages it has returned are used up.
	Position(partition int32) int64
}

// Split is one partition that a source reads: from Next, up to Stop.
type Split struct {
	Topic     string
	Partition int32
	Next      int64 // the offset of the next message to read
	Stop      int64 // the offset to stop before; Unbounded for none
}

// Unbounded is the Stop of a split that never ends.
const Unbounded int64 = -1

// SplitReader reads splits. It keeps the next offset of each, and that is all the state a source
// has. Lab 01 implements it (exercise 1d).
type SplitReader interface {
	// Add takes splits over, before the first Poll.
	Add(splits ...Split)
	// Poll hands at most max messages to out, each partition's in offset order, and calls
	// Finished once for each split that reached its Stop (at once for an empty one).
	Poll(max int, out SplitOutput) (Progress, error)
	// Snapshot is the splits with the next offset to read, by ascending partition.
	Snapshot() []Split
}

// SplitOutput is where a split reader puts what it reads.
type SplitOutput interface {
	Message(m Message) error
	Finished(partition int32)
}

// Progress is what a poll came to.
type Progress uint8

// The outcomes of a poll.
const (
	Waiting Progress = iota // nothing there now
	Reading                 // poll again
	Ended                   // every split has reached its end
)

func (p Progress) String() string {
	return [...]string{"Waiting", "Reading", "Ended"}[p]
}
