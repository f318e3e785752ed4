package broker

import "sync"

// readAhead is how many fetches of a partition wait to be taken. With the one under way it bounds what
// a slow caller holds: a few times fetchBytes.
const readAhead = 2

// reader fetches one partition from one offset on, in a goroutine of its own, ahead of who takes.
type reader struct {
	log       *Log
	partition int32

	// Of the goroutine that calls Fetch.
	next    int64 // the offset that Fetch is to ask for
	pending chunk // the one that was taken last, less what Fetch has given

	chunks chan chunk    // closed when no more will come
	err    error         // why; set before chunks is closed
	stop   chan struct{} // closed by cancel
	once   sync.Once
	done   chan struct{} // closed when the goroutine has ended
}

// chunk is what one fetch brought: messages, and the offset that it moved on to. Behind the last message
// there may be offsets that hold none, and a chunk may have no message at all.
type chunk struct {
	messages []Message
	next     int64
}

func newReader(l *Log, partition int32, from int64) *reader {
	r := &reader{
		log: l, partition: partition, next: from,
		pending: chunk{next: from}, chunks: make(chan chunk, readAhead),
		stop: make(chan struct{}),
		done: make(chan struct{}),
	}
	go r.run(from)
	return r
}

func (r *reader) cancel() { r.once.Do(func() { close(r.stop) }) }

// run fetches until it is stopped or a fetch fails.
func (r *reader) run(from int64) {
	defer close(r.done)
	f := newFetcher(r.log.client, r.log.patience, r.log.topic, r.partition, from)
	defer f.disconnect()
	for {
		before := f.next
		messages, err := f.fetch(r.stop)
		if err != nil {
			r.err = err
			close(r.chunks)
			r.log.signal()
			return
		}
		if !r.push(chunk{messages, f.next}, f.next > before) {
			return
		}
	}
}

// push hands over what was fetched, and is false once the reader is stopped.
func (r *reader) push(c chunk, news bool) bool {
	if !news {
		select {
		case <-r.stop:
			return false
		default:
			return true
		}
	}
	select {
	case r.chunks <- c:
		r.log.signal()
		return true
	case <-r.stop:
		return false
	}
}

// take is what Fetch gives: from the chunk at hand, or the next one with messages, if it is there.
func (r *reader) take(max int) ([]Message, error) {
	for len(r.pending.messages) == 0 {
		select {
		case c, open := <-r.chunks:
			if !open {
				return nil, &ReadError{Addr: r.log.addr, Topic: r.log.topic, Partition: r.partition, Offset: r.next, Err: r.err}
			}
			r.pending = c
		default:
			return nil, nil
		}
	}
	n := min(max, len(r.pending.messages))
	got := r.pending.messages[:n:n]
	r.pending.messages = r.pending.messages[n:]
	r.next = got[n-1].Offset + 1
	return got, nil
}

// position is the offset before which take has nothing more to give.
func (r *reader) position() int64 {
	if len(r.pending.messages) > 0 {
		return r.next
	}
	return max(r.next, r.pending.next)
}
