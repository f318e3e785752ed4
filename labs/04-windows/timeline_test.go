package lab04_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"gatewaymeter/harness"
	"gatewaymeter/internal/kit/timeline"
	ours "gatewaymeter/labs/04-windows/solution"
	windows "gatewaymeter/labs/04-windows/starter"
	"gatewaymeter/stream"
)

// play runs a timeline on the student's operator. allowed makes the retention of scenes with lateness.
func play(t *testing.T, file string, allowed func(time.Duration) windows.Retention) {
	t.Helper()
	timeline.Play(t, "testdata/"+file, func(t *testing.T, head timeline.Step) func(timeline.Step) timeline.Outcome {
		s := setting{assigner: assignerOf(t, head), retention: retentionOf(t, head, allowed)}
		p := &player{t: t, setting: s, h: s.open(t), mark: stream.NoTime}
		return p.step
	})
}

// given is our lateness, for exercises that are not about it.
func given(lateness time.Duration) windows.Retention { return ours.Allowed(lateness) }

// assignerOf is the windows of a scene: tumbling=10ms, size=10ms slide=5ms, or gap=10ms.
func assignerOf(t *testing.T, head timeline.Step) windows.Assigner {
	t.Helper()
	switch {
	case head.Has("tumbling"):
		return tumbling(t, head.Span(t, "tumbling"))
	case head.Has("slide"):
		return sliding(t, head.Span(t, "size"), head.Span(t, "slide"))
	}
	return session(t, head.Span(t, "gap"))
}

// retentionOf is how long a scene keeps windows: keep=forever, cleanup=… (see cleansAt), or
// lateness=5ms.
func retentionOf(t *testing.T, head timeline.Step, allowed func(time.Duration) windows.Retention) windows.Retention {
	t.Helper()
	switch {
	case head.Has("keep"):
		return windows.Forever
	case head.Has("lateness"):
		return allowed(head.Span(t, "lateness"))
	}
	switch head.Arg("cleanup") {
	case "never":
		return cleansAt{at: func(stream.Window) stream.Time { return stream.MaxTime }}
	case "start":
		return cleansAt{at: func(w stream.Window) stream.Time { return w.Start }}
	}
	return after(head.Span(t, "cleanup"))
}

// player performs the steps of one scene.
type player struct {
	t       *testing.T
	setting setting
	h       *letters
	mark    stream.Time // the watermark
}

func (p *player) step(s timeline.Step) timeline.Outcome {
	p.t.Helper()
	before, mark := p.state(), timeline.Clock(p.mark)
	switch s.Verb {
	case "element":
		p.h.ProcessElement(letter{s.Arg("key"), s.Arg("is")}, s.At(p.t, "t"))
	case "watermark":
		p.mark = s.At(p.t, "t")
		p.h.ProcessWatermark(p.mark)
	case "restore": // a snapshot, and a new operator from it
		snapshot := p.h.Snapshot()
		p.h.Close()
		p.h, p.mark = p.setting.open(p.t, harness.From(snapshot)), stream.NoTime
	case "timer": // one of a window that may have no state
		w := stream.Window{Start: s.At(p.t, "from"), End: s.At(p.t, "to")}
		p.h.Context().SetKey(0, s.Arg("key"))
		p.h.Context().RegisterWindowTimer(w.MaxTimestamp(), w)
	default:
		s.Unknown(p.t)
	}
	got := p.outputs()
	if strings.HasSuffix(s.Want, "timers)") { // the line says what must be left, too
		got += fmt.Sprintf(" (%d windows, %d timers)", inFlight(p.h), p.h.EventTimers())
	}
	return timeline.Outcome{Got: got, Before: before, Watermark: mark, Of: p.h}
}

// outputs is what has come out: results, then late elements.
func (p *player) outputs() string {
	var out []string
	for _, r := range p.h.Outputs() {
		out = append(out, r.Value+" @"+timeline.Clock(r.Time))
	}
	for _, r := range harness.SideOutputs(p.h, lateLetters) {
		out = append(out, fmt.Sprintf("late: %s of key %s @%s", r.Value.is, r.Value.key, timeline.Clock(r.Time)))
	}
	if len(out) == 0 {
		return "nothing"
	}
	return strings.Join(out, " | ")
}

// state is the windows of all keys, and the number of timers.
func (p *player) state() string {
	var all []string
	p.h.Each(windows.StateName, func(key string, v any) error {
		for _, e := range v.([]stream.MapEntry) {
			w, err := stream.Spans.Decode(e.Key)
			if err != nil {
				return err
			}
			all = append(all, fmt.Sprintf("%s %s %s", key, span(w), *e.Value.(*string)))
		}
		return nil
	})
	if len(all) == 0 {
		all = []string{"none"}
	}
	return fmt.Sprintf("windows: %s; %d timers", strings.Join(all, " | "), p.h.EventTimers())
}

// inFlight is the windows in state, of all keys.
func inFlight[In, Out any](h *harness.Keyed[In, Out]) (n int) {
	h.Each(windows.StateName, func(_ string, v any) error { n += len(v.([]stream.MapEntry)); return nil })
	return n
}
