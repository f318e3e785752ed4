package harness

import (
	"errors"
	"fmt"

	"gatewaymeter/engine"
	"gatewaymeter/stream"
	"gatewaymeter/stream/trace"
	"gatewaymeter/todo"
)

// T is what the harness needs of a test. If it has a Cleanup method too, as *testing.T has, the
// operator is closed at the end of the test by itself.
type T = stream.TestingT

// Snapshot is the state of one operator in one subtask.
type Snapshot = engine.OperatorSnapshot

// Option changes how an operator is set up.
type Option func(*config)

type config struct {
	engine.UnitConfig
	allowFailure bool
	traced       bool
	traceTo      func(stream.Step) // nil: nobody
}

// From restores the operator from snapshots: one for each old subtask.
func From(snapshots ...Snapshot) Option {
	return func(c *config) { c.Restore = snapshots }
}

// At says which subtask of how many the operator is; without it, the only one.
func At(subtask, parallelism int) Option {
	return func(c *config) { c.Subtask, c.Parallelism = subtask, parallelism }
}

// Named gives the operator a uid, for its trace and its failures.
func Named(uid string) Option { return func(c *config) { c.UID = uid } }

// TraceTo hands every step to f at once, besides what WithTrace keeps.
func TraceTo(f func(stream.Step)) Option { return func(c *config) { c.traceTo = f } }

// WithTrace records every step; see Trace.
func WithTrace() Option { return func(c *config) { c.traced = true } }

// Inputs gives the operator's task so many channels, with the parts' valve and aligner before it: see
// ProcessElementOn and ProcessControl. Without it, ProcessWatermark speaks for all channels.
func Inputs(n int) Option { return func(c *config) { c.UnitConfig.Inputs = n } }

// AllowFailure keeps a failure of the operator for Err, instead of ending the test.
func AllowFailure() Option { return func(c *config) { c.allowFailure = true } }

// sideRecord is an element of some side output.
type sideRecord struct {
	name string
	v    any
	at   stream.Time
}

// core is what the harnesses of all operators share.
type core[Out any] struct {
	t     T
	cfg   config
	unit  *engine.Unit
	clock *engine.ManualClock
	out   []stream.Record[Out]
	sides []sideRecord
	trace *trace.Recorder // nil without WithTrace
	err   error
}

// traceLines is how many steps a failure shows.
const traceLines = 15

func (h *core[Out]) configure(t T, parts engine.Parts, opts []Option) {
	h.t, h.clock = t, new(engine.ManualClock)
	h.cfg.UnitConfig = engine.UnitConfig{Parts: parts, UID: "under-test", Parallelism: 1, Clock: h.clock}
	for _, o := range opts {
		o(&h.cfg)
	}
	h.cfg.Trace = h.cfg.traceTo
	if h.cfg.traced {
		h.trace = trace.NewRecorder(trace.Options{})
		h.cfg.Trace = h.record
	}
	h.cfg.SideTap = func(name string, v any, at stream.Time) { h.sides = append(h.sides, sideRecord{name, v, at}) }
}

func (h *core[Out]) record(s stream.Step) {
	h.trace.Record(s)
	if h.cfg.traceTo != nil {
		h.cfg.traceTo(s)
	}
}

func (h *core[Out]) collect(r stream.Record[Out]) { h.out = append(h.out, r) }

// opened finishes the set-up.
func (h *core[Out]) opened(u *engine.Unit, err error) {
	h.t.Helper()
	h.unit = u
	h.check(err)
	if c, ok := h.t.(interface{ Cleanup(func()) }); ok && err == nil {
		c.Cleanup(h.Close)
	}
}

// check ends the test on a failure, or keeps it.
func (h *core[Out]) check(err error) {
	h.t.Helper()
	if err == nil {
		return
	}
	if h.err == nil {
		h.err = err
	}
	if h.cfg.allowFailure {
		return
	}
	text := err.Error()
	key := ""
	if f := new(engine.Failure); errors.As(err, &f) {
		key = f.Key
	}
	lines := trace.Lines(h.Trace(), key)
	for _, l := range lines[max(0, len(lines)-traceLines):] {
		text += "\n  " + l
	}
	if unwritten, ok := todo.Of(err); ok {
		panic(unwritten) // the suite knows what to say
	}
	h.t.Errorf("%s", text)
	h.t.FailNow()
}

// Err is the operator's first failure, with AllowFailure.
func (h *core[Out]) Err() error { return h.err }

// ready reports whether the operator can still be driven.
func (h *core[Out]) ready() bool { return h.unit != nil }

// ProcessWatermark advances event time to at; the timers that become due fire.
func (h *core[Out]) ProcessWatermark(at stream.Time) {
	h.t.Helper()
	if h.ready() {
		h.check(h.unit.Watermark(at))
	}
}

// ProcessWatermarkSlice advances event time, but lets only one slice of due timers fire; more says
// that ProcessSlice must go on.
func (h *core[Out]) ProcessWatermarkSlice(at stream.Time) (more bool) {
	h.t.Helper()
	more, err := h.unit.WatermarkSlice(at)
	h.check(err)
	return more
}

// ProcessSlice goes on with a sliced watermark; where there is nothing left of it, nothing happens.
func (h *core[Out]) ProcessSlice() (more bool) {
	h.t.Helper()
	more, err := h.unit.Slice()
	h.check(err)
	return more
}

// ProcessControl hands in a control element on one input, through the valve or the aligner; see Inputs.
func (h *core[Out]) ProcessControl(input int, c stream.Control) {
	h.t.Helper()
	if h.ready() {
		h.check(h.unit.Control(input, c))
	}
}

// Blocked says which inputs wait for the barriers of others, so that a driver would not read them now;
// nil if none.
func (h *core[Out]) Blocked() []bool { return h.unit.Blocked() }

// SetProcessingTime sets the clock; the processing timers that become due fire.
func (h *core[Out]) SetProcessingTime(at stream.Time) {
	h.t.Helper()
	h.clock.Set(at)
	if h.ready() {
		h.check(h.unit.ProcessingTime(at))
	}
}

// Outputs takes what the function has emitted since the last call.
func (h *core[Out]) Outputs() []stream.Record[Out] {
	out := h.out
	h.out = nil
	return out
}

// Values is Outputs without the timestamps.
func (h *core[Out]) Values() []Out {
	var values []Out
	for _, r := range h.Outputs() {
		values = append(values, r.Value)
	}
	return values
}

// Snapshot takes the operator's state, through the codecs.
func (h *core[Out]) Snapshot() Snapshot {
	h.t.Helper()
	s, err := h.unit.Snapshot()
	h.check(err)
	return s
}

// Checkpoint takes a checkpoint of this operator alone, as a job does, and returns what it came to: all
// its bytes, and those that were written for it. Its durations are those of the harness's clock.
func (h *core[Out]) Checkpoint(store stream.CheckpointStore, id int64) engine.CheckpointReport {
	h.t.Helper()
	r, err := h.unit.Checkpoint(store, id)
	h.check(err)
	return r
}

// Entries counts the keys that have something in a state.
func (h *core[Out]) Entries(state string) int { return h.unit.Context().Backend.Entries(state) }

// Each walks a state as Backend.Each does: all groups in order, keys ascending.
func (h *core[Out]) Each(state string, f func(key string, v any) error) {
	h.t.Helper()
	for group := range h.cfg.Parts.Groups.Max() {
		h.check(h.unit.Context().Backend.Each(state, group, f))
	}
}

// EventTimers counts the event timers.
func (h *core[Out]) EventTimers() int { return timers(h.unit.Context().EventTimers) }

// ProcessingTimers counts the processing timers.
func (h *core[Out]) ProcessingTimers() int { return timers(h.unit.Context().ProcessingTimers) }

func timers(s stream.TimerService) int {
	if s == nil {
		return 0
	}
	return s.Len()
}

// Counter is the value of a counter of the operator; 0 if there is none of that name.
func (h *core[Out]) Counter(name string) int64 {
	if c, ok := h.unit.Context().Counters[name]; ok {
		return c.Count()
	}
	return 0
}

// Context is the operator's context, for what has no verb here.
func (h *core[Out]) Context() *stream.Context { return h.unit.Context() }

// Trace is the recorded steps, at most the last trace.DefaultMax; trace.Write makes JSON of them.
func (h *core[Out]) Trace() []stream.Step {
	if h.trace == nil {
		return nil
	}
	return h.trace.Trace().Steps
}

// KeyTrace is the recorded steps of one key, as the text of a failure.
func (h *core[Out]) KeyTrace(key string) []string { return trace.Lines(h.Trace(), key) }

// Close closes the operator; a test's cleanup does it too.
func (h *core[Out]) Close() {
	h.t.Helper()
	if h.unit == nil {
		return
	}
	u := h.unit
	h.unit = nil
	h.check(u.Close())
}

// sideOutputs is satisfied by every harness; see SideOutputs.
type sideOutputs interface {
	takeSide(name string, f func(v any, at stream.Time))
}

func (h *core[Out]) takeSide(name string, f func(v any, at stream.Time)) {
	var rest []sideRecord
	for _, r := range h.sides {
		if r.name == name {
			f(r.v, r.at)
			continue
		}
		rest = append(rest, r)
	}
	h.sides = rest
}

// SideOutputs takes what a side output has got since the last call.
func SideOutputs[S any](h sideOutputs, tag stream.Tag[S]) []stream.Record[S] {
	var out []stream.Record[S]
	h.takeSide(tag.Name, func(v any, at stream.Time) {
		s, ok := v.(S)
		if !ok {
			panic(fmt.Sprintf("side output %q holds a %T, not a %T", tag.Name, v, s))
		}
		out = append(out, stream.Record[S]{Value: s, Time: at})
	})
	return out
}
