package stream

import (
	"errors"
	"fmt"
)

// Faults of using state, wrapped in a StateError that names the state.
var (
	// ErrNoKey: state was used where no key is current, such as in Open.
	ErrNoKey = errors.New("no key is current: state can be used while an element or a timer is processed, not in Open")
	// ErrNotKeyed: state was asked for on a stream without keys.
	ErrNotKeyed = errors.New("the stream is not keyed: call KeyBy before a function that uses keyed state")
	// ErrNull: a null element where none may be.
	ErrNull = errors.New("a list holds no null elements")
	// ErrReadOnly: broadcast state was written on the side that may only read it.
	ErrReadOnly = errors.New("broadcast state may be written in ProcessBroadcast only: every subtask must make the same changes")
)

// StateError is a wrong use of state. Handles and backends panic with it; the task that runs the
// function recovers it and fails the job with the operator's uid, subtask and key beside it.
type StateError struct {
	State  string // the state's name
	Err    error  // one of the errors above, or nil
	Reason string // what went wrong, where Err does not say it
}

func (e *StateError) Error() string {
	switch {
	case e.Err == nil:
		return fmt.Sprintf("state %q: %s", e.State, e.Reason)
	case e.Reason == "":
		return fmt.Sprintf("state %q: %v", e.State, e.Err)
	}
	return fmt.Sprintf("state %q: %s: %v", e.State, e.Reason, e.Err)
}

func (e *StateError) Unwrap() error { return e.Err }

// Try calls f and returns the StateError it panics with, if any; other panics pass.
func Try(f func()) (err error) {
	defer func() {
		switch v := recover().(type) {
		case nil:
		case *StateError:
			err = v
		default:
			panic(v)
		}
	}()
	f()
	return nil
}
