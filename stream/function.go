package stream

// Collector takes what a function emits. A record gets the timestamp of the element or event timer
// that is being processed (Context.Time).
type Collector[T any] interface {
	Collect(v T)
}

// KeyedFunction is the heart of a stateful job (Flink: KeyedProcessFunction). One subtask calls it
// from one goroutine at a time; an error, or a panic, fails the job. What else a function can do is
// found by assertion: TimerFunction, Snapshotter, Closer.
type KeyedFunction[In, Out any] interface {
	// Open runs once a subtask, before any element and with no key current: declare state here.
	Open(c *Context) error
	// ProcessElement runs for each element, its key current.
	ProcessElement(c *Context, in In, out Collector[Out]) error
}

// TimerFunction is a KeyedFunction that uses timers.
type TimerFunction[Out any] interface {
	// OnTimer runs when a timer is due, its key current. c.Time is the timer's time in event time,
	// NoTime in processing time.
	OnTimer(c *Context, t Timer, out Collector[Out]) error
}

// Function works on a stream without keys (Flink: ProcessFunction). It can have operator state.
type Function[In, Out any] interface {
	Open(c *Context) error
	ProcessElement(c *Context, in In, out Collector[Out]) error
}

// BroadcastFunction reads a keyed stream beside a broadcast one (Flink:
// KeyedBroadcastProcessFunction). Every subtask gets every broadcast element, in an order that may
// differ between subtasks.
type BroadcastFunction[In, B, Out any] interface {
	Open(c *Context) error
	// ProcessElement may only read broadcast state.
	ProcessElement(c *Context, in In, out Collector[Out]) error
	// ProcessBroadcast may write broadcast state; no key is current.
	ProcessBroadcast(c *Context, b B, out Collector[Out]) error
}

// Snapshotter is a function with operator state that is not kept in its handles all the time: it
// puts it there when a snapshot is taken (Flink: CheckpointedFunction.snapshotState).
type Snapshotter interface {
	Snapshot(c *Context) error
}

// Finisher is a function that has something left to do when its input has ended, after the final
// watermark (Flink: endInput).
type Finisher[Out any] interface {
	Finish(c *Context, out Collector[Out]) error
}

// Closer is a function that holds something to give back. Close runs once, also after a failure.
type Closer interface {
	Close() error
}

// Source makes a stream. It is polled, and never blocks.
type Source[T any] interface {
	// Open runs once a subtask. Its state, such as offsets, is operator state.
	Open(c *Context) error
	// Poll emits up to max elements and says how to go on.
	Poll(c *Context, max int, out SourceOutput[T]) (Progress, error)
	// Ready gets a token when a Poll that gave Waiting may give something.
	Ready() <-chan struct{}
}

// SourceOutput takes what a source emits, in order.
type SourceOutput[T any] interface {
	Emit(v T, at Time)
	Signal(s Signal)
}

// Sink takes a stream out of the job.
type Sink[T any] interface {
	Open(c *Context) error
	Write(c *Context, v T) error
	// Flush is work that ends when everything written so far is safe outside; nil if it already
	// is. It runs at the end of input, and before a snapshot is acknowledged.
	Flush() Work
}

// Work is something that may take long. A task hands it to its driver, which runs it in a goroutine
// of its own (live) or when the schedule says so (simulated) and tells the task how it ended.
type Work func() error

// Tag names a side output and its type.
type Tag[T any] struct{ Name string }

// SideOutput is the collector of a side output; call it in Open. Elements of a side output that
// nothing reads are dropped.
func SideOutput[T any](c *Context, tag Tag[T]) Collector[T] { return &side[T]{c: c, name: tag.Name} }

// side finds its reader when it is first used: the graph may be wired after Open.
type side[T any] struct {
	c    *Context
	name string
	out  Collector[T]
}

func (s *side[T]) Collect(v T) {
	if s.out == nil {
		s.out, _ = s.c.sides[s.name].(Collector[T])
	}
	switch {
	case s.out != nil:
		s.out.Collect(v)
	case s.c.Trace != nil: // nothing reads it, but a trace tells of it
		s.c.trace(Step{Kind: Emitted, Name: s.name, Value: v, At: s.c.Time})
	}
	if s.c.SideTap != nil {
		s.c.SideTap(s.name, v)
	}
}

// TestingT is what a test that a student writes may use of testing.T, so that it can be run against
// known-wrong code too.
type TestingT interface {
	Helper()
	Errorf(format string, args ...any)
	FailNow()
}
