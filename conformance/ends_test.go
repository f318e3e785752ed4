package conformance

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gatewaymeter/stream"
)

// What is different on purpose at the ends of int64, which the vectors leave out: see
// docs/differences-from-flink.md.

// Flink's EventTimeSessionWindows.assignWindows is the only one that does not ask for a timestamp.
func TestASessionNeedsATimestamp(t *testing.T) {
	for _, spec := range []assignerSpec{
		{Type: "tumbling", Size: 10}, {Type: "sliding", Size: 10, Slide: 5}, {Type: "session", Gap: 10},
	} {
		a, err := spec.build(t)
		require.NoError(t, err)
		_, err = a.Assign(nil, stream.NoTime)
		require.ErrorContains(t, err, "no timestamp", "%+v", spec)
	}
}

// The window of the last element would end past the end of time. In Flink its end wraps round, so that
// WindowOperator.isWindowLate is true and isElementLate is not: the element is gone, and nothing counts
// it. Here it is late, so it comes out on the side, or is counted.
func TestAnElementWhoseWindowEndsPastTheEndOfTime(t *testing.T) {
	last := windowAction{Op: "element", Key: "a", Value: 1, TS: int64(stream.MaxTime) - 5}
	for _, side := range []bool{false, true} {
		s := &windowScript{c: windowCase{Assigner: assignerSpec{Type: "tumbling", Size: 10}, SideOutput: side}, parts: parts}
		s.open(t)
		s.run(t, windowAction{Op: "watermark", TS: 0})
		seen := s.run(t, last)
		require.EqualValues(t, 1, int(seen.Dropped)+len(seen.Late), "side output %v", side)
		require.Zero(t, seen.Entries+seen.Timers)
		s.h.Close()
	}
}
