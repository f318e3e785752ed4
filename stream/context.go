package stream

// Context is a function's view of its task: what is current (time, watermark, key), and the
// services that belong to it. There is one an operator and subtask, reused for every call; a
// function may keep it from Open on, but what it says is true during a call only.
//
// The fields below the first group are set by whoever runs the function: a task of the engine, or
// the harness.
type Context struct {
	Time      Time // timestamp of the current element or event timer; NoTime if none
	Watermark Time // this operator's watermark; NoTime before the first

	UID         string // the operator's stable name
	Subtask     int    // 0 to Parallelism-1
	Parallelism int
	Restored    bool // the job starts from a snapshot (Flink: IsRestored)

	FirstGroup, LastGroup int // the key groups of this subtask, both included; on a keyed stream only

	Backend          Backend      // nil on a stream without keys
	EventTimers      TimerService // nil if the stage has no timers
	ProcessingTimers TimerService
	Operator         OperatorStore
	Clock            Clock
	Trace            func(Step) // nil: off
	Input            int        // the channel whose packet is being handled; kept for the trace alone
	Broadcasting     bool       // ProcessBroadcast is running

	SideTap func(name string, v any) // sees every element of every side output; nil: nobody does

	States   []string           // the keyed states declared so far, for metrics
	Infos    []StateInfo        // the same, as a snapshot describes them
	Counters map[string]Counter // the counters declared so far, for the job's result

	key    string
	group  int
	hasKey bool
	sides  map[string]any // the Collector of each connected side output
}

// SetKey makes a key current, for all states and timers of the operator.
func (c *Context) SetKey(group int, key string) {
	c.key, c.group, c.hasKey = key, group, true
	c.Backend.SetKey(group, key)
}

// NoKey leaves no key current: a broadcast element belongs to none.
func (c *Context) NoKey() {
	c.key, c.group, c.hasKey = "", 0, false
	if c.Backend != nil {
		c.Backend.SetKey(-1, "") // else a handle would still see the last key's drawer
	}
}

// Key is the current key in its encoded form. It panics with ErrNoKey where none is current.
func (c *Context) Key() string {
	if !c.hasKey {
		panic(&StateError{State: "(current key)", Err: ErrNoKey})
	}
	return c.key
}

// Group is the current key's group.
func (c *Context) Group() int { return c.group }

// RegisterEventTimer asks for OnTimer when the watermark reaches at. It is a set: asking twice for
// the same key and time gives one call. A time at or below the watermark fires at the next advance
// or, if asked for inside OnTimer, in the same pass.
func (c *Context) RegisterEventTimer(at Time) { c.RegisterWindowTimer(at, Window{}) }

// DeleteEventTimer takes the current key's timer at that time back; none there is no error.
func (c *Context) DeleteEventTimer(at Time) { c.DeleteWindowTimer(at, Window{}) }

// RegisterWindowTimer is RegisterEventTimer in the namespace of a window.
func (c *Context) RegisterWindowTimer(at Time, w Window) {
	service(c, c.EventTimers).Register(at, w)
	if c.Trace != nil {
		c.trace(Step{Kind: TimerSet, At: at, Window: w})
	}
}

// DeleteWindowTimer is DeleteEventTimer in the namespace of a window.
func (c *Context) DeleteWindowTimer(at Time, w Window) {
	service(c, c.EventTimers).Delete(at, w)
	if c.Trace != nil {
		c.trace(Step{Kind: TimerDeleted, At: at, Window: w})
	}
}

// RegisterProcessingTimer asks for OnTimer when the clock reaches at.
func (c *Context) RegisterProcessingTimer(at Time) {
	service(c, c.ProcessingTimers).Register(at, Window{})
	if c.Trace != nil {
		c.trace(Step{Kind: TimerSet, Name: "processing", At: at})
	}
}

// DeleteProcessingTimer takes it back.
func (c *Context) DeleteProcessingTimer(at Time) {
	service(c, c.ProcessingTimers).Delete(at, Window{})
	if c.Trace != nil {
		c.trace(Step{Kind: TimerDeleted, Name: "processing", At: at})
	}
}

func service(c *Context, s TimerService) TimerService {
	switch {
	case c.Backend == nil:
		panic(&StateError{State: "(timers)", Err: ErrNotKeyed})
	case s == nil:
		panic(&StateError{State: "(timers)", Reason: "this stage of the engine has no timers yet; lab 06 brings them"})
	}
	c.Key()
	return s
}

// Drop notes in the trace that an element was dropped, and why. Count it with a Counter too.
func (c *Context) Drop(reason string, v any) {
	if c.Trace != nil {
		c.trace(Step{Kind: Dropped, Name: reason, Value: v})
	}
}

// ConnectSide attaches a side output's collector; called when the operator is built.
func (c *Context) ConnectSide(name string, collector any) {
	if c.sides == nil {
		c.sides = map[string]any{}
	}
	c.sides[name] = collector
}

func (c *Context) operators(state string) OperatorStore {
	if c.Operator == nil {
		panic(&StateError{State: state, Reason: "this stage of the engine has no operator state yet; lab 03 brings it"})
	}
	return c.Operator
}

// trace completes a step with who and which key. Callers check Trace for nil first, so that an
// untraced run does not even build the Step.
func (c *Context) trace(s Step) {
	s.UID, s.Subtask = c.UID, c.Subtask
	if c.hasKey && s.Kind.Keyed() {
		s.Key = c.key
	}
	if s.Kind == ElementIn && s.Input == 0 {
		s.Input = c.Input
	}
	c.Trace(s)
}

// Note records a step that the runtime itself sees: an element, a timer firing, an emission.
func (c *Context) Note(s Step) {
	if c.Trace != nil {
		c.trace(s)
	}
}
