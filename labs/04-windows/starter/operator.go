package windows

import (
	"gatewaymeter/stream"
	"gatewaymeter/todo" // made from ../solution by "go tool lab starters"; this file is yours to edit
)

// WindowFunction makes output of a window's result (Flink: ProcessWindowFunction). c.Time is the
// window's last instant, which becomes the timestamp of what it emits; c.Watermark is what the
// operator has seen so far.
type WindowFunction[Res, Out any] func(c *stream.Context, w stream.Window, key string, result Res, out stream.Collector[Out])

// Config says what a window operator does. Assigner, Aggregate, Codec and Function are required.
type Config[In, Acc, Res, Out any] struct {
	Assigner  Assigner
	Aggregate stream.Aggregate[In, Acc, Res]
	Codec     stream.Codec[Acc] // of the accumulator
	Function  WindowFunction[Res, Out]
	Retention Retention      // nil: Allowed(0)
	Late      stream.Tag[In] // where late elements go; without a name they are counted as dropped
}

// StateName is the name of the window operator's keyed state: for each key a map from window to
// accumulator. An entry of it is a window in flight.
const StateName = "windows"

// Names of the window operator's counters.
const (
	CountLate    = "late"    // elements that went to the late side output
	CountDropped = "dropped" // late elements of an operator without one (Flink: numLateRecordsDropped)
	// CountOpen is the windows in flight. After a restore at another parallelism only its sum over all
	// subtasks means something: state moves with its key, a counter does not.
	CountOpen = "open_windows"
)

// Operator is Flink's WindowOperator with an EventTimeTrigger and incremental aggregation. It is a
// stream.KeyedFunction and a stream.TimerFunction; make it with New.
//
// Everything it knows is in the key's drawer: the accumulator of each window in flight, and two
// timers a window, in the window's namespace. One at the window's last instant fires it, one at the
// cleanup time removes it; without lateness they are the same timer.
type Operator[In, Acc, Res, Out any] struct {
	config  Config[In, Acc, Res, Out]
	merging bool
	// rearm: a window that is known may lack a timer. A merged one does; and so may one that had fired
	// before a restore, since the watermark is then lower again.
	rearm bool

	c       *stream.Context
	panes   stream.Map[stream.Window, Acc]
	late    stream.Collector[In] // nil: there is no side output
	lates   stream.Counter
	dropped stream.Counter
	open    stream.Counter

	acc     Acc             // that is being worked on: a local variable would be allocated anew each time
	windows []stream.Window // of the current element; reused
	live    []stream.Window // of the current key; reused by merge
	parts   []stream.Window // that merge; reused
}

// New makes a window operator.
func New[In, Acc, Res, Out any](config Config[In, Acc, Res, Out]) *Operator[In, Acc, Res, Out] {
	if config.Retention == nil {
		config.Retention = Allowed(0)
	}
	_, merging := config.Assigner.(MergingAssigner)
	return &Operator[In, Acc, Res, Out]{config: config, merging: merging}
}

// Open declares the state, the counters and the side output.
func (o *Operator[In, Acc, Res, Out]) Open(c *stream.Context) error {
	o.c, o.rearm = c, o.merging || c.Restored
	o.panes = stream.NewMap(c, StateName, stream.Spans, o.config.Codec, stream.RemovedBy(stream.ByTimer))
	o.lates = stream.NewCounter(c, CountLate)
	o.dropped = stream.NewCounter(c, CountDropped)
	o.open = stream.NewCounter(c, CountOpen)
	if o.config.Late.Name != "" {
		o.late = stream.SideOutput(c, o.config.Late)
	}
	return nil
}

// ProcessElement puts an element into its windows. It is given; the steps are the exercises.
func (o *Operator[In, Acc, Res, Out]) ProcessElement(c *stream.Context, in In, out stream.Collector[Out]) (err error) {
	if o.windows, err = o.config.Assigner.Assign(o.windows[:0], c.Time); err != nil {
		return err
	}
	accepted := false
	for _, w := range o.windows {
		if o.merging {
			before := o.panes.Len()
			w = o.merge(w)
			o.open.Add(int64(o.panes.Len() - before))
		}
		if o.config.Retention.WindowLate(w, c.Watermark) {
			continue
		}
		accepted = true
		fresh := o.add(w, in)
		if fresh {
			o.open.Add(1)
		}
		if !fresh && !o.rearm && w.MaxTimestamp() > c.Watermark {
			continue // it has its timers already, and they are state as it is
		}
		o.trigger(w, out)
		if o.config.Retention != Forever {
			o.keep(w)
		}
	}
	// An element that was refused by all of its windows is late. One that has no window at all is
	// late only if its time has passed; otherwise it lies in a gap of sliding windows, and goes.
	if !accepted && (len(o.windows) > 0 || o.config.Retention.ElementLate(c.Time, c.Watermark)) {
		o.refuse(in)
	}
	return nil
}

// OnTimer is a window's time: to fire, to go, or both. It is given. The order matters: with lateness
// 0 both are due at once, and a window that is cleared first has nothing left to fire.
func (o *Operator[In, Acc, Res, Out]) OnTimer(_ *stream.Context, t stream.Timer, out stream.Collector[Out]) error {
	if t.At == t.Window.MaxTimestamp() {
		o.fire(t.Window, out)
	}
	if t.At == o.config.Retention.CleanupTime(t.Window) {
		if o.panes.Contains(t.Window) {
			o.open.Add(-1)
		}
		o.clear(t.Window)
	}
	return nil
}

// add folds the element into the accumulator of window w at the current key, and reports whether it is
// the window's first. The first one starts with an empty accumulator. What is stored is the
// accumulator, never the element.
func (o *Operator[In, Acc, Res, Out]) add(w stream.Window, in In) (fresh bool) {
	//lab:begin 4d
	panic(todo.Exercise("4d"))
	//lab:end
}

// trigger says what an element means for the window that it was added to (Flink: EventTimeTrigger's
// onElement). If the watermark has passed the window's last instant, the element came late and the
// window fires at once, and no timer is set. Otherwise it fires at that instant: a timer in the
// window's namespace, so that the timers of two windows never meet.
func (o *Operator[In, Acc, Res, Out]) trigger(w stream.Window, out stream.Collector[Out]) {
	//lab:begin 4d
	panic(todo.Exercise("4d"))
	//lab:end
}

// fire hands the window's result so far to the window function. The state stays: a later firing of
// the same window is cumulative, it replaces the first and is no difference to it. A window without
// state fires nothing. While the function runs, c.Time is the window's last instant, which its output
// is stamped with; afterwards c.Time is what it was.
func (o *Operator[In, Acc, Res, Out]) fire(w stream.Window, out stream.Collector[Out]) {
	//lab:begin 4d
	panic(todo.Exercise("4d"))
	//lab:end
}
