package lab05_test

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"gatewaymeter/internal/kit/suite"
	"gatewaymeter/stream"
)

// step is one line of a timeline: what happens, and what comes of it.
//
//	idle input=2            -> watermark 5s, idle
type step struct {
	line int
	verb string
	args map[string]string
	want string // "nothing" if nothing comes of it; "" if the line does not say
	text string
}

// timeline is a file of steps. Lines that begin with # explain; the first one says where the
// expectations come from. An empty line starts over, with the header "new …" of what is tested.
func timeline(t *testing.T, name string) (scenes [][]step) {
	t.Helper()
	content, err := os.ReadFile("testdata/" + name)
	suite.Harness(t, err)
	for n, text := range strings.Split(string(content), "\n") {
		text = strings.TrimSpace(text)
		if text == "" || text[0] == '#' {
			continue
		}
		s, err := parseStep(n+1, text)
		suite.Harness(t, err)
		if s.verb == "new" {
			scenes = append(scenes, nil)
		}
		if len(scenes) == 0 {
			suite.Harness(t, fmt.Errorf("%s:%d: a scene starts with new", name, n+1))
		}
		last := &scenes[len(scenes)-1]
		*last = append(*last, s)
	}
	return scenes
}

func parseStep(line int, text string) (step, error) {
	s := step{line: line, args: map[string]string{}, text: text}
	does, want, _ := strings.Cut(text, "->")
	s.want = strings.TrimSpace(want)
	fields := strings.Fields(does)
	s.verb = fields[0]
	for _, f := range fields[1:] {
		name, value, ok := strings.Cut(f, "=")
		if !ok {
			return s, fmt.Errorf("line %d: %q is not name=value", line, f)
		}
		s.args[name] = value
	}
	return s, nil
}

// at is a time: "12s", "-300ms", "end" or "none".
func (s step) at(t *testing.T, name string) stream.Time {
	t.Helper()
	switch v := s.args[name]; v {
	case "end":
		return stream.MaxTime
	case "none":
		return stream.NoTime
	default:
		d, err := time.ParseDuration(v)
		suite.Harness(t, err)
		return stream.Time(d.Milliseconds())
	}
}

func (s step) span(t *testing.T, name string) time.Duration {
	t.Helper()
	return time.Duration(s.at(t, name)) * time.Millisecond
}

func (s step) number(t *testing.T, name string) int {
	t.Helper()
	n, err := strconv.Atoi(s.args[name])
	suite.Harness(t, err)
	return n
}

// clock prints a time as timelines write it.
func clock(t stream.Time) string {
	switch t {
	case stream.NoTime:
		return "none"
	case stream.MaxTime:
		return "end"
	}
	switch seconds := strconv.FormatFloat(float64(t)/1000, 'f', -1, 64); {
	case t > 1e15 || t < -1e15:
		return strconv.FormatInt(int64(t), 10)
	case t < 1000 && t > -1000 && t != 0:
		return strconv.FormatInt(int64(t), 10) + "ms"
	default:
		return seconds + "s"
	}
}

// effect is what goes on because of a signal.
func effect(s stream.Signal) string {
	var parts []string
	if s.Status == stream.Active {
		parts = append(parts, "active")
	}
	if s.Watermark != stream.NoTime {
		parts = append(parts, "watermark "+clock(s.Watermark))
	}
	if s.Status == stream.Idle {
		parts = append(parts, "idle")
	}
	if len(parts) == 0 {
		return "nothing"
	}
	return strings.Join(parts, ", ")
}

// play runs the scenes of a timeline. do performs a step, says what came of it and, for a failure,
// what stood before it.
func play(t *testing.T, name string, start func(t *testing.T, s step) func(s step) (got, state string)) {
	t.Helper()
	for _, scene := range timeline(t, name) {
		title := strings.ReplaceAll(scene[0].args["scene"], "-", " ")
		suite.Sub(t, title, func(t *testing.T) {
			do := start(t, scene[0])
			var past []string
			for _, s := range scene[1:] {
				got, state := do(s)
				past = append(past, s.text)
				if s.want == "" || got == s.want {
					continue
				}
				suite.Wrong(t, suite.Failure{
					Says:  fmt.Sprintf("after line %d of testdata/%s something else comes out", s.line, name),
					Input: s.text,
					State: state,
					Got:   got,
					Want:  s.want,
					Trace: past,
				})
			}
		})
	}
}

// channels prints what is known of splits or inputs.
func channels(of any) string {
	r, ok := of.(stream.TimeReporter)
	if !ok {
		return ""
	}
	var lines []string
	for _, c := range r.Channels() {
		line := fmt.Sprintf("%d at %s", c.Channel, clock(c.Watermark))
		for _, flag := range []struct {
			on   bool
			name string
		}{{c.Idle, "idle"}, {c.Ended, "ended"}, {c.Paused, "paused"}, {c.Unaligned, "unaligned"}} {
			if flag.on {
				line += " " + flag.name
			}
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "; ")
}
