package crashmatrix

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gatewaymeter/engine"
	"gatewaymeter/pipeline"
)

// A point that no run has reached, a kind that did not happen, too few barriers: each is a failure.
func TestWhatIsMissingIsSaid(t *testing.T) {
	v := newCoverage(7)
	for seed := range uint64(Cycle(7)) {
		c := Of(7, seed)
		if c.Kind == LostAck || c.Point.What == engine.PointFlush && c.Point.After {
			c.Kind, c.Point = OneCrash, engine.CrashPoint{What: engine.PointRead}
		}
		v.count(Outcome{Case: c, Report: &pipeline.CrashReport{Deaths: []pipeline.Death{{Point: c.Point, Barriers: seed%4 == 0}}}})
	}
	err := v.Missing()
	require.ErrorContains(t, err, "no run has reached after flush")
	require.ErrorContains(t, err, "no run had a lost acknowledgement")
	require.ErrorContains(t, err, "barriers were in flight at 39 of 154 deaths, and must be at 30 %")
	require.NotContains(t, err.Error(), "before flush")
}
