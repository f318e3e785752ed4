package lab04_test

import (
	"fmt"
	"testing"
	"time"

	"gatewaymeter/internal/kit/suite"
	"gatewaymeter/internal/kit/timeline"
	windows "gatewaymeter/labs/04-windows/starter"
	"gatewaymeter/stream"
)

// cleansAt is a retention without lateness rules: windows go at a time, and nothing is late. It lets 4e
// be tested before 4f is there.
type cleansAt struct {
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
					Input: fmt.Sprintf("a window that ends at %s, lateness %v", timeline.Clock(c.end), c.lateness),
				})
			}
		})
		play(t, "cleanup.txt", given)
		suite.Sub(t, "a day of minutes leaves nothing", dayOfMinutes)
	})
}

func dayOfMinutes(t *testing.T) {
	h := setting{assigner: tumbling(t, time.Minute), retention: after(time.Minute)}.open(t)
	minute := stream.Time(time.Minute.Milliseconds())
	for m := range stream.Time(24 * 60) {
		for k := range 3 {
			h.ProcessElement(letter{fmt.Sprintf("tenant-%d", k), "a"}, m*minute+1)
		}
		h.ProcessWatermark(m * minute)
		if n := inFlight(h); n > 9 {
			suite.Wrong(t, suite.Failure{
				Says:  "state grows with time: windows that are over are not cleaned up",
				Input: fmt.Sprintf("3 tenants, one element a minute, after %d minutes", m), Got: fmt.Sprintf("%d windows in state", n), Want: "at most 9",
				Of: h, Key: "tenant-0",
			})
		}
	}
	h.ProcessWatermark(stream.MaxTime)
	suite.Equal(t, [2]int{0, 0}, [2]int{inFlight(h), h.EventTimers()}, suite.Failure{
		Says: "at the end of the input something is left (windows in state, timers)", Input: "the final watermark", Of: h, Key: "tenant-0",
	})
}
