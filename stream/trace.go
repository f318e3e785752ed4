package stream

import "fmt"

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
	Forwarded // a watermark or another control element went on
	Snapshotted
)

func (k StepKind) String() string {
	return [...]string{"?", "element", "control", "set", "clear", "set timer", "delete timer", "fire timer", "emit", "drop", "forward", "snapshot"}[k]
}

// Step is one line of a trace: an input of a subtask, or one of its effects.
type Step struct {
	UID     string
	Subtask int
	Kind    StepKind
	Key     string // the current key; empty if none
	Name    string // the state, side output or reason
	Entry   any    // a map's key
	Value   any    // the element, value or control
	At      Time   // the timestamp of the element or timer
	Window  Window
}

// String prints the step in the language of timelines.
func (s Step) String() string {
	head := fmt.Sprintf("%s/%d %v", s.UID, s.Subtask, s.Kind)
	if s.Key != "" {
		head += fmt.Sprintf(" key=%q", s.Key)
	}
	if s.Name != "" {
		head += " " + s.Name
	}
	if s.Entry != nil {
		head += fmt.Sprintf("[%v]", s.Entry)
	}
	switch s.Kind {
	case TimerSet, TimerDeleted, TimerFired, ElementIn, Emitted:
		head += " @" + s.At.String()
	}
	if s.Window != (Window{}) {
		head += " " + s.Window.String()
	}
	if s.Value != nil {
		head += fmt.Sprintf(" %+v", s.Value)
	}
	return head
}
