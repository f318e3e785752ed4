package stream

import (
	"fmt"
	"reflect"
	"strings"
)

// StepKind says what a Step tells of.
type StepKind uint8

// What can happen while one element is handled.
const (
	ElementIn StepKind = iota + 1
	ControlIn
	StateSet
	StateCleared
	TimerSet
	TimerDeleted
	TimerFired
	Emitted
	Dropped
	Forwarded   // a watermark or another control element went on
	Snapshotted // state was copied for a checkpoint
	Committed   // a checkpoint is complete: what waited for it may go out
	ChannelSeen // how far a source's split or a task's input was when time was worked out from it
)

var stepKinds = [...]string{"?", "element", "control", "set", "clear", "set timer", "delete timer", "fire timer", "emit", "drop",
	"forward", "snapshot", "commit", "channel"}

func (k StepKind) String() string {
	if int(k) >= len(stepKinds) {
		return stepKinds[0]
	}
	return stepKinds[k]
}

// ParseStepKind reads what String prints; 0 for a word that names no kind.
func ParseStepKind(word string) StepKind {
	for k, known := range stepKinds[1:] {
		if known == word {
			return StepKind(k + 1)
		}
	}
	return 0
}

// Timed reports whether At means something for a step of this kind.
func (k StepKind) Timed() bool {
	switch k {
	case ElementIn, ControlIn, TimerSet, TimerDeleted, TimerFired, Emitted, Forwarded, ChannelSeen:
		return true
	}
	return false
}

// Numbered reports whether Input means something for a step of this kind.
func (k StepKind) Numbered() bool { return k == ElementIn || k == ControlIn || k == ChannelSeen }

// Keyed reports whether a step of this kind belongs to the current key, if there is one; the others are
// the whole subtask's.
func (k StepKind) Keyed() bool {
	switch k {
	case ControlIn, Forwarded, Snapshotted, Committed, ChannelSeen:
		return false
	}
	return true
}

// Step is one line of a trace: an input of a subtask, or one of its effects. Value is what the
// function handled, uncopied: who keeps steps while state changes under them prints or encodes them at
// once.
type Step struct {
	UID     string
	Subtask int
	Kind    StepKind
	Input   int    // the task's input channel, or the source's partition, that the step came from
	Key     string // the current key; empty if none
	Name    string // the state, side output, reason, control element or status
	Entry   any    // a map's key; of a source's element its offset
	Value   any    // the element or value; the number of a checkpoint
	At      Time   // the timestamp of the element or timer; the watermark; NoTime if there is none
	Window  Window
}

// String prints the step in the language of timelines.
func (s Step) String() string {
	head := fmt.Sprintf("%s/%d %v", s.UID, s.Subtask, s.Kind)
	if s.Kind == ControlIn || s.Kind == ChannelSeen || s.Kind == ElementIn && s.Entry != nil {
		head += fmt.Sprintf(" %d", s.Input)
	}
	if s.Key != "" {
		head += fmt.Sprintf(" key=%q", s.Key)
	}
	if s.Name != "" {
		head += " " + s.Name
	}
	if s.Entry != nil {
		head += fmt.Sprintf("[%v]", s.Entry)
	}
	if s.Kind.Timed() && !s.timeless() {
		head += " @" + s.At.String()
	}
	if s.Window != (Window{}) {
		head += " " + s.Window.String()
	}
	if s.Value != nil {
		head += " " + Show(s.Value)
	}
	return head
}

// Show prints a step's value: a struct without the fields that are zero, anything else as %+v does.
func Show(v any) string {
	r := reflect.ValueOf(v)
	if _, prints := v.(fmt.Stringer); prints || r.Kind() != reflect.Struct {
		return fmt.Sprintf("%+v", v)
	}
	var fields []string
	for i := range r.NumField() {
		if f := r.Field(i); !f.IsZero() {
			fields = append(fields, fmt.Sprintf("%s:%+v", r.Type().Field(i).Name, f))
		}
	}
	return "{" + strings.Join(fields, " ") + "}"
}

// timeless reports whether the step is about an element that carries no time.
func (s Step) timeless() bool {
	return s.At == NoTime && (s.Kind == ControlIn || s.Kind == Forwarded || s.Kind == ElementIn || s.Kind == Emitted)
}

// ControlStep is the step that tells of a control element: its word is the name, a watermark's time is
// At, a barrier's checkpoint the value.
func ControlStep(kind StepKind, input int, c Control) Step {
	s := Step{Kind: kind, Input: input, Name: c.Kind.String(), At: NoTime}
	switch c.Kind {
	case Watermark:
		s.At = c.Time
	case Barrier:
		s.Value = c.Checkpoint
	}
	return s
}
