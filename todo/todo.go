// Package todo marks code that a student has yet to write.
//
// A starter's unwritten body is panic(todo.Exercise("3d")). The suite, the harness and the engine's
// tasks recognise the value with [Of] and report the exercise as TODO, never as WRONG. It depends on
// nothing, so that starters, engine and kit can all import it.
package todo

import (
	"errors"
	"fmt"
)

// Error says that an exercise is not written yet.
type Error struct{ Exercise string }

// Exercise is the panic value of an unwritten exercise, such as "3d".
func Exercise(id string) *Error { return &Error{Exercise: id} }

func (e *Error) Error() string { return fmt.Sprintf("TODO %s: not written yet", e.Exercise) }

// Of reports whether v, a recovered panic value or an error, says that an exercise is unwritten.
func Of(v any) (*Error, bool) {
	err, ok := v.(error)
	if !ok {
		return nil, false
	}
	var e *Error
	return e, errors.As(err, &e)
}
