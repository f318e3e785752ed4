package windows

import (
	"fmt"
	"time"

	"gatewaymeter/stream"
)

// Assigner says which windows an element belongs to (Flink: WindowAssigner). It has no state: the
// answer hangs on the timestamp alone.
type Assigner interface {
	// Assign appends the windows of an element at that time to dst, and returns it as append does:
	// the operator hands in the same slice for every element, so that assigning allocates nothing.
	// An element without a timestamp (stream.NoTime) belongs to no window, and that is an error.
	Assign(dst []stream.Window, at stream.Time) ([]stream.Window, error)
	fmt.Stringer
}

// MergingAssigner is an Assigner whose windows merge when they meet: sessions.
type MergingAssigner interface {
	Assigner
	// Merging has nothing to do: that an assigner has it is what it says.
	Merging()
}

// errNoTime says what to do about a record that has no event time.
func errNoTime(a Assigner) error {
	return fmt.Errorf("%v: the record has no timestamp, so it belongs to no window: give records their event time at the source, or key by something else than time", a)
}

// millis is a duration as event time counts it. What is smaller than a millisecond is refused: it
// would be cut off without a word, and a window of 1.5 ms would be one of 1 ms.
func millis(what string, d time.Duration) (stream.Time, error) {
	if d%time.Millisecond != 0 {
		return 0, fmt.Errorf("%s %v is not a whole number of milliseconds, the unit of event time", what, d)
	}
	return stream.Time(d.Milliseconds()), nil
}

func show(t stream.Time) time.Duration { return time.Duration(t) * time.Millisecond }
