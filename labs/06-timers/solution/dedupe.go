package timers

import (
	"time"

	"gatewaymeter/gateway"
	"gatewaymeter/stream"
)

// NewDedupeRequest makes the Dedupe of the pipeline from this lab on (given): lab 03's DedupeRequest, keyed by
// request_id, uid "dedupe", state "seen", counter "duplicates". Only what ends the state has changed:
// an entry goes when event time has passed its event's own time + retention, by a timer of its own.
// Processing time no longer matters, so a replay of last month's log drops the same duplicates, and
// at the end nothing is left.
//
// retention must be at least as long as a duplicate can be late.
func NewDedupeRequest(retention time.Duration) stream.KeyedFunction[gateway.Event, gateway.Event] {
	return &dedupe{retention: retention}
}

type dedupe struct {
	retention  time.Duration
	seen       stream.Map[string, stream.Time] // event type -> the event's time
	duplicates stream.Counter
}

// Open implements stream.KeyedFunction.
func (d *dedupe) Open(c *stream.Context) error {
	d.seen = stream.NewMap(c, "seen", stream.String, stream.Times, stream.RemovedBy(stream.ByTimer))
	d.duplicates = stream.NewCounter(c, "duplicates")
	return nil
}

// ProcessElement implements stream.KeyedFunction.
func (d *dedupe) ProcessElement(c *stream.Context, e gateway.Event, out stream.Collector[gateway.Event]) error {
	if d.seen.Contains(string(e.Type)) {
		d.duplicates.Add(1)
		c.Drop("duplicate", e)
		return nil
	}
	at := stream.Time(e.TS)
	d.seen.Put(string(e.Type), at)
	c.RegisterEventTimer(at.Add(d.retention))
	out.Collect(e)
	return nil
}

// OnTimer forgets the events whose time is up, and only those: the other event of the request has a
// timer of its own.
func (d *dedupe) OnTimer(_ *stream.Context, t stream.Timer, _ stream.Collector[gateway.Event]) error {
	for kind, at := range d.seen.All() {
		if at.Add(d.retention) == t.At {
			d.seen.Remove(kind)
		}
	}
	return nil
}
