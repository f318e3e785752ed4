package lab06_test

import (
	"testing"

	"gatewaymeter/internal/kit/suite"
	"gatewaymeter/internal/kit/timeline"
	operators "gatewaymeter/labs/03-stateful-operators/solution"
	"gatewaymeter/stream"
)

// Test6c: Processing time; what fires right after a restore (20 min)
func Test6c(t *testing.T) {
	suite.Exercise(t, "6c", func(t *testing.T) {
		timeline.Play(t, "testdata/processing.txt", playTimers)
		suite.Sub(t, "a subtask recovers its own groups, and makes no key current", ownGroups)
		suite.Sub(t, "recovering twice is recovering once", func(t *testing.T) {
			b := newBench(t)
			b.key("a").event().Register(5, stream.Window{})
			b.recover()
			b.recover()
			suite.Equal(t, "(1 timers, 1 keys)", b.String(), suite.Failure{Says: "Recover makes the queue anew: what was in it before must not be in it twice"})
		})
	})
}

// ownGroups recovers a subtask that owns group 2 alone: the other groups are not its to walk.
func ownGroups(t *testing.T) {
	first := benchOver(t, operators.NewHeap(2, 2), 2, 2)
	first.key("k").event().Register(5, stream.Window{})
	b := benchOver(t, first.c.Backend, 2, 2)
	b.c.Backend.SetKey(-1, "")
	suite.NoError(t, stream.Try(b.recover), "group 2 is walked, and no other")
	suite.Equal(t, "fires k@5ms (0 timers, 0 keys)", b.advance(stream.EventTime, 10, 10, nil)+" "+b.String(), suite.Failure{
		Says: "the timer of group 2 was not recovered with its key and group",
	})
}
