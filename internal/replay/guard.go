package replay

import (
	"fmt"

	"gatewaymeter/stream"
)

// A run takes about 15 steps a message and a few hundred besides. One that takes many times as many sets
// timers that set timers, or emits to itself.
const (
	stepsAMessage = 300
	stepsBesides  = 20_000
)

// RunGuarded is Run with a bound on the steps of the job: one that goes round and round fails, where it
// is. It costs about a third more. trace is told of every step; it may be nil.
//
// A function that never returns is not caught.
func (j Job) RunGuarded(maker Maker, in *Input, trace func(stream.Step)) (*Outcome, error) {
	steps, most := 0, stepsBesides+stepsAMessage*in.messages
	return j.run(maker, in, func(s stream.Step) {
		if steps++; steps > most {
			panic(&endless{most, in.messages})
		}
		if trace != nil {
			trace(s)
		}
	})
}

// endless is the failure of a job that goes round and round.
type endless struct{ steps, messages int }

func (e *endless) Error() string {
	return fmt.Sprintf("the job goes round and round: more than %d steps over %d messages", e.steps, e.messages)
}
