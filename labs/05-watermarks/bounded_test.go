package lab05_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"gatewaymeter/internal/kit/suite"
	watermarks "gatewaymeter/labs/05-watermarks/starter"
	"gatewaymeter/stream"
)

// Test5a: Bounded out-of-orderness (20 min)
func Test5a(t *testing.T) {
	suite.Exercise(t, "5a", func(t *testing.T) {
		for _, c := range []struct {
			name   string
			delay  time.Duration
			events []stream.Time
			want   stream.Time
			says   string
		}{
			{"no element yet", 10 * time.Millisecond, nil, stream.NoTime,
				"before the first element there is a watermark: max - delay - 1 has wrapped around, or max starts in the wrong place"},
			{"the delay and one millisecond behind", 10 * time.Millisecond, []stream.Time{1337}, 1326,
				"an element at just max - delay is still to be expected, so the watermark must be below it"},
			{"the highest counts, not the last", 10 * time.Millisecond, []stream.Time{12345, 7, 12000}, 12334,
				"an older element has moved the watermark"},
			{"no disorder at all", 0, []stream.Time{5}, 4,
				"with a delay of 0 another element at 5 may still follow"},
			{"before the epoch", 5 * time.Millisecond, []stream.Time{-30, -20, -44}, -26, "times before 1970 are times as well"},
			{"the first moment of all", time.Hour, []stream.Time{stream.NoTime, stream.NoTime + 1}, stream.NoTime,
				"an element at the start of time has made a watermark in the far future"},
			{"the last moment of all", time.Hour, []stream.Time{stream.MaxTime}, stream.MaxTime - 3600000 - 1,
				"an element at the end of time is an element like any other"},
		} {
			suite.Sub(t, c.name, func(t *testing.T) {
				g := watermarks.NewBounded(c.delay)
				for _, at := range c.events {
					g.Event(at)
				}
				suite.Equal(t, clock(c.want), clock(g.Watermark()), suite.Failure{
					Says: c.says, Input: fmt.Sprintf("delay %v, elements at %v", c.delay, c.events),
				})
			})
		}
		suite.Sub(t, "it never falls, and no element within the delay is late", neverFalls)
	})
}

func neverFalls(t *testing.T) {
	for seed := range uint64(20) {
		random := rand.New(rand.NewPCG(seed, 5))
		delay := stream.Time(random.IntN(100))
		g := watermarks.NewBounded(time.Duration(delay) * time.Millisecond)
		highest, mark := stream.NoTime, g.Watermark()
		for range 200 {
			at := stream.Time(random.IntN(1000) - 500)
			if highest != stream.NoTime && at >= highest-delay && at <= mark {
				suite.Wrong(t, suite.Failure{
					Says:  "an element that is no further behind than the delay is at or below the watermark: it would be late",
					Input: fmt.Sprintf("seed %d, delay %dms, highest so far %s, element at %s", seed, delay, clock(highest), clock(at)), Watermark: clock(mark),
				})
			}
			highest = max(highest, at)
			g.Event(at)
			now := g.Watermark()
			if now < mark {
				suite.Wrong(t, suite.Failure{
					Says: "the watermark has fallen", Input: fmt.Sprintf("seed %d, element at %s", seed, clock(at)),
					Got: clock(now), Want: "at least " + clock(mark),
				})
			}
			mark = now
		}
	}
}
