package stream

import (
	"fmt"
	"math"
	"time"
)

// Time is a point in time: milliseconds since the epoch, in event time or in processing time.
//
// Event time comes only from elements, processing time only from a [Clock].
type Time int64

const (
	// NoTime is the timestamp of a record that has none, and the watermark before the first one
	// (Flink: Long.MIN_VALUE for both).
	NoTime Time = math.MinInt64
	// MaxTime is the final watermark: no element follows.
	MaxTime Time = math.MaxInt64
)

// String prints small times as a duration since zero ("t=12s"), which is how timelines write them,
// and times of this century as a date.
func (t Time) String() string {
	switch {
	case t == NoTime:
		return "none"
	case t == MaxTime:
		return "end"
	case t < 1e11 && t > -1e11:
		return "t=" + (time.Duration(t) * time.Millisecond).String()
	}
	return time.UnixMilli(int64(t)).UTC().Format("2006-01-02T15:04:05.000")
}

// Add is t later by d, which is cut to whole milliseconds; it stops at MaxTime instead of wrapping.
func (t Time) Add(d time.Duration) Time {
	ms := Time(d.Milliseconds())
	sum := t + ms
	switch {
	case ms > 0 && sum < t:
		return MaxTime
	case ms < 0 && sum > t:
		return NoTime
	}
	return sum
}

// Window is the half-open interval [Start, End) of event time. It also is a timer's namespace: the
// zero Window stands for the user's own timers and state (Flink: VoidNamespace).
type Window struct{ Start, End Time }

// MaxTimestamp is the last instant inside the window, and the timestamp of its results.
func (w Window) MaxTimestamp() Time { return w.End - 1 }

// Intersects reports whether the two windows overlap or touch; windows that only touch merge as
// sessions do (Flink: TimeWindow.intersects, FLINK-15841).
func (w Window) Intersects(o Window) bool { return w.Start <= o.End && w.End >= o.Start }

// Cover is the least window that contains both.
func (w Window) Cover(o Window) Window {
	return Window{Start: min(w.Start, o.Start), End: max(w.End, o.End)}
}

// Compare orders windows by start, then end.
func (w Window) Compare(o Window) int {
	switch {
	case w.Start != o.Start:
		return order(w.Start, o.Start)
	default:
		return order(w.End, o.End)
	}
}

func (w Window) String() string { return fmt.Sprintf("[%v, %v)", w.Start, w.End) }

func order(a, b Time) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// Clock tells processing time. The runtime's real clock and the tests' manual one both satisfy it;
// nothing else in the engine or in a function may ask for the time of day.
type Clock interface {
	Now() Time
}
