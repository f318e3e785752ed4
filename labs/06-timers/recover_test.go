package lab06_test

import (
	"errors"
	"fmt"
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
		suite.Sub(t, "an error of the backend is not swallowed", notSwallowed)
		suite.Sub(t, "recovering twice is recovering once", func(t *testing.T) {
			b := newBench(t)
			b.key("a").event().Register(5, stream.Window{})
			b.recover()
			b.recover()
			suite.Equal(t, "(1 timers, 1 keys)", b.String(), suite.Failure{Says: "Recover makes the queue anew: what was in it before must not be in it twice"})
		})
	})
}

// unreadable is a backend whose sets cannot be read.
type unreadable struct{ stream.Backend }

var errUnreadable = errors.New("the file is damaged")

func (unreadable) Each(string, int, func(string, any) error) error { return errUnreadable }

// notSwallowed: a set that cannot be read is timers that are missing, so the restore must fail.
func notSwallowed(t *testing.T) {
	b := benchOver(t, unreadable{operators.NewHeap(0, lastGroup)}, 0, lastGroup)
	if err := b.event().Recover(); !errors.Is(err, errUnreadable) {
		suite.Wrong(t, suite.Failure{
			Says:  "the timers could not be read and the restore goes on without them: each is a request that is never billed",
			Input: fmt.Sprintf("Backend.Each gives %q", errUnreadable), Got: fmt.Sprint(err), Want: "that error, wrapped",
		})
	}
}

// ownGroups recovers a subtask that owns group 2 alone: the other groups are not its to walk.
func ownGroups(t *testing.T) {
	first := benchOver(t, operators.NewHeap(2, 2), 2, 2)
	first.key("k").event().Register(5, stream.Window{})
	b := benchOver(t, first.c.Backend, 2, 2)
	b.c.Backend.SetKey(-1, "")
	suite.NoError(t, stream.Try(b.recover), "group 2 is walked, and no other")
	suite.Equal(t, true, stream.Try(func() { b.event().Delete(5, stream.Window{}) }) != nil, suite.Failure{
		Says: "after Recover a key is current, though no element and no timer is being processed: who uses state now works on that key's",
		Got:  "a key is current", Want: "none",
	})
	suite.Equal(t, "fires k@5ms (0 timers, 0 keys)", b.advance(stream.EventTime, 10, 10, nil)+" "+b.String(), suite.Failure{
		Says: "the timer of group 2 was not recovered with its key and group",
	})
}
