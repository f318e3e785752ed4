package engine

import "gatewaymeter/stream"

// Sent is a packet in a task's outbox, addressed to one input of a task.
type Sent struct {
	To     int // the task's ID
	Input  int
	Packet stream.Packet
}

// address is one receiving channel of an edge.
type address struct{ task, input int }

// edge is an erased edge: what a task needs of it to pass control elements on.
type edge interface {
	flush()                   // sends the records gathered so far
	control(c stream.Control) // the same, with a control element behind them on every channel
}

// fanout is what the three edges share: the batch that each channel is filling.
type fanout[T any] struct {
	task    *Task
	to      []address
	batches []*stream.Batch[T]
	pool    *stream.Batches[T]
}

func newFanout[T any](t *Task, to []address) fanout[T] {
	f := fanout[T]{task: t, to: to, batches: make([]*stream.Batch[T], len(to)), pool: new(stream.Batches[T])}
	for i := range f.batches {
		f.batches[i] = f.pool.Get(t.job.batch)
	}
	return f
}

// send puts channel i's batch into the outbox and starts a new one.
func (f *fanout[T]) send(i int) {
	f.task.Outbox = append(f.task.Outbox, Sent{To: f.to[i].task, Input: f.to[i].input, Packet: f.batches[i]})
	f.batches[i] = f.pool.Get(f.task.job.batch)
}

// sendFull sends every batch that has reached the batch size.
func (f *fanout[T]) sendFull() {
	for i, b := range f.batches {
		if len(b.Records) >= f.task.batch {
			f.send(i)
		}
	}
}

func (f *fanout[T]) flush() {
	for i, b := range f.batches {
		if len(b.Records) > 0 {
			f.send(i)
		}
	}
}

func (f *fanout[T]) control(c stream.Control) {
	for i, b := range f.batches {
		b.Control = c
		f.send(i)
	}
}

// distributor is an edge that takes records; it must neither keep nor change the slice.
type distributor[T any] interface {
	edge
	deal(records []stream.Record[T])
}

// hashEdge sends each record to the subtask that owns its key: the exchange (lab 02) deals them out.
type hashEdge[T any] struct {
	fanout[T]
	exchange stream.Exchange[T]
}

func (e *hashEdge[T]) deal(records []stream.Record[T]) {
	e.exchange.Split(records, e.batches)
	e.sendFull()
}

// forwardEdge sends to one subtask, or deals batches out in turn where the two sides differ in
// parallelism.
type forwardEdge[T any] struct {
	fanout[T]
	next int
}

func (e *forwardEdge[T]) deal(records []stream.Record[T]) {
	b := e.batches[e.next]
	b.Records = append(b.Records, records...)
	if len(b.Records) >= e.task.batch {
		e.send(e.next)
		e.next = (e.next + 1) % len(e.batches)
	}
}

// broadcastEdge sends every record to every subtask.
type broadcastEdge[T any] struct{ fanout[T] }

func (e *broadcastEdge[T]) deal(records []stream.Record[T]) {
	for _, b := range e.batches {
		b.Records = append(b.Records, records...)
	}
	e.sendFull()
}
