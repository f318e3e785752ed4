package suite

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"gatewaymeter/stream"
	"gatewaymeter/stream/trace"
)

// The bounds of a failure's text. What is cut is said to be cut.
const (
	maxTrace = 15   // lines of Trace, the last ones
	maxLines = 12   // lines of any other field
	maxWidth = 240  // bytes of a line
	maxText  = 2000 // bytes of a panic's or an error's text
)

// Failure is what a failed check tells the student. Only Says is required; empty fields are left out.
type Failure struct {
	Says      string   // the first wrong step, in one sentence: "the state of r-1 is gone after a read under r-2"
	Input     string   // the element or call that went wrong, with its time
	State     string   // what was stored before it
	Watermark string   // where event time stood: "12s"
	Got, Want string   // side by side in the text, so one line each is best
	Trace     []string // the steps of that key, oldest first; the last 15 are shown
	Of        Traced   // instead of Trace: whose trace to show, such as a harness with WithTrace
	Key       string   // of Of's trace, only the steps of this key, and those of none; empty: all
	Rerun     string   // the command that shows this failure again, with its seed; by default lab test
	Look      string   // where to read on; by default the lab's chapter

	step *Step // that the test was in; see During
}

// Traced is who has recorded a trace; package harness's operators have.
type Traced interface{ Trace() []stream.Step }

// Wrong fails the test with the verdict WRONG and ends it. The text is bounded in size and in the
// order: what is wrong, scene, input, state, watermark, got, want, trace, how to rerun, where to read.
func Wrong(t *testing.T, f Failure) {
	t.Helper()
	f.step = currentStep(t)
	say(t, OutcomeWrong, f.text(idOf(t), labDir()))
	t.FailNow()
}

// Equal is [Wrong] if got is not deeply equal to want; it fills in f.Got and f.Want where they are
// empty, with the values' own String methods.
func Equal[T any](t *testing.T, want, got T, f Failure) {
	t.Helper()
	if reflect.DeepEqual(want, got) {
		return
	}
	if f.Got == "" {
		f.Got = shown(got)
	}
	if f.Want == "" {
		f.Want = shown(want)
	}
	if f.Got == f.Want {
		f.Got, f.Want = fmt.Sprintf("%#v", got), fmt.Sprintf("%#v", want)
	}
	Wrong(t, f)
}

// shown is a value as text; one that prints as nothing is shown all the same.
func shown(v any) string {
	if s := fmt.Sprintf("%+v", v); s != "" {
		return s
	}
	return "(empty)"
}

// labDir is the name of the lab's folder, "03-stateful-operators": tests run in their package's folder.
func labDir() string {
	dir, err := os.Getwd()
	if err != nil {
		return ""
	}
	return filepath.Base(dir)
}

// text lays the failure out for the exercise of that id in that lab.
func (f Failure) text(id, lab string) string {
	return fmt.Sprintf("WRONG %s: %s", id, bound(f.Says)) + f.fields(id, lab)
}

// fields is the text's lines below the first.
func (f Failure) fields(id, lab string) string {
	number, _, _ := strings.Cut(lab, "-")
	if f.Rerun == "" && number != lab {
		f.Rerun = fmt.Sprintf("go tool lab test %s%s --run '^%s$'", number, os.Getenv(FlagsEnv), id)
	}
	if f.Look == "" && number != lab {
		f.Look = fmt.Sprintf("docs/%s.md, exercise %s", lab, id)
	}
	var b strings.Builder
	if scene := f.step.text(); scene != "" {
		fmt.Fprintf(&b, "\n  %-9s  %s", "scene", scene)
	}
	field := func(name, value string) {
		if value != "" {
			fmt.Fprintf(&b, "\n  %-9s  %s", name, block(strings.Split(strings.TrimRight(value, "\n"), "\n"), maxLines))
		}
	}
	field("input", f.Input)
	field("state", f.State)
	field("watermark", f.Watermark)
	field("got", f.Got)
	field("want", f.Want)
	if f.Of != nil && len(f.Trace) == 0 {
		f.Trace = trace.Lines(f.Of.Trace(), f.Key)
	}
	if n := len(f.Trace); n > 0 {
		if n > maxTrace {
			cut := fmt.Sprintf("… %d earlier steps", n-maxTrace)
			f.Trace = append([]string{cut}, f.Trace[n-maxTrace:]...)
		}
		fmt.Fprintf(&b, "\n  %-9s  %s", "trace", block(f.Trace, maxTrace+1))
	}
	field("rerun", f.Rerun)
	field("look", f.Look)
	return b.String()
}

// block joins the lines under each other, beside a field's name, and cuts them to n.
func block(lines []string, n int) string {
	if len(lines) > n {
		rest := fmt.Sprintf("… %d more lines", len(lines)-n+1)
		lines = append(lines[:n-1:n-1], rest)
	}
	out := make([]string, len(lines))
	for i, line := range lines {
		out[i] = cut(line, maxWidth)
	}
	return strings.Join(out, "\n             ")
}

// bound cuts a text to maxText bytes.
func bound(s string) string { return cut(s, maxText) }

// cut shortens s to at most n bytes, at a rune's start, and says by how much.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return fmt.Sprintf("%s… (%d bytes more)", s[:n], len(s)-n)
}

// Broker is the broker that the suite is to run on: "embedded", or the address that `lab test
// --broker` hands it in the environment variable BROKER.
func Broker() string {
	if b := os.Getenv("BROKER"); b != "" {
		return b
	}
	return "embedded"
}
