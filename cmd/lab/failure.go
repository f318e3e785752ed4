package main

import (
	"errors"
	"fmt"

	"gatewaymeter/engine"
	"gatewaymeter/todo"
)

// asFailure finds the operator whose failure ended a job.
func asFailure(err error) (*engine.Failure, bool) {
	var f *engine.Failure
	return f, errors.As(err, &f)
}

// exitCodeOf tells a failure of the job from a failure of its surroundings.
func exitCodeOf(err error) int {
	if _, unwritten := todo.Of(err); unwritten {
		return exitTodo
	}
	if _, ok := asFailure(err); ok && !errors.Is(err, engine.ErrOtherBackend) {
		return exitWrong
	}
	return exitUsage
}

// failed is the error of a job that did not come to its end.
func failed(err error) error {
	code := exitCodeOf(err)
	if code == exitTodo {
		return unwritten(err)
	}
	return &exitError{code: code, err: err}
}

// unwritten says of a job that met an exercise what to do.
func unwritten(err error) error {
	e, _ := todo.Of(err)
	where := ""
	if f, ok := asFailure(err); ok && f.UID != "" {
		where = fmt.Sprintf(" Operator %q met it.", f.UID)
	}
	return &exitError{code: exitTodo, err: fmt.Errorf("TODO %s: the job needs this exercise, and it is not written yet.%s"+
		" `go tool lab test %s` says where to write it, `go tool lab hint %[1]s` how to begin", e.Exercise, where, labOf(e.Exercise))}
}

// labOf is the lab of an exercise: 03 for 3d and for 3.2.
func labOf(exercise string) string {
	n := 0
	for n < len(exercise) && exercise[n] >= '0' && exercise[n] <= '9' {
		n++
	}
	return fmt.Sprintf("%02s", exercise[:n])
}

// todoIsExit makes an exercise that is met outside of a task, when the job is put together, the same
// error as one that a task meets.
func todoIsExit(err *error) {
	v := recover()
	if v == nil {
		return
	}
	e, ok := todo.Of(v)
	if !ok {
		panic(v)
	}
	*err = unwritten(e)
}
