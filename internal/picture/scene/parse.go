package scene

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"gatewaymeter/stream"
)

// Scene is one script.
type Scene struct {
	Name  string // of its file, without .txt: the picture's name
	Title string
	Desc  string            // for a reader who cannot see the picture
	Draw  Args              // how it is drawn; Draw.Verb is the kind of picture
	Steps []*Step           // the first one makes what the others happen to
	head  string            // the file's first comment, as it stands
	attrs map[string]string // title, desc, draw and lines, by name
	bound int               // lines of trace below a step
}

// Step is one thing that happens.
type Step struct {
	Args
	Line  int           // in the file, from 1
	Note  string        // the comment above it
	Want  string        // the trace that the file has below it
	Trace []stream.Step // what it caused; empty before Play
}

// Args is a verb and its named arguments.
type Args struct {
	Verb string
	Text string
	args map[string]string
}

// generated is how the first line of a script begins that may be rewritten: its trace comes from the
// code under test. A script whose expectations come from elsewhere is never touched.
const generated = "# from: our own engine"

// divider stands between a step and its trace, as in cockroachdb/datadriven.
const divider = "----"

// ReadAll reads the scripts of a folder, by name.
func ReadAll(dir string) ([]*Scene, error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*.txt"))
	if err != nil {
		return nil, err
	}
	if len(paths) == 0 {
		return nil, fmt.Errorf("%s holds no scripts (*.txt) to draw", dir)
	}
	var scenes []*Scene
	for _, p := range paths {
		content, err := os.ReadFile(p)
		if err != nil {
			return nil, err
		}
		s, err := Parse(strings.TrimSuffix(filepath.Base(p), ".txt"), string(content))
		if err != nil {
			return nil, err
		}
		scenes = append(scenes, s)
	}
	return scenes, nil
}

// Parse reads a script.
func Parse(name, content string) (*Scene, error) {
	s := &Scene{Name: name, attrs: map[string]string{}}
	head, body, _ := strings.Cut(content, "\n\n")
	if !strings.HasPrefix(head, "# from: ") {
		return nil, fmt.Errorf("%s.txt: the first line must say where the expectations come from: # from: …", name)
	}
	s.head = head
	for _, line := range strings.Split(head, "\n") {
		attr, value, _ := strings.Cut(strings.TrimPrefix(line, "# "), ": ")
		s.attrs[attr] = strings.TrimSpace(s.attrs[attr] + " " + value) // a long text has several lines
	}
	s.Title, s.Desc = s.attrs["title"], s.attrs["desc"]
	s.bound = maxLines
	if n, err := strconv.Atoi(s.attrs["lines"]); err == nil {
		s.bound = n
	}
	var err error
	if s.Draw, err = parseArgs(s.attrs["draw"]); err != nil || s.Title == "" || s.Desc == "" {
		return nil, fmt.Errorf("%s.txt: the head must have lines that begin with # title:, # desc: and # draw: (one of them is missing)", name)
	}
	line := strings.Count(head, "\n") + 3
	for _, block := range strings.Split(body, "\n\n") {
		if strings.TrimSpace(block) != "" {
			step, err := parseStep(line, strings.TrimRight(block, "\n"))
			if err != nil {
				return nil, fmt.Errorf("%s.txt:%d: %w", name, line, err)
			}
			s.Steps = append(s.Steps, step)
		}
		line += strings.Count(block, "\n") + 2
	}
	if len(s.Steps) == 0 {
		return nil, fmt.Errorf("%s.txt: nothing happens in it", name)
	}
	return s, nil
}

func parseStep(line int, block string) (*Step, error) {
	s := &Step{Line: line}
	does, trace, ok := strings.Cut(block, "\n"+divider)
	if !ok {
		return nil, fmt.Errorf("%q is not followed by a line of dashes, below which its trace stands", block)
	}
	s.Want = strings.TrimPrefix(trace, "\n")
	var notes []string
	for _, l := range strings.Split(does, "\n") {
		if note, ok := strings.CutPrefix(l, "# "); ok {
			notes = append(notes, note)
			continue
		}
		var err error
		if s.Args, err = parseArgs(l); err != nil {
			return nil, err
		}
	}
	if s.Verb == "" {
		return nil, fmt.Errorf("nothing happens in %q", block)
	}
	s.Note = strings.Join(notes, " ")
	return s, nil
}

func parseArgs(text string) (Args, error) {
	fields := strings.Fields(text)
	if len(fields) == 0 {
		return Args{}, fmt.Errorf("nothing happens in %q", text)
	}
	a := Args{Verb: fields[0], Text: text, args: map[string]string{}}
	for _, f := range fields[1:] {
		name, value, ok := strings.Cut(f, "=")
		if !ok {
			return a, fmt.Errorf("%q is not name=value", f)
		}
		a.args[name] = value
	}
	return a, nil
}

// Arg is an argument's text; "" if it is not there.
func (a Args) Arg(name string) string { return a.args[name] }

// Number is an argument as a number; missing, or none, is 0.
func (a Args) Number(name string) int {
	n, err := strconv.Atoi(a.args[name])
	if err != nil {
		return 0
	}
	return n
}

// Span is an argument as a duration; missing, or none, is 0.
func (a Args) Span(name string) time.Duration {
	d, err := time.ParseDuration(a.args[name])
	if err != nil {
		return 0
	}
	return d
}

// At is an argument as a time: "12s", "end".
func (a Args) At(name string) stream.Time {
	if a.args[name] == "end" {
		return stream.MaxTime
	}
	return stream.Time(a.Span(name).Milliseconds())
}
