package lab04_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"gatewaymeter/internal/kit/suite"
	"gatewaymeter/internal/kit/timeline"
	windows "gatewaymeter/labs/04-windows/starter"
	"gatewaymeter/stream"
)

// Test4f: Allowed lateness, late output, dropped counter (35 min)
func Test4f(t *testing.T) {
	suite.Exercise(t, "4f", func(t *testing.T) {
		suite.Sub(t, "when a window is late", func(t *testing.T) {
			w := stream.Window{Start: 0, End: 10}
			for _, c := range []struct {
				lateness  time.Duration
				watermark stream.Time
				want      bool
			}{{0, stream.NoTime, false}, {0, 8, false}, {0, 9, true}, {5 * unit, 9, false}, {5 * unit, 13, false}, {5 * unit, 14, true}, {5 * unit, stream.MaxTime, true}} {
				suite.Equal(t, c.want, windows.Allowed(c.lateness).WindowLate(w, c.watermark), suite.Failure{
					Says:  "a window is late from the watermark on that equals its cleanup time: at that one, its state goes",
					Input: fmt.Sprintf("window [0ms, 10ms), lateness %v, watermark %s", c.lateness, timeline.Clock(c.watermark)),
				})
			}
		})
		suite.Sub(t, "when an element is late", func(t *testing.T) {
			for _, c := range []struct {
				lateness      time.Duration
				at, watermark stream.Time
				want          bool
			}{{0, 5, 4, false}, {0, 5, 5, true}, {3 * unit, 5, 7, false}, {3 * unit, 5, 8, true}, {0, 5, stream.NoTime, false}, {time.Hour, stream.MaxTime - 1, 100, false}} {
				suite.Equal(t, c.want, windows.Allowed(c.lateness).ElementLate(c.at, c.watermark), suite.Failure{
					Says:  "an element is late if its own time plus the lateness is at or below the watermark",
					Input: fmt.Sprintf("element @%s, lateness %v, watermark %s", timeline.Clock(c.at), c.lateness, timeline.Clock(c.watermark)),
				})
			}
		})
		play(t, "late.txt", windows.Allowed)
		suite.Sub(t, "late is counted, with and without an output", func(t *testing.T) {
			for _, c := range []struct {
				noSide        bool
				late, dropped int64
			}{{false, 2, 0}, {true, 0, 2}} {
				h := setting{assigner: tumbling(t, 10*unit), retention: windows.Allowed(0), noSide: c.noSide}.open(t)
				h.ProcessWatermark(20)
				h.ProcessElement(letter{"k", "a"}, 5)
				h.ProcessElement(letter{"k", "b"}, 19)
				h.ProcessElement(letter{"k", "c"}, 25)
				suite.Equal(t, [2]int64{c.late, c.dropped}, [2]int64{h.Counter(windows.CountLate), h.Counter(windows.CountDropped)}, suite.Failure{
					Says:  "a late element counts as late if it went to the side output, and as dropped if there is none",
					Input: fmt.Sprintf("watermark 20ms, elements @5ms, @19ms and @25ms, side output: %v (counters: late, dropped)", !c.noSide),
					Of:    h, Key: "k",
				})
			}
		})
		suite.Sub(t, "a window that cannot be cleaned up is never late", lateAtTheEnd)
	})
}

func lateAtTheEnd(t *testing.T) {
	h := setting{assigner: tumbling(t, time.Second), retention: windows.Allowed(2 * time.Second)}.open(t)
	at := stream.MaxTime - 1500
	h.ProcessElement(letter{"k", "a"}, at)
	h.ProcessWatermark(stream.MaxTime - 1)
	h.ProcessElement(letter{"k", "b"}, at)
	var spelled []string
	for _, line := range h.Values() {
		spelled = append(spelled, line[strings.Index(line, "<"):])
	}
	suite.Equal(t, []string{"<a>", "<ab>"}, spelled, suite.Failure{
		Says:  "the cleanup time is past the end of time, so the window is still there and takes the second element",
		Input: "two elements 1.5s before the end of time, the watermark between them; windows of 1s, lateness 2s",
		Of:    h, Key: "k",
	})
}
