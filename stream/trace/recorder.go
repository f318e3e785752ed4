package trace

import (
	"sync"

	"gatewaymeter/stream"
)

// DefaultMax is the bound of a Recorder that does not name one.
const DefaultMax = 1000

// Options bound a trace.
type Options struct {
	Max int    // steps kept, the last ones; 0: DefaultMax
	Key string // only steps of this key, and what concerns every key, such as a watermark. Empty: all
}

// Trace is a piece of a run.
type Trace struct {
	Steps   []stream.Step
	Numbers []int  // of each step in the run, from 1; nil: they are counted from Missing+1
	Missing int    // steps that were recorded before these, and dropped
	Key     string // the filter; empty if none
}

// number is the n-th kept step's number in the run.
func (t Trace) number(n int) int {
	if t.Numbers == nil {
		return t.Missing + n + 1
	}
	return t.Numbers[n]
}

// Recorder keeps the last steps of a run. Its methods may be called from several goroutines: the live
// driver's tasks record at the same time, so the order between two tasks is that of their calls.
type Recorder struct {
	options Options

	mu      sync.Mutex
	ring    []stream.Step
	numbers []int
	kept    int // ever
	seen    int // ever, of all keys
}

// NewRecorder makes an empty one.
func NewRecorder(o Options) *Recorder {
	if o.Max <= 0 {
		o.Max = DefaultMax
	}
	return &Recorder{options: o}
}

// Record takes one step: it is the hook for Job.SetTrace and Context.Trace.
func (r *Recorder) Record(s stream.Step) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.seen++
	if !concerns(s, r.options.Key) {
		return
	}
	if len(r.ring) < r.options.Max {
		r.ring, r.numbers = append(r.ring, s), append(r.numbers, r.seen)
	} else {
		at := r.kept % r.options.Max
		r.ring[at], r.numbers[at] = s, r.seen
	}
	r.kept++
}

// Trace is what has been kept so far, oldest first.
func (r *Recorder) Trace() Trace {
	r.mu.Lock()
	defer r.mu.Unlock()
	t := Trace{Missing: r.kept - len(r.ring), Key: r.options.Key}
	for i := range r.ring {
		at := (r.kept - len(r.ring) + i) % r.options.Max
		t.Steps, t.Numbers = append(t.Steps, r.ring[at]), append(t.Numbers, r.numbers[at])
	}
	return t
}

// concerns reports whether a step is to be seen by whoever asks for a key.
func concerns(s stream.Step, key string) bool { return key == "" || s.Key == key || !s.Kind.Keyed() }

// OfKey is the steps of a key, and what concerns every key, such as a watermark. All steps for no key.
func OfKey(steps []stream.Step, key string) []stream.Step {
	var kept []stream.Step
	for _, s := range steps {
		if concerns(s, key) {
			kept = append(kept, s)
		}
	}
	return kept
}

// Lines prints the steps of a key for a failure's text.
func Lines(steps []stream.Step, key string) []string {
	var lines []string
	for _, s := range OfKey(steps, key) {
		lines = append(lines, s.String())
	}
	return lines
}
