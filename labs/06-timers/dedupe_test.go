package lab06_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gatewaymeter/harness"
	ours "gatewaymeter/labs/06-timers/solution"
)

// The given Dedupe forgets each event at that event's own time + retention: the other event of the
// request is remembered until its own time is up.
func TestDedupeForgetsEachEventAtItsOwnTime(t *testing.T) {
	h := harness.NewKeyed(t, parts(t), byRequest, ours.NewDedupeRequest(time.Minute))
	start, end := started("r-1", 0, 10), completed("r-1", 20_000, 5, "ok", 20_000)
	h.ProcessElement(start, 0)
	h.ProcessElement(end, 20_000)
	h.ProcessElement(end, 20_000)
	require.EqualValues(t, 1, h.Counter("duplicates"))
	require.Equal(t, 2, h.EventTimers(), "one for each event")

	h.ProcessWatermark(60_000) // the start's time is up
	require.Equal(t, 1, h.EventTimers())
	h.ProcessElement(end, 20_000)
	require.EqualValues(t, 2, h.Counter("duplicates"), "the completion is still remembered")

	h.ProcessWatermark(80_000)
	require.Zero(t, h.Entries("seen"), "nothing is left")
	require.Zero(t, h.EventTimers())
	require.Len(t, h.Values(), 2)
}
