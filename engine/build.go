package engine

import (
	"gatewaymeter/stream"
)

// Stream is the output of an operator, while the graph is built.
type Stream[T any] struct {
	node *node
	side string
}

// KeyedStream is a stream whose elements belong to keys. Only functions on a keyed stream have keyed
// state and timers.
type KeyedStream[T any] struct {
	from     Stream[T]
	key      func(T) string // the key, encoded
	exchange func(owner []int) stream.Exchange[T]
}

// add puts an operator into the graph. Without a uid it gets one by its place, and a warning if it turns
// out to have state.
func (j *Job) add(uid, kind string, keyed bool, make func(b *base) operator) *node {
	n := &node{job: j, uid: uid, generated: uid == "", kind: kind, keyed: keyed, make: make}
	if n.generated {
		n.uid = generatedUID(len(j.nodes), kind)
	}
	j.nodes = append(j.nodes, n)
	return n
}

// SetParallelism gives one operator another parallelism than the job's.
func (s Stream[T]) SetParallelism(p int) Stream[T] {
	s.node.parallelism = p
	return s
}

// From starts a stream at a source. newSource is called once a subtask.
func From[T any](j *Job, uid string, newSource func() stream.Source[T]) Stream[T] {
	n := j.add(uid, "source", false, func(b *base) operator { return newSourceOp(b, newSource()) })
	return Stream[T]{node: n}
}

// Process applies a function without keys; it runs in its input's task.
func Process[In, Out any](s Stream[In], uid string, newFn func() stream.Function[In, Out]) Stream[Out] {
	n := s.node.job.add(uid, "function", false, func(b *base) operator { return newFunctionOp(b, newFn()) })
	connect(s, n, forwarding, nil)
	return Stream[Out]{node: n}
}

// KeyBy partitions a stream. keyOf must be a function of the element alone and gives the key in its
// encoded form; newExchange makes the exchange of one sender, for owner[group] = subtask (lab 02's
// NewExchange, with T filled in).
func KeyBy[T any](s Stream[T], keyOf func(T) string, newExchange func(owner []int) stream.Exchange[T]) KeyedStream[T] {
	return KeyedStream[T]{from: s, key: keyOf, exchange: newExchange}
}

// ProcessKeyed applies a stateful function to a keyed stream. newFn is called once a subtask.
func ProcessKeyed[In, Out any](s KeyedStream[In], uid string, newFn func() stream.KeyedFunction[In, Out]) Stream[Out] {
	n := s.from.node.job.add(uid, "keyed", true, func(b *base) operator { return newKeyedOp(b, s.key, newFn()) })
	connect(s.from, n, hashing, s.exchange)
	return Stream[Out]{node: n}
}

// ProcessBroadcast applies a function to a keyed stream beside a broadcast one.
func ProcessBroadcast[In, B, Out any](s KeyedStream[In], rules Stream[B], uid string, newFn func() stream.BroadcastFunction[In, B, Out]) Stream[Out] {
	n := s.from.node.job.add(uid, "broadcast", true, func(b *base) operator { return newBroadcastOp(b, s.key, newFn()) })
	connect(s.from, n, hashing, s.exchange)
	connect(rules, n, broadcasting, nil)
	return Stream[Out]{node: n}
}

// Side is the stream of a side output of s's operator.
func Side[T, Main any](s Stream[Main], tag stream.Tag[T]) Stream[T] {
	return Stream[T]{node: s.node, side: tag.Name}
}

// SinkTo ends a stream.
func SinkTo[T any](s Stream[T], uid string, newSink func() stream.Sink[T]) {
	n := s.node.job.add(uid, "sink", false, func(b *base) operator { return newSinkOp(b, newSink()) })
	connect(s, n, forwarding, nil)
}

// connect records a connection, with the typed pieces that the instance will need.
func connect[T any](s Stream[T], to *node, how dispatch, exchange func(owner []int) stream.Exchange[T]) {
	c := &connection{from: s.node, to: to, side: s.side, dispatch: how}
	c.attach = func(from operator, r any) { outputOf[T](from, s.side).add(r) }
	c.newEdge = func(t *Task, addresses []address, parallelism int) edge {
		f := newFanout[T](t, addresses)
		switch how {
		case hashing:
			return &hashEdge[T]{fanout: f, exchange: exchange(owners(t.job.Parts.Groups, parallelism))}
		case broadcasting:
			return &broadcastEdge[T]{f}
		}
		return &forwardEdge[T]{fanout: f}
	}
	to.inputs = append(to.inputs, c)
}

// outputOf is an operator's main output, or the side output of that name, made on first use.
func outputOf[T any](from operator, side string) *output[T] {
	if side == "" {
		return from.mainOutput().(*output[T])
	}
	b := from.self()
	if o, ok := b.sides[side].(*output[T]); ok {
		return o
	}
	o := &output[T]{ctx: b.ctx, task: b.task, name: side}
	b.sides[side] = o
	b.ctx.ConnectSide(side, stream.Collector[T](o))
	return o
}

// owners lists, for each key group, the subtask that owns it.
func owners(g stream.Groups, parallelism int) []int {
	table := make([]int, g.Max())
	for group := range table {
		table[group] = g.Owner(group, parallelism)
	}
	return table
}
