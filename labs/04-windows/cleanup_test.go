package lab04_test

import (
	"fmt"
	"testing"
	"time"

	"gatewaymeter/internal/kit/suite"
	ours "gatewaymeter/labs/04-windows/solution"
	windows "gatewaymeter/labs/04-windows/starter"
	"gatewaymeter/stream"
)

// cleansAt is a retention without lateness rules: windows go at a time, and nothing is late. It lets 4e
// be tested before 4f is there.
type cleansAt struct {
	ours.Retention
	at func(w stream.Window) stream.Time
}

func (c cleansAt) CleanupTime(w stream.Window) stream.Time  { return c.at(w) }
func (cleansAt) WindowLate(stream.Window, stream.Time) bool { return false }
func (cleansAt) ElementLate(stream.Time, stream.Time) bool  { return false }

// after cleans a window that long after its last instant.
func after(d time.Duration) windows.Retention {
	return cleansAt{at: func(w stream.Window) stream.Time { return w.MaxTimestamp().Add(d) }}
}

// Test4e: Clean up: when a window's state goes (25 min)
func Test4e(t *testing.T) {
	suite.Exercise(t, "4e", func(t *testing.T) {
		suite.Sub(t, "the cleanup time is the last instant plus the lateness", func(t *testing.T) {
			for _, c := range []struct {
				lateness time.Duration
				end      stream.Time
				want     stream.Time
			}{{0, 10, 9}, {5 * unit, 10, 14}, {5 * unit, -10, -6}, {2 * time.Second, stream.MaxTime - 100, stream.MaxTime}, {time.Hour, stream.MaxTime, stream.MaxTime}} {
				suite.Equal(t, c.want, windows.Allowed(c.lateness).CleanupTime(stream.Window{Start: c.end - 10, End: c.end}), suite.Failure{
					Says:  "the cleanup time is MaxTimestamp plus the lateness, and the end of time where that is past it",
					Input: fmt.Sprintf("a window that ends at %s, lateness %v", ms(c.end), c.lateness),
				})
			}
		})
		suite.Sub(t, "without lateness a window fires, and then goes", func(t *testing.T) {
			play(t, set{assigner: tumbling(t, 10*unit), retention: after(0)},
				add("k", "a", 5).leaves(1, 1).or("without lateness, firing and cleaning up are the same instant, and one timer"),
				mark(8).leaves(1, 1),
				mark(9).gives("k [0ms, 10ms) <a> @9ms").or("the window must fire before its state goes").leaves(0, 0),
			)
		})
		suite.Sub(t, "with lateness its state stays until then", func(t *testing.T) {
			play(t, set{assigner: tumbling(t, 10*unit), retention: after(5 * unit)},
				add("k", "a", 5).leaves(1, 2).or("with lateness a window has two timers: one to fire, one to clean up"),
				mark(9).gives("k [0ms, 10ms) <a> @9ms").leaves(1, 1),
				add("k", "b", 6).gives("k [0ms, 10ms) <ab> @9ms").leaves(1, 1),
				mark(13).leaves(1, 1).or("the window goes at 14ms, not before"),
				mark(14).leaves(0, 0).or("at its cleanup time a window goes, and fires no more"),
			)
		})
		suite.Sub(t, "what goes is one window of one key", func(t *testing.T) {
			play(t, set{assigner: sliding(t, 10*unit, 5*unit), retention: after(0)},
				add("k", "a", 7), add("l", "b", 12).leaves(4, 4),
				mark(9).gives("k [0ms, 10ms) <a> @9ms").leaves(3, 3).or("cleaning up [0ms, 10ms) must leave the key's other window alone, and other keys"),
				mark(14).gives("k [5ms, 15ms) <a> @14ms", "l [5ms, 15ms) <b> @14ms").leaves(1, 1),
				mark(19).gives("l [10ms, 20ms) <b> @19ms").leaves(0, 0),
			)
		})
		suite.Sub(t, "no timer is left behind (FLINK-33192)", func(t *testing.T) {
			early := cleansAt{at: func(w stream.Window) stream.Time { return w.Start }}
			play(t, set{assigner: tumbling(t, 10*unit), retention: early},
				add("k", "a", 5).leaves(1, 2),
				mark(4).leaves(0, 0).or("a window that goes before it has fired must take its firing timer with it"),
			)
		})
		suite.Sub(t, "a window that never goes has no cleanup timer", func(t *testing.T) {
			never := cleansAt{at: func(stream.Window) stream.Time { return stream.MaxTime }}
			play(t, set{assigner: tumbling(t, 10*unit), retention: never},
				add("k", "a", 5).leaves(1, 1).or("a cleanup time past the end of time must set no timer: it would be there for ever"),
				mark(stream.MaxTime).gives("k [0ms, 10ms) <a> @9ms").leaves(1, 0),
			)
		})
		suite.Sub(t, "a day of minutes leaves nothing", func(t *testing.T) {
			h := &drive{Keyed: newHarness(t, set{assigner: tumbling(t, time.Minute), retention: after(time.Minute)})}
			minute := stream.Time(time.Minute.Milliseconds())
			for m := range stream.Time(24 * 60) {
				for k := range 3 {
					h.ProcessElement(letter{fmt.Sprintf("tenant-%d", k), "a"}, m*minute+1)
				}
				h.ProcessWatermark(m * minute)
				if left := h.left(); left[0] > 9 {
					suite.Wrong(t, suite.Failure{
						Says:  "state grows with time: windows that are over are not cleaned up",
						Input: fmt.Sprintf("3 tenants, one element a minute, after %d minutes", m), Got: counts(left), Want: "at most 9 windows in state",
					})
				}
			}
			h.ProcessWatermark(stream.MaxTime)
			suite.Equal(t, [2]int{0, 0}, h.left(), suite.Failure{Says: "at the end of the input something is left", Input: "the final watermark"})
		})
	})
}
