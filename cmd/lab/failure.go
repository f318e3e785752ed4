package main

import (
	"errors"

	"gatewaymeter/engine"
)

// asFailure finds the operator whose failure ended a job.
func asFailure(err error) (*engine.Failure, bool) {
	var f *engine.Failure
	return f, errors.As(err, &f)
}
