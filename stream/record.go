package stream

import (
	"fmt"
	"sync"
)

// Record is an element of a stream: a value, its event time, and the key group that the exchange
// computed for it (0 on a stream without keys). The exchange hashes the key once; the receiver
// trusts Group.
type Record[T any] struct {
	Value T
	Time  Time // NoTime if it has none
	Group uint16
}

// ControlKind says what a control element means.
type ControlKind uint8

// The control elements. They travel in order with the records.
const (
	NoControl  ControlKind = iota
	Watermark              // no later element has a timestamp at or below Control.Time
	Idle                   // this channel sends nothing for now: do not wait for its watermark
	Active                 // this channel sends again
	Barrier                // what came before belongs to checkpoint Control.Checkpoint
	EndOfInput             // nothing follows on this channel
)

// Control is one control element.
type Control struct {
	Kind       ControlKind
	Time       Time  // of a Watermark
	Checkpoint int64 // of a Barrier, from 1
	Savepoint  bool  // of a Barrier: taken by hand, kept until it is deleted by hand
}

func (k ControlKind) String() string {
	return [...]string{"none", "watermark", "idle", "active", "barrier", "end"}[k]
}

func (c Control) String() string {
	switch c.Kind {
	case Watermark:
		return fmt.Sprintf("watermark %v", c.Time)
	case Barrier:
		return fmt.Sprintf("barrier %d", c.Checkpoint)
	}
	return c.Kind.String()
}

// Batch is what a channel carries: records, then at most one control element, which therefore
// flushes the records before it. A batch belongs to one task at a time; Release hands it back.
type Batch[T any] struct {
	Records []Record[T]
	Control Control
	pool    *sync.Pool
}

// Packet is a Batch to everyone but its two typed ends.
type Packet interface {
	Len() int     // records in it
	End() Control // its control element
	Release()     // the receiver is done with it
}

// Len is the number of records.
func (b *Batch[T]) Len() int { return len(b.Records) }

// End is the control element that closes the batch, if any.
func (b *Batch[T]) End() Control { return b.Control }

// Release empties the batch and gives it back to its pool. The caller must not use it afterwards.
func (b *Batch[T]) Release() {
	// The values stay until others overwrite them: clearing memory that the sender is about to write
	// would fetch its cache lines for nothing. A pool that is idle is emptied by the collector.
	b.Records = b.Records[:0]
	b.Control = Control{}
	if b.pool != nil {
		b.pool.Put(b)
	}
}

// Batches makes batches and takes them back. It may be used by several goroutines.
type Batches[T any] struct{ pool sync.Pool }

// Get returns an empty batch with room for size records.
func (p *Batches[T]) Get(size int) *Batch[T] {
	if b, ok := p.pool.Get().(*Batch[T]); ok {
		return b
	}
	return &Batch[T]{Records: make([]Record[T], 0, size), pool: &p.pool}
}
