package lab03_test

import (
	"testing"
	"time"

	"gatewaymeter/gateway"
	"gatewaymeter/harness"
	"gatewaymeter/internal/kit/suite"
	solution "gatewaymeter/labs/03-stateful-operators/solution"
	operators "gatewaymeter/labs/03-stateful-operators/starter"

	"github.com/stretchr/testify/require"
)

// Test3c: Dedupe (10 min)
func Test3c(t *testing.T) {
	suite.Exercise(t, "3c", func(t *testing.T) {
		play(t, "dedupe.txt", deduping)
		suite.Sub(t, "the event that passes is the event that came", func(t *testing.T) {
			h := harness.NewKeyed(t, parts(t), solution.DedupeKey, operators.NewDedupe(), harness.WithTrace())
			first := started("r-1", 1, 10)
			h.ProcessElement(first, 1)
			suite.Equal(t, []gateway.Event{first}, h.Values(), suite.Failure{
				Says: "an event was changed on its way", Input: "RequestStarted r-1 at 1ms", Of: h,
			})
			h.ProcessElement(first, 1)
			dropped(t, h, "duplicate", "RequestStarted r-1 twice")
		})
	})
}

// The given Dedupe of the pipeline keeps one map a request, and loses it after its time.
func TestDedupeRequest(t *testing.T) {
	h := harness.NewKeyed(t, parts(t), byRequest, solution.NewDedupeRequest(time.Minute))
	for _, e := range []gateway.Event{started("r-1", 1, 10), completed("r-1", 2, 1), started("r-1", 1, 10), completed("r-1", 2, 1)} {
		h.ProcessElement(e, 1)
	}
	require.Len(t, h.Values(), 2)
	require.EqualValues(t, 2, h.Counter("duplicates"))
	require.Equal(t, 1, h.Entries("seen"))

	h.SetProcessingTime(60_000)
	for range 40 { // the cleanup looks at a few keys at every access
		h.ProcessElement(completed("r-2", 9, 1), 1)
	}
	require.Equal(t, 1, h.Entries("seen"), "r-1 has gone, r-2 is there")
}
