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
	next    int64     // the offset that Fetch is to ask for
	pending []Message // of the chunk that was taken last

	chunks chan []Message // closed when no more will come
	err    error          // why; set before chunks is closed
	stop   chan struct{}  // closed by cancel
	once   sync.Once
	done   chan struct{} // closed when the goroutine has ended
}

func newReader(l *Log, partition int32, from int64) *reader {
	r := &reader{
		log: l, partition: partition, next: from,
		chunks: make(chan []Message, readAhead),
		stop:   make(chan struct{}),
		done:   make(chan struct{}),
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
		messages, err := f.fetch(r.stop)
		if err != nil {
			r.err = err
			close(r.chunks)
			r.log.signal()
			return
		}
		if !r.push(messages) {
			return
		}
	}
}

// push hands over what was fetched, and is false once the reader is stopped.
func (r *reader) push(messages []Message) bool {
	if len(messages) == 0 {
		select {
		case <-r.stop:
			return false
		default:
			return true
		}
	}
	select {
	case r.chunks <- messages:
		r.log.signal()
		return true
	case <-r.stop:
		return false
	}
}

// take is what Fetch gives: from the chunk at hand, or the next, if it is there.
func (r *reader) take(max int) ([]Message, error) {
	if len(r.pending) == 0 {
		select {
		case chunk, open := <-r.chunks:
			if !open {
				return nil, &ReadError{Addr: r.log.addr, Topic: r.log.topic, Partition: r.partition, Offset: r.next, Err: r.err}
			}
			r.pending = chunk
		default:
			return nil, nil
		}
	}
	n := min(max, len(r.pending))
	got := r.pending[:n:n]
	r.pending = r.pending[n:]
	r.next = got[n-1].Offset + 1
	return got, nil
}
