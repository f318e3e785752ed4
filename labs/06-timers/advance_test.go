package lab06_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gatewaymeter/internal/kit/suite"
	"gatewaymeter/internal/kit/timeline"
	"gatewaymeter/stream"
)

// Test6b: Advance: which timers fire, in what order, what happens to those set while firing (30 min)
func Test6b(t *testing.T) {
	suite.Exercise(t, "6b", func(t *testing.T) {
		timeline.Play(t, "testdata/advance.txt", playTimers)
		suite.Sub(t, "random scripts, beside a sorted list", advanceBesideModel)
		suite.Sub(t, "a hundred thousand timers due at once, in slices", storm)
	})
}

func byFiring(a, b stream.Timer) int {
	return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.Group, b.Group), cmp.Compare(a.Key, b.Key), a.Window.Compare(b.Window))
}

// advanceBesideModel compares what fires with a list that is sorted anew each time.
func advanceBesideModel(t *testing.T) {
	for seed := range uint64(10) {
		random := rand.New(rand.NewPCG(seed, 62))
		b := newBench(t)
		var model []stream.Timer
		for round := range 60 {
			for range random.IntN(8) {
				key := string(rune('a' + random.IntN(12)))
				timer := stream.Timer{Key: key, Group: groupOf(key), At: stream.Time(random.IntN(50)), Window: stream.Window{End: stream.Time(random.IntN(2))}}
				b.key(key).event().Register(timer.At, timer.Window)
				if !slices.Contains(model, timer) {
					model = append(model, timer)
				}
			}
			slices.SortFunc(model, byFiring)
			to := stream.Time(random.IntN(40))
			var want, got []string
			for len(model) > 0 && model[0].At <= to {
				want = append(want, name(model[0]))
				model = model[1:]
			}
			_, err := b.event().Advance(to, 1<<20, func(t stream.Timer) error {
				got = append(got, name(t))
				return nil
			})
			suite.NoError(t, err, "timers fire")
			suite.Equal(t, strings.Join(want, " "), strings.Join(got, " "), suite.Failure{
				Says: "other timers fire, or in another order", Input: fmt.Sprintf("seed %d, round %d, Advance(%s)", seed, round, clock(to)),
			})
		}
	}
}

// storm is a restore after a long outage: everything is due.
func storm(t *testing.T) {
	const many, slice = 100_000, 1000
	b := newBench(t)
	for i := range many {
		b.c.SetKey(i%(lastGroup+1), fmt.Sprintf("key-%d", i%1000))
		b.event().Register(stream.Time(i*7919%many), stream.Window{})
	}
	fired, last, calls := 0, stream.NoTime, 0
	for more := true; more; calls++ {
		inSlice := 0
		var err error
		more, err = b.event().Advance(stream.MaxTime, slice, func(t stream.Timer) error {
			if t.At < last {
				return fmt.Errorf("%s fires after one at %s", name(t), clock(last))
			}
			fired, inSlice, last = fired+1, inSlice+1, t.At
			return nil
		})
		suite.NoError(t, err, "the storm passes")
		if inSlice > slice || calls > many/slice+1 {
			suite.Wrong(t, suite.Failure{
				Says: "a task can do nothing else while a slice fires, so the limit counts", Input: fmt.Sprintf("slice %d", calls),
				Got: fmt.Sprintf("%d timers in one call", inSlice), Want: fmt.Sprintf("at most %d", slice),
			})
		}
	}
	suite.Equal(t, many, fired, suite.Failure{Says: "not every timer fired just once"})
	suite.Equal(t, "(0 timers, 0 keys)", b.String(), suite.Failure{Says: "something is left after the storm"})
}
