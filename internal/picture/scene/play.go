package scene

import (
	"fmt"
	"strings"

	"gatewaymeter/stream"
	"gatewaymeter/stream/trace"
)

// maxLines bounds the trace below one step; what is cut is said to be cut. A script may say "# lines: 6".
const maxLines = 40

// stage is what a scene is about.
type stage interface {
	// do makes one step happen; what it causes is recorded by the stage's trace.
	do(s *Step)
	close()
}

// stages are the things that a scene's first step can make.
var stages = map[string]func(head *Step, trace func(stream.Step)) stage{
	"window":   newWindow,
	"assemble": newAssemble,
	"source":   newSource,
	"valve":    newValve,
	"align":    newAlign,
	"job":      newJob,
}

// Play makes everything in the script happen, and gives each step the trace that it caused.
func (s *Scene) Play() (err error) {
	at := s.Steps[0]
	defer func() {
		switch v := recover().(type) {
		case nil:
		case fault:
			err = fmt.Errorf("%s.txt:%d: %s: %s", s.Name, at.Line, at.Text, string(v))
		default:
			panic(v)
		}
	}()
	make, ok := stages[at.Verb]
	if !ok {
		return fmt.Errorf("%s.txt:%d: %q is nothing that a scene can be about", s.Name, at.Line, at.Verb)
	}
	record := func(step stream.Step) { at.Trace = append(at.Trace, step) }
	at.Trace = nil
	on := make(at, record)
	defer on.close()
	for _, at = range s.Steps[1:] {
		at.Trace = nil
		on.do(at)
	}
	return nil
}

// Whole is the trace of the whole scene, after Play.
func (s *Scene) Whole() trace.Trace {
	var t trace.Trace
	for _, step := range s.Steps {
		t.Steps = append(t.Steps, step.Trace...)
	}
	return t
}

// Differs says where the trace is not what the file expects; "" if nowhere. For after Play.
func (s *Scene) Differs() string {
	for _, step := range s.Steps {
		if got := step.text(s.bound); got != step.Want {
			return fmt.Sprintf("%s.txt:%d: %s\ngot\n%s\nwant\n%s", s.Name, step.Line, step.Text, got, step.Want)
		}
	}
	return ""
}

// Locked reports whether the file must not be rewritten, because its expectations do not come from our
// own engine.
func (s *Scene) Locked() bool { return !strings.HasPrefix(s.head, generated) }

// Text is the script with the traces of the last Play in it.
func (s *Scene) Text() string {
	var b strings.Builder
	b.WriteString(s.head + "\n")
	for _, step := range s.Steps {
		b.WriteString("\n")
		for _, l := range wrap(step.Note, 100) {
			b.WriteString("# " + l + "\n")
		}
		b.WriteString(step.Args.Text + "\n" + divider + "\n")
		if text := step.text(s.bound); text != "" {
			b.WriteString(text + "\n")
		}
	}
	return b.String()
}

// text is a step's trace, bounded.
func (s *Step) text(bound int) string {
	var lines []string
	for i, step := range s.Trace {
		if i == bound && len(s.Trace) > bound+1 {
			lines = append(lines, fmt.Sprintf("… %d more steps", len(s.Trace)-i))
			break
		}
		lines = append(lines, step.String())
	}
	return strings.Join(lines, "\n")
}

// wrap breaks a text into lines of at most so many characters.
func wrap(text string, width int) (lines []string) {
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && len(line)+1+len(word) > width {
			lines, line = append(lines, line), ""
		}
		line = strings.TrimSpace(line + " " + word)
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}

// fault ends a scene: panicked with, and made an error by Play.
type fault string

// failing is a test that a scene is not: harness.T.
type failing struct{ text *string }

func (f failing) Helper()                           {}
func (f failing) Errorf(format string, args ...any) { *f.text += fmt.Sprintf(format, args...) }
func (f failing) FailNow()                          { panic(fault(*f.text)) }

func newFailing() failing { return failing{new(string)} }

// check ends the scene on an error.
func check(err error) {
	if err != nil {
		panic(fault(err.Error()))
	}
}

// unknown ends the scene: the step's verb is none of the stage's.
func unknown(s *Step) { panic(fault(fmt.Sprintf("unknown verb %q", s.Verb))) }
