package stream

import "fmt"

// Domain tells the two kinds of time apart.
type Domain uint8

// The two time domains.
const (
	EventTime Domain = iota
	ProcessingTime
)

func (d Domain) String() string {
	if d == EventTime {
		return "event"
	}
	return "proc"
}

// Timer is a call that a function asked for: at a time, for a key, in a namespace. A second timer
// with the same three is the same timer.
type Timer struct {
	Domain Domain
	At     Time
	Group  int
	Key    string
	Window Window // zero for the user's own timers
}

func (t Timer) String() string {
	s := fmt.Sprintf("%v timer %v of key %q", t.Domain, t.At, t.Key)
	if t.Window != (Window{}) {
		s += fmt.Sprintf(" for window %v", t.Window)
	}
	return s
}

// TimerService is the set of one subtask's timers in one domain (Flink: InternalTimerService). Its
// timers are state: they live in the backend's drawer of their key, and are snapshotted and restored
// with it. Lab 06 implements it.
type TimerService interface {
	// Register adds a timer for the current key; one that is there already stays as it is.
	Register(at Time, w Window)
	// Delete removes the current key's timer, if there is one.
	Delete(at Time, w Window)
	// Advance fires the timers at or before to: in the order of (time, group, key, window), each
	// removed and its key made current before fire is called. A timer that fire registers at or
	// before to fires in the same pass. At most limit fire in one call; more says that others are
	// due, and the caller must call again with the same to.
	Advance(to Time, limit int, fire func(Timer) error) (more bool, err error)
	// Next is the time of the earliest timer, and whether there is one.
	Next() (Time, bool)
	// Len is the number of timers.
	Len() int
	// Recover rebuilds the queue from the backend after a restore.
	Recover() error
}
