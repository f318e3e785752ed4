// Package timeline reads and plays timelines: text files that say what happens to a part of the
// engine, step by step, and what comes of it.
//
//	# from: Flink 2.3's StatusWatermarkValveTest
//
//	new scene=the-slowest-goes-idle inputs=2
//	watermark input=0 t=15s          -> nothing
//	watermark input=1 t=3s           -> watermark 3s
//	idle input=1                     -> watermark 15s
//
// A file's first line says where its expectations come from. A line that begins with # explains the
// step below it, in a failure's text too. A scene begins with "new"; its other arguments say how the
// part is made. What a step does is a verb and named arguments; behind the arrow stands what it must
// come to. Without an arrow, a step may come to anything.
//
// The package knows no verbs: whoever plays a timeline brings the part that is tested. It leaves the
// verdict to package suite.
package timeline

import (
	"bufio"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"gatewaymeter/internal/kit/suite"
	"gatewaymeter/stream"
)

// Step is one line.
type Step struct {
	Line int // in the file, from 1
	Verb string
	Text string
	Want string // "" if the line does not say
	Note string // the explaining lines right above it
	args map[string]string
	// asked are the names that a player has asked for: behind a pointer, since steps are copied.
	asked *[]string
}

// Outcome is what a step came to, and what a failure tells besides.
type Outcome struct {
	Got       string
	Before    string       // the state before it; may be empty
	Watermark string       // where event time stood before it; may be empty
	Of        suite.Traced // who has recorded what happened inside; nil: the failure shows the lines before
	Key       string       // whose trace to show; empty: that of the step's key, id, card or tenant
}

// Play runs every scene of a file as a subtest. start makes the part that is tested from the scene's
// first step, and returns what performs a step. The first step that comes to something else than its
// line says ends its scene as WRONG; so does one in which the part panics or fails, and the text says
// which step it was.
func Play(t *testing.T, path string, start func(t *testing.T, head Step) func(Step) Outcome) {
	t.Helper()
	content, err := os.ReadFile(path)
	suite.Harness(t, err)
	scenes, err := Parse(string(content))
	if err != nil {
		suite.Harness(t, fmt.Errorf("%s: %w", path, err))
	}
	for _, scene := range scenes {
		title := strings.ReplaceAll(scene[0].args["scene"], "-", " ")
		suite.Sub(t, title, func(t *testing.T) { playScene(t, path, title, scene, start) })
	}
}

func playScene(t *testing.T, path, title string, scene []Step, start func(t *testing.T, head Step) func(Step) Outcome) {
	t.Helper()
	var do func(Step) Outcome
	suite.During(t, scene[0].told(path, title, nil), func() { do = start(t, scene[0]) })
	past := []string{scene[0].Text}
	for _, s := range scene[1:] {
		var outcome Outcome
		suite.During(t, s.told(path, title, past), func() { outcome = do(s) })
		if s.Want != "" && outcome.Got != s.Want {
			suite.Wrong(t, s.mismatch(path, title, outcome, past))
		}
		if s.Want != "" { // otherwise the part may have ended the step before all was asked for
			suite.Harness(t, s.at(path, s.Unread()))
		}
		past = append(past, s.Text)
	}
	suite.Harness(t, scene[0].at(path, scene[0].Unread()))
}

// told is the step as a failure in the middle of it tells it.
func (s Step) told(path, title string, past []string) suite.Step {
	return suite.Step{File: path, Line: s.Line, Scene: title, Input: s.Text, Why: s.Note, Past: past}
}

// at says where the error stands; nil stays nil.
func (s Step) at(path string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: line %d: %w", path, s.Line, err)
}

// mismatch is what a step tells that came to something else than its line says. The scene's title is
// often the reason.
func (s Step) mismatch(path, title string, o Outcome, past []string) suite.Failure {
	f := suite.Failure{
		Says:  fmt.Sprintf("at line %d of %s (%s) something else comes out", s.Line, path, title),
		Input: s.Text, State: o.Before, Watermark: o.Watermark, Got: o.Got, Want: s.Want,
		Of: o.Of, Key: o.Key,
	}
	if f.Key == "" {
		f.Key = s.key()
	}
	if s.Note != "" {
		f.Says += ": " + s.Note
	}
	if o.Of == nil {
		f.Trace = past
	}
	return f
}

// key is the key that a step is about; "" if it concerns all.
func (s Step) key() string {
	for _, name := range []string{"key", "id", "card", "tenant"} {
		if s.Has(name) {
			return s.Arg(name)
		}
	}
	return ""
}

// Parse splits the text of a file into scenes. Each begins with its "new" step.
func Parse(content string) (scenes [][]Step, err error) {
	if !strings.HasPrefix(content, "# from: ") {
		return nil, fmt.Errorf("the first line must say where the expectations come from: # from: …")
	}
	lines := bufio.NewScanner(strings.NewReader(content))
	note := ""
	for n := 1; lines.Scan(); n++ {
		text := strings.TrimSpace(lines.Text())
		if text == "" {
			note = ""
			continue
		}
		if text[0] == '#' {
			note = strings.TrimSpace(note + " " + strings.TrimSpace(text[1:]))
			continue
		}
		s, err := parseStep(n, text)
		s.Note, note = note, ""
		switch {
		case err != nil:
			return nil, err
		case s.Verb == "new":
			scenes = append(scenes, []Step{s})
		case len(scenes) == 0:
			return nil, fmt.Errorf("line %d: a scene starts with new", n)
		default:
			last := &scenes[len(scenes)-1]
			*last = append(*last, s)
		}
	}
	if len(scenes) == 0 {
		return nil, fmt.Errorf("it holds no scene")
	}
	return scenes, lines.Err()
}

func parseStep(line int, text string) (Step, error) {
	does, want, arrow := strings.Cut(text, "->")
	fields := strings.Fields(does)
	if len(fields) == 0 {
		return Step{}, fmt.Errorf("line %d: nothing happens before the arrow", line)
	}
	s := Step{Line: line, Verb: fields[0], Text: text, Want: strings.TrimSpace(want), args: map[string]string{}, asked: &[]string{"scene"}}
	if arrow && s.Want == "" {
		return s, fmt.Errorf("line %d: nothing stands behind the arrow: a step that may come to anything has none", line)
	}
	for _, f := range fields[1:] {
		name, value, ok := strings.Cut(f, "=")
		if !ok {
			return s, fmt.Errorf("line %d: %q is not name=value", line, f)
		}
		if _, twice := s.args[name]; twice {
			return s, fmt.Errorf("line %d: argument %s: it stands there twice", line, name)
		}
		s.args[name] = value
	}
	return s, nil
}

// Has reports whether the step has an argument.
func (s Step) Has(name string) bool { return s.Arg(name) != "" }

// Arg is an argument's text; "" if the step does not have it.
func (s Step) Arg(name string) string {
	if !slices.Contains(*s.asked, name) {
		*s.asked = append(*s.asked, name)
	}
	return s.args[name]
}

// Unread is an error if the step has an argument that nobody has asked for: a slip of whoever has
// edited the file, which would otherwise change nothing and say nothing.
func (s Step) Unread() error {
	for _, name := range slices.Sorted(maps.Keys(s.args)) {
		if !slices.Contains(*s.asked, name) {
			return fmt.Errorf("argument %s: %s has none of that name, only %s", name, s.Verb, strings.Join((*s.asked)[1:], ", "))
		}
	}
	return nil
}

// Number is an argument as a number.
func (s Step) Number(t *testing.T, name string) int {
	t.Helper()
	n, err := strconv.Atoi(s.Arg(name))
	s.fault(t, name, err)
	return n
}

// At is an argument as a time: "12s", "-300ms", "5m", "end", or "none".
func (s Step) At(t *testing.T, name string) stream.Time {
	t.Helper()
	switch v := s.Arg(name); v {
	case "end":
		return stream.MaxTime
	case "none":
		return stream.NoTime
	default:
		d, err := time.ParseDuration(v)
		s.fault(t, name, err)
		return stream.Time(d.Milliseconds())
	}
}

// Span is an argument as a duration.
func (s Step) Span(t *testing.T, name string) time.Duration {
	t.Helper()
	return time.Duration(s.At(t, name)) * time.Millisecond
}

// Unknown ends the test: the timeline has a verb that nobody knows.
func (s Step) Unknown(t *testing.T) {
	t.Helper()
	suite.Harness(t, fmt.Errorf("line %d: unknown verb %q", s.Line, s.Verb))
}

func (s Step) fault(t *testing.T, name string, err error) {
	t.Helper()
	if err != nil {
		suite.Harness(t, fmt.Errorf("line %d: argument %s: %w", s.Line, name, err))
	}
}

// Clock prints a time as timelines write it: in seconds, below a second in milliseconds.
func Clock(t stream.Time) string {
	switch {
	case t == stream.NoTime:
		return "none"
	case t == stream.MaxTime:
		return "end"
	case t > 1e15 || t < -1e15: // more digits than a float keeps
		return strconv.FormatInt(int64(t), 10) + "ms"
	case t < 1000 && t > -1000 && t != 0:
		return strconv.FormatInt(int64(t), 10) + "ms"
	}
	return strconv.FormatFloat(float64(t)/1000, 'f', -1, 64) + "s"
}
