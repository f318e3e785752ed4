package limit

import (
	"math"
	"time"

	"gatewaymeter/bench/work"
)

// endOfTime is the watermark at the end of input.
const endOfTime = math.MaxInt64

// Loop runs the work in one goroutine. The duration is from the first event to the last result.
func Loop(stage work.Stage, requests int64, seed uint64) (work.Outcome, time.Duration) {
	input := work.NewEvents(requests, seed)
	p := newPartition(stage)
	p.emit = p.usage
	var e work.Event
	var events, maxTS int64
	start := time.Now()
	for input.Next(&e) {
		p.event(&e)
		maxTS = max(maxTS, e.TS)
		events++
		if events%work.WatermarkEvery == 0 {
			p.watermark(maxTS - work.Disorder - 1)
		}
	}
	p.watermark(endOfTime)
	took := time.Since(start)
	return work.Outcome{
		Stage: stage, Requests: requests, Seed: seed, Events: events,
		Open: int64(len(p.open)), Timers: int64(len(p.timers)), Sums: p.sums,
	}, took
}
