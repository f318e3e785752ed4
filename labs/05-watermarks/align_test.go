package lab05_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"gatewaymeter/internal/kit/suite"
	"gatewaymeter/internal/kit/timeline"
	watermarks "gatewaymeter/labs/05-watermarks/starter"
	"gatewaymeter/stream"
)

// Test5e: Alignment: the fast split waits (30 min, optional)
func Test5e(t *testing.T) {
	suite.Exercise(t, "5e", func(t *testing.T) {
		timeline.Play(t, "testdata/align.txt", playSplits)
		suite.Sub(t, "a drift that does not fit", func(t *testing.T) {
			s := watermarks.NewSplits(0, watermarks.WithAlignment(time.Hour))
			s.Add(0)
			s.Add(1)
			s.Event(0, stream.MaxTime)
			s.Event(1, stream.MaxTime-10)
			suite.Equal(t, "[]", fmt.Sprint(s.Paused()), suite.Failure{
				Says: "the least watermark plus the drift has wrapped around", State: channels(s),
			})
		})
		suite.Sub(t, "the drift is bounded, and everyone gets there", driftIsBounded)
	})
}

// driftIsBounded reads three splits of a backlog, the first as fast as it may. What is buffered for the
// sake of the slowest is then at most the drift and one poll.
func driftIsBounded(t *testing.T) {
	const drift, poll, length = 1000, 50, 20_000 // ms; a split has an element every millisecond
	s := watermarks.NewSplits(0, watermarks.WithAlignment(drift*time.Millisecond))
	var at [3]stream.Time
	for i := range at {
		s.Add(i)
		s.Event(i, 0)
	}
	done := func() bool { return at == [3]stream.Time{length, length, length} }
	for round := 0; !done(); round++ {
		if round > 10*length {
			suite.Wrong(t, suite.Failure{Says: "the splits wait for each other, and none is read any more", State: channels(s)})
		}
		waiting := slices.Clone(s.Paused())
		for i := range at {
			pace := []int{1, 3, 10}[i] // split 0 is read in every round, split 2 in every tenth
			if at[i] == length || round%pace != 0 || slices.Contains(waiting, i) {
				continue
			}
			for range poll {
				at[i]++
				s.Event(i, at[i])
			}
			if at[i] == length {
				s.Finish(i)
			}
		}
		if lead := max(at[0], at[1], at[2]) - min(at[0], at[1], at[2]); lead > drift+poll {
			suite.Wrong(t, suite.Failure{
				Says: "a split is further ahead than the drift and one poll", State: channels(s),
				Got: clock(lead), Want: "at most " + clock(drift+poll), Input: fmt.Sprintf("poll %d", round),
			})
		}
	}
}
