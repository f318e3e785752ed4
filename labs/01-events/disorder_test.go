package lab01_test

import (
	"fmt"
	"testing"

	"gatewaymeter/internal/kit/suite"
	events "gatewaymeter/labs/01-events/starter"
)

// Test1e: Disorder: how far event time lags behind its own maximum (20 min, optional)
func Test1e(t *testing.T) {
	suite.Exercise(t, "1e", func(t *testing.T) {
		suite.Sub(t, "an event lags behind the greatest ts before it", func(t *testing.T) {
			d := events.NewDisorder()
			for i, e := range []struct{ ts, lag int64 }{
				{1000, 0}, {1000, 0}, {1500, 0}, {1200, 300}, {1300, 200}, {1600, 0}, {1000, 600}, {1599, 1}, {1601, 0},
			} {
				suite.Equal(t, e.lag, d.Observe(0, e.ts), suite.Failure{
					Says: "the lag is the greatest ts so far less this one, not less the one just before", Input: fmt.Sprintf("event %d, ts %d ms", i, e.ts),
				})
			}
			lags := d.Lags(0)
			suite.Equal(t, int64(600), lags.Max(), suite.Failure{Says: "the greatest lag of the partition is that of the event at 1000"})
			suite.Equal(t, int64(9), lags.Count(), suite.Failure{Says: "each event has a lag, the ones in order too: else a quantile is one of the disorderly only"})
		})
		suite.Sub(t, "partitions have nothing to do with each other", func(t *testing.T) {
			d := events.NewDisorder()
			d.Observe(0, 9000)
			suite.Equal(t, int64(0), d.Observe(1, 100), suite.Failure{Says: "the first event of partition 1 lags behind nothing, whatever partition 0 has seen"})
			suite.Equal(t, int64(50), d.Observe(1, 50), suite.Failure{Says: "partition 1 is 50 ms behind itself"})
			suite.Equal(t, int64(0), maxLag(d, 0), suite.Failure{Says: "partition 0 had one event, in order"})
			suite.Equal(t, int64(0), count(d, 7), suite.Failure{Says: "a partition without events has no lags"})
		})
		suite.Sub(t, "the bound covers every partition", func(t *testing.T) {
			d := events.NewDisorder()
			suite.Equal(t, int64(0), d.Bound(), suite.Failure{Says: "without events the bound is 0"})
			for p, lag := range []int64{10, 400, 20} {
				d.Observe(int32(p), 1000)
				d.Observe(int32(p), 1000-lag)
				d.Observe(int32(p), 2000)
			}
			suite.Equal(t, int64(400), d.Bound(), suite.Failure{Says: "with a bound below the greatest lag of all, an event would have been late"})
		})
		suite.Sub(t, "the first event may stand at time 0", func(t *testing.T) {
			d := events.NewDisorder()
			suite.Equal(t, int64(0), d.Observe(0, 0), suite.Failure{Says: "the first event lags behind nothing"})
			suite.Equal(t, int64(0), d.Observe(0, 5), suite.Failure{Says: "an event that is newer than all before it lags behind nothing", Input: "0, then 5"})
			suite.Equal(t, int64(5), d.Observe(0, 0), suite.Failure{Says: "an event is measured against the newest before it", Input: "0, 5, then 0"})
		})
	})
}

func maxLag(d *events.Disorder, partition int32) int64 {
	lags := d.Lags(partition)
	return lags.Max()
}

func count(d *events.Disorder, partition int32) int64 {
	lags := d.Lags(partition)
	return lags.Count()
}
