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
		run := func(t *testing.T, events []gateway.Event, opts ...harness.Option) *harness.Keyed[gateway.Event, gateway.Event] {
			h := harness.NewKeyed(t, parts(t), solution.DedupeKey, operators.NewDedupe(), opts...)
			for _, e := range events {
				h.ProcessElement(e, 1)
			}
			return h
		}
		suite.Sub(t, "the first of its kind passes, the others do not", func(t *testing.T) {
			first, again := started("r-1", 1, 10), started("r-1", 1, 10)
			h := run(t, []gateway.Event{first, again, again})
			suite.Equal(t, []gateway.Event{first}, h.Values(), suite.Failure{Says: "an event that was delivered three times must come out once", Input: "RequestStarted r-1, three times"})
			suite.Equal(t, int64(2), h.Counter("duplicates"), suite.Failure{Says: `counter "duplicates" is off`, Input: "RequestStarted r-1, three times"})
		})
		suite.Sub(t, "start and completion are two events, and so are two requests", func(t *testing.T) {
			events := []gateway.Event{started("r-1", 1, 10), completed("r-1", 2, 1), started("r-2", 3, 10)}
			h := run(t, events)
			suite.Equal(t, events, h.Values(), suite.Failure{Says: "an event was taken for a duplicate of another", Input: "start r-1, end r-1, start r-2"})
		})
		suite.Sub(t, "what was seen is remembered after a restore", func(t *testing.T) {
			h := run(t, []gateway.Event{started("r-1", 1, 10)})
			again := run(t, []gateway.Event{started("r-1", 1, 10)}, harness.From(h.Snapshot()))
			suite.Equal(t, 0, len(again.Values()), suite.Failure{Says: "after a restore the duplicate passes: it is not state that remembers", Input: "start r-1, snapshot, restore, start r-1"})
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
