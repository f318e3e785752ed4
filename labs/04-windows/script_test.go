package lab04_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"gatewaymeter/harness"
	"gatewaymeter/internal/kit/suite"
	ours "gatewaymeter/labs/04-windows/solution"
	windows "gatewaymeter/labs/04-windows/starter"
	"gatewaymeter/stream"
)

// The scripts of this suite are about letters: an element is a letter with a key and a time, and a
// window's result spells the letters that are in it, between < and >. So a line such as
//
//	k [10ms, 20ms) <ab> @19ms
//
// says which elements a window held when it fired, and what its output was stamped with.

// letter is an element.
type letter struct{ key, is string }

// spelling is the aggregate. Create and Result leave their marks, so that leaving one out shows.
type spelling struct{}

func (spelling) Create() string                  { return "<" }
func (spelling) Add(acc *string, in letter)      { *acc += in.is }
func (spelling) Result(acc string) string        { return acc + ">" }
func (spelling) Merge(acc *string, other string) { *acc += strings.TrimPrefix(other, "<") }

var lateLetters = stream.Tag[letter]{Name: "late-letters"}

// word is what a window spells.
func word(_ *stream.Context, w stream.Window, key, spells string, out stream.Collector[string]) {
	out.Collect(fmt.Sprintf("%s [%s, %s) %s", key, ms(w.Start), ms(w.End), spells))
}

func ms(t stream.Time) string {
	switch t {
	case stream.NoTime, stream.MaxTime:
		return t.String()
	}
	return fmt.Sprintf("%dms", int64(t))
}

// set is how an operator of the scripts is made.
type set struct {
	assigner  windows.Assigner
	retention windows.Retention
	noSide    bool // late elements have no side output
}

func (s set) operator() stream.KeyedFunction[letter, string] {
	config := windows.Config[letter, string, string, string]{
		Assigner: s.assigner, Aggregate: spelling{}, Codec: stream.String, Function: word, Retention: s.retention,
	}
	if !s.noSide {
		config.Late = lateLetters
	}
	return windows.New(config)
}

// beat is one line of a script.
type beat struct {
	what   string
	do     func(h *drive)
	want   []string // outputs, windows and late elements, in this order
	says   string   // what is wrong, if they differ
	left   [2]int   // windows in state and timers, if checkLeft
	checks bool
}

// add is an element.
func add(key, is string, at stream.Time) beat {
	return beat{
		what: fmt.Sprintf("element %s of key %s @%s", is, key, ms(at)),
		do:   func(h *drive) { h.ProcessElement(letter{key, is}, at) },
	}
}

// mark is a watermark.
func mark(at stream.Time) beat {
	return beat{what: "watermark " + ms(at), do: func(h *drive) { h.mark = at; h.ProcessWatermark(at) }}
}

// restart takes a snapshot and goes on from it in a new operator.
func restart(t *testing.T, s set) beat {
	return beat{what: "snapshot, and restore from it", do: func(h *drive) {
		snapshot := h.Snapshot()
		h.Close()
		h.mark = stream.NoTime
		h.Keyed = newHarness(t, s, harness.From(snapshot))
	}}
}

// gives is what comes out, a line each. A beat without it must give nothing.
func (b beat) gives(lines ...string) beat { b.want = lines; return b }

// or is what is wrong if something else comes out, or something else is left.
func (b beat) or(says string) beat { b.says = says; return b }

// leaves is the windows in state and the timers afterwards.
func (b beat) leaves(windows, timers int) beat {
	b.left, b.checks = [2]int{windows, timers}, true
	return b
}

// drive is the harness with what the scripts remember.
type drive struct {
	*harness.Keyed[letter, string]
	mark stream.Time
}

func newHarness(t *testing.T, s set, opts ...harness.Option) *harness.Keyed[letter, string] {
	return harness.NewKeyed(t, parts(t), func(l letter) string { return l.key }, s.operator(), append(opts, harness.WithTrace())...)
}

// play runs a script; the first beat that differs ends the test.
func play(t *testing.T, s set, script ...beat) {
	t.Helper()
	h := &drive{Keyed: newHarness(t, s), mark: stream.NoTime}
	var told []string
	for _, b := range script {
		before := h.describe()
		told = append(told, b.what)
		b.do(h)
		f := suite.Failure{
			Says: b.says, Input: b.what, State: before, Watermark: ms(h.mark), Trace: told,
			Look: fmt.Sprintf("docs/04-windows.md; %v", s.assigner),
		}
		got := h.outputs()
		if !slices.Equal(got, b.want) {
			if f.Says == "" {
				f.Says = "the windows give something else than they should"
			}
			f.Got, f.Want = lines(got), lines(b.want)
			suite.Wrong(t, f)
		}
		for _, line := range got {
			told = append(told, "    "+line)
		}
		if left := h.left(); b.checks && left != b.left {
			if f.Says == "" || len(b.want) > 0 {
				f.Says = "what is left in state afterwards is wrong"
			}
			f.Got, f.Want = counts(left), counts(b.left)
			suite.Wrong(t, f)
		}
	}
}

// outputs is what has come out since the last call.
func (h *drive) outputs() []string {
	var out []string
	for _, r := range h.Outputs() {
		out = append(out, r.Value+" @"+ms(r.Time))
	}
	for _, r := range harness.SideOutputs(h.Keyed, lateLetters) {
		out = append(out, fmt.Sprintf("late: %s of key %s @%s", r.Value.is, r.Value.key, ms(r.Time)))
	}
	return out
}

// left is the windows in state and the timers.
func (h *drive) left() [2]int {
	n := 0
	h.Each(windows.StateName, func(_ string, v any) error { n += len(v.([]stream.MapEntry)); return nil })
	return [2]int{n, h.EventTimers()}
}

// describe is the windows in state, key by key.
func (h *drive) describe() string {
	var all []string
	h.Each(windows.StateName, func(key string, v any) error {
		for _, e := range v.([]stream.MapEntry) {
			w, err := stream.Spans.Decode(e.Key)
			if err != nil {
				return err
			}
			all = append(all, fmt.Sprintf("%s [%s, %s) %s", key, ms(w.Start), ms(w.End), *e.Value.(*string)))
		}
		return nil
	})
	if len(all) > 8 {
		all = append(all[:8], fmt.Sprintf("and %d more", len(all)-8))
	}
	return fmt.Sprintf("%s; %d timers", lines(all), h.EventTimers())
}

func lines(s []string) string {
	if len(s) == 0 {
		return "nothing"
	}
	return strings.Join(s, " | ")
}

func counts(left [2]int) string {
	return fmt.Sprintf("%d windows in state, %d timers", left[0], left[1])
}

// The assigners and retentions that are given to the operator are ours, so that only the operator is
// under test.

func tumbling(t *testing.T, size time.Duration) windows.Assigner {
	t.Helper()
	a, err := ours.NewTumbling(size, 0)
	suite.Harness(t, err)
	return a
}

func sliding(t *testing.T, size, slide time.Duration) windows.Assigner {
	t.Helper()
	a, err := ours.NewSliding(size, slide, 0)
	suite.Harness(t, err)
	return a
}

const unit = time.Millisecond
