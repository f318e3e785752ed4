package lab01_test

import (
	"fmt"
	"strings"
	"testing"

	"gatewaymeter/internal/kit/suite"
	"gatewaymeter/labs/01-events/internal/wrong"
	solution "gatewaymeter/labs/01-events/solution"
	events "gatewaymeter/labs/01-events/starter"
	"gatewaymeter/stream"
)

// Test1_1: Make a consumer see a message twice, and never, by its starting offset
func Test1_1(t *testing.T) {
	suite.Exercise(t, "1.1", func(t *testing.T) {
		const end = 12
		for handled := int64(-1); handled < end-1; handled += 2 {
			for saved := int64(0); saved <= end; saved++ {
				twice, never := restart(t, handled, saved, end)
				gotTwice, gotNever := events.AfterRestart(handled, saved)
				what := fmt.Sprintf("handled up to %d, saved %d", handled, saved)
				suite.Equal(t, fmt.Sprint(twice), fmt.Sprint(gotTwice), suite.Failure{Says: "these offsets were handled twice when we tried it", Input: what})
				suite.Equal(t, fmt.Sprint(never), fmt.Sprint(gotNever), suite.Failure{Says: "these offsets were never handled when we tried it", Input: what})
			}
		}
	})
}

// restart reads a partition of end messages up to offset handled, and on from saved with a new reader,
// and counts how often each offset came out.
func restart(t *testing.T, handled, saved, end int64) (twice, never []int64) {
	t.Helper()
	log := newMemory().upTo(0, end)
	out := &taken{}
	for _, s := range []stream.Split{split(0, 0, handled+1), split(0, saved, end)} {
		r := solution.NewSplitReader(log)
		r.Add(s)
		for {
			progress, err := r.Poll(100, out)
			suite.Harness(t, err)
			if progress == stream.Ended {
				break
			}
		}
	}
	times := map[string]int{}
	for _, m := range out.messages {
		times[m]++
	}
	for offset := range end {
		switch times[fmt.Sprintf("p0-%d", offset)] {
		case 0:
			never = append(never, offset)
		case 2:
			twice = append(twice, offset)
		}
	}
	return twice, never
}

// Test1_2: Order within a partition against order of event time
func Test1_2(t *testing.T) {
	suite.Exercise(t, "1.2", func(t *testing.T) {
		for _, reader := range wrong.Readers() {
			suite.Sub(t, reader.Name, func(t *testing.T) {
				failed, messages := suite.Check(func(r *suite.Recorder) { events.OrderTest(r, reader.Read) })
				if failed == reader.Keep {
					suite.Wrong(t, suite.Failure{
						Says: map[bool]string{
							true:  "your test refuses a reader that is right: the order between partitions is nobody's promise",
							false: "your test lets a wrong reader pass",
						}[reader.Keep],
						Input: "a reader that is: " + reader.Name,
						Got:   strings.Join(messages, "\n"),
					})
				}
			})
		}
	})
}
