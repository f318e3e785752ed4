package trace

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"reflect"

	"gatewaymeter/stream"
)

// Version is the format's version: the field "trace" of the first line.
const Version = 1

type header struct {
	Trace   int    `json:"trace"`
	Steps   int    `json:"steps"`
	Missing int    `json:"missing"`
	Key     string `json:"key,omitempty"`
}

type line struct {
	N       int             `json:"n"`
	UID     string          `json:"uid"`
	Subtask int             `json:"subtask"`
	Kind    string          `json:"kind"`
	Input   *int            `json:"input,omitempty"`
	Key     string          `json:"key,omitempty"`
	Name    string          `json:"name,omitempty"`
	Entry   string          `json:"entry,omitempty"`
	Value   json.RawMessage `json:"value,omitempty"`
	Show    string          `json:"show,omitempty"`
	AtMS    *int64          `json:"at_ms,omitempty"`
	Window  *span           `json:"window,omitempty"`
}

type span struct {
	StartMS int64 `json:"start_ms"`
	EndMS   int64 `json:"end_ms"`
}

// Shown is a value that was read back from JSON: its text, and its JSON form if it had one.
type Shown struct {
	Text string
	JSON json.RawMessage
}

// String is the value as timelines print it.
func (s Shown) String() string { return s.Text }

// Write writes a trace as JSON, an object a line.
func Write(w io.Writer, t Trace) error {
	out := json.NewEncoder(w)
	out.SetEscapeHTML(false)
	if err := out.Encode(header{Trace: Version, Steps: len(t.Steps), Missing: t.Missing, Key: t.Key}); err != nil {
		return err
	}
	for n, s := range t.Steps {
		l := encode(s)
		l.N = t.number(n)
		if err := out.Encode(l); err != nil {
			return err
		}
	}
	return nil
}

func encode(s stream.Step) line {
	l := line{UID: s.UID, Subtask: s.Subtask, Kind: s.Kind.String(), Key: s.Key, Name: s.Name}
	if s.Kind.Numbered() {
		l.Input = &s.Input
	}
	if s.Entry != nil {
		l.Entry = fmt.Sprint(s.Entry)
	}
	if s.Value != nil {
		l.Show, l.Value = stream.Show(s.Value), jsonOf(s.Value)
	}
	if s.Kind.Timed() && s.At != stream.NoTime {
		at := int64(s.At)
		l.AtMS = &at
	}
	w := s.Window
	if entry, ok := s.Entry.(stream.Window); ok {
		w = entry // a state of windows
	}
	if w != (stream.Window{}) {
		l.Window = &span{int64(w.Start), int64(w.End)}
	}
	return l
}

// jsonOf is a value's JSON form; nil if it has none that says anything, such as a struct without
// exported fields.
func jsonOf(v any) json.RawMessage {
	if shown, ok := v.(Shown); ok {
		return shown.JSON
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil
	}
	text := bytes.TrimSpace(b.Bytes())
	if t := reflect.TypeOf(v); string(text) == "{}" && t.Kind() == reflect.Struct && t.NumField() > 0 {
		return nil
	}
	return text
}

// Read reads what Write wrote. Values come back as [Shown], entries as text.
func Read(r io.Reader) (Trace, error) {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 16<<20)
	var h header
	if !lines.Scan() {
		return Trace{}, fmt.Errorf("a trace begins with a line that describes it, but there is none: %w", orEOF(lines.Err()))
	}
	if err := json.Unmarshal(lines.Bytes(), &h); err != nil || h.Trace != Version {
		return Trace{}, fmt.Errorf("line 1 is not the head of a trace of version %d: %.80s", Version, lines.Bytes())
	}
	t := Trace{Missing: h.Missing, Key: h.Key}
	for lines.Scan() {
		var l line
		at := len(t.Steps) + 2
		if err := json.Unmarshal(lines.Bytes(), &l); err != nil {
			return t, fmt.Errorf("line %d: %w", at, err)
		}
		s, err := l.step()
		if err != nil {
			return t, fmt.Errorf("line %d: %w", at, err)
		}
		t.Steps, t.Numbers = append(t.Steps, s), append(t.Numbers, l.N)
	}
	if err := lines.Err(); err != nil {
		return t, err
	}
	if len(t.Steps) != h.Steps {
		return t, fmt.Errorf("the trace was cut: it says that it has %d steps, and has %d", h.Steps, len(t.Steps))
	}
	return t, nil
}

func orEOF(err error) error {
	if err == nil {
		return io.ErrUnexpectedEOF
	}
	return err
}

func (l line) step() (stream.Step, error) {
	s := stream.Step{UID: l.UID, Subtask: l.Subtask, Kind: stream.ParseStepKind(l.Kind), Key: l.Key, Name: l.Name}
	if s.Kind == 0 {
		return s, fmt.Errorf("%q is no kind of step", l.Kind)
	}
	if l.Input != nil {
		s.Input = *l.Input
	}
	if l.Entry != "" {
		s.Entry = l.Entry
	}
	if l.Show != "" || l.Value != nil {
		s.Value = Shown{Text: l.Show, JSON: l.Value}
	}
	switch {
	case l.AtMS != nil:
		s.At = stream.Time(*l.AtMS)
	case s.Kind.Timed():
		s.At = stream.NoTime
	}
	if l.Window != nil {
		w := stream.Window{Start: stream.Time(l.Window.StartMS), End: stream.Time(l.Window.EndMS)}
		if l.Entry != "" {
			s.Entry = w
		} else {
			s.Window = w
		}
	}
	return s, nil
}
