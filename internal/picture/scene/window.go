package scene

import (
	"strings"

	"gatewaymeter/harness"
	windows "gatewaymeter/labs/04-windows/solution"
	"gatewaymeter/stream"
)

// Letter is the element of scenes that are about when, and not about what.
type Letter struct{ Key, Is string }

// String is the letter alone: its key stands beside it in a trace.
func (l Letter) String() string { return l.Is }

// letters is the aggregate that remembers which elements a window has.
type letters struct{}

func (letters) Create() string                  { return "" }
func (letters) Add(acc *string, in Letter)      { *acc = strings.TrimSpace(*acc + " " + in.Is) }
func (letters) Result(acc string) string        { return acc }
func (letters) Merge(acc *string, other string) { *acc = strings.TrimSpace(*acc + " " + other) }

// word emits what a window has gathered.
func word(_ *stream.Context, _ stream.Window, _, letters string, out stream.Collector[string]) {
	out.Collect(letters)
}

// windowStage is lab 04's window operator: "window size=1m lateness=30s", with slide=30s for sliding
// windows or gap=10s instead of size for sessions. Steps: element key= is= t=, watermark t=.
type windowStage struct {
	h *harness.Keyed[Letter, string]
}

func newWindow(head *Step, trace func(stream.Step)) stage {
	op := windows.New(windows.Config[Letter, string, string, string]{
		Assigner: assigner(head), Aggregate: letters{}, Codec: stream.String, Function: word,
		Retention: windows.Allowed(head.Span("lateness")), Late: stream.Tag[Letter]{Name: "late"},
	})
	key := func(l Letter) string { return l.Key }
	return &windowStage{harness.NewKeyed(newFailing(), parts(), key, stream.KeyedFunction[Letter, string](op), harness.Named("window"), harness.TraceTo(trace))}
}

func assigner(head *Step) (a windows.Assigner) {
	var err error
	switch {
	case head.Arg("gap") != "":
		a, err = windows.NewSession(head.Span("gap"))
	case head.Arg("slide") != "":
		a, err = windows.NewSliding(head.Span("size"), head.Span("slide"), 0)
	default:
		a, err = windows.NewTumbling(head.Span("size"), 0)
	}
	check(err)
	return a
}

func (w *windowStage) close() { w.h.Close() }

func (w *windowStage) do(s *Step) {
	switch s.Verb {
	case "element":
		w.h.ProcessElement(Letter{s.Arg("key"), s.Arg("is")}, s.At("t"))
	case "watermark":
		w.h.ProcessWatermark(s.At("t"))
	default:
		unknown(s)
	}
}
