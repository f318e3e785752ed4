package timers

import (
	"fmt"
	"time"

	"gatewaymeter/gateway"
	operators "gatewaymeter/labs/03-stateful-operators/solution"
	"gatewaymeter/stream"
)

// abandonAfter is how long a request may stay open, in event time.
const abandonAfter = gateway.AbandonAfterMS * time.Millisecond

// Option changes what NewAssembler makes.
type Option func(*assembler)

// EventTimeRule makes the event's own time decide whether a completion is in time, and not the moment
// of its arrival: a completion at or past the request's started_ts + 5m is unmatched, whatever the
// watermark is by then, and leaves the open request and its timer to each other. With the rule, what a
// request costs is a function of its events. Without it (as Flink's vectors have it) such a completion
// counts if it arrives before the watermark does, which is another one in every run.
func EventTimeRule() Option { return func(a *assembler) { a.eventTime = true } }

// NewAssembler makes the RequestAssembler of this stage: lab 03's, and it no longer leaks. Uid
// "assemble", keyed by request_id, state "open", counters "unmatched" and "abandoned".
//
// A request that is open five minutes of event time after its start is emitted as abandoned.
func NewAssembler(options ...Option) stream.KeyedFunction[gateway.Event, gateway.RequestRecord] {
	a := &assembler{}
	for _, option := range options {
		option(a)
	}
	return a
}

type assembler struct {
	eventTime bool // see EventTimeRule
	open      stream.Value[gateway.OpenRequest]
	unmatched stream.Counter
	abandoned stream.Counter
}

// Open declares state and counters (given).
func (a *assembler) Open(c *stream.Context) error {
	a.open = stream.NewValue(c, "open", operators.OpenRequests, stream.RemovedBy(stream.ByElement, stream.ByTimer))
	a.unmatched = stream.NewCounter(c, "unmatched")
	a.abandoned = stream.NewCounter(c, "abandoned")
	return nil
}

// ProcessElement pairs a request's two events.
//
// A RequestStarted is remembered, over any earlier one, and sets an event timer at its time + 5m.
//
// A RequestCompleted of an open request makes a record (recordOf), clears the state, and deletes the
// timer that the request's own start set: state and timer go together. Without an open request it is
// dropped: counted in "unmatched", and noted with c.Drop("unmatched", e). With the EventTimeRule, so
// is one that comes at or past the open request's start + 5m, and nothing else changes.
func (a *assembler) ProcessElement(c *stream.Context, e gateway.Event, out stream.Collector[gateway.RequestRecord]) error {
	//lab:begin 6d
	switch e.Type {
	case gateway.RequestStarted:
		a.open.Update(gateway.OpenRequest{
			RequestID:    e.RequestID,
			TenantID:     e.TenantID,
			Model:        e.Model,
			StartedTS:    e.TS,
			PromptTokens: e.PromptTokens,
		})
		c.RegisterEventTimer(deadline(e.TS))
	case gateway.RequestCompleted:
		start, ok := a.open.Get()
		if !ok || a.eventTime && stream.Time(e.TS) >= deadline(start.StartedTS) {
			a.unmatched.Add(1)
			c.Drop("unmatched", e)
			return nil
		}
		a.open.Clear()
		c.DeleteEventTimer(deadline(start.StartedTS))
		out.Collect(recordOf(start, e))
	default:
		return fmt.Errorf("request %q: event type %q is neither of the two", e.RequestID, e.Type)
	}
	return nil
	//lab:end
}

// OnTimer abandons the request, if it still is open: the record (abandonedAt) is emitted and counted
// in "abandoned", and the state cleared. If it is not, there is nothing to do.
func (a *assembler) OnTimer(c *stream.Context, t stream.Timer, out stream.Collector[gateway.RequestRecord]) error {
	//lab:begin 6d
	start, ok := a.open.Get()
	if !ok {
		return nil
	}
	a.open.Clear()
	a.abandoned.Add(1)
	out.Collect(abandonedAt(start, t.At))
	return nil
	//lab:end
}

// deadline is when a request that started then is abandoned.
func deadline(startedTS int64) stream.Time { return stream.Time(startedTS).Add(abandonAfter) }

// recordOf is a request's two events in one. Tenant, model and prompt stand in the first only.
func recordOf(start gateway.OpenRequest, end gateway.Event) gateway.RequestRecord {
	return gateway.RequestRecord{
		RequestID:        start.RequestID,
		TenantID:         start.TenantID,
		Model:            start.Model,
		StartedTS:        start.StartedTS,
		CompletedTS:      end.TS,
		LatencyMS:        end.LatencyMS,
		PromptTokens:     start.PromptTokens,
		CompletionTokens: end.CompletionTokens,
		Status:           end.Status,
	}
}

// abandonedAt is the record of a request that was given up at a time: its prompt was read, so it is
// billed; it has no completion tokens.
func abandonedAt(start gateway.OpenRequest, at stream.Time) gateway.RequestRecord {
	return gateway.RequestRecord{
		RequestID:    start.RequestID,
		TenantID:     start.TenantID,
		Model:        start.Model,
		StartedTS:    start.StartedTS,
		CompletedTS:  int64(at),
		LatencyMS:    int64(at) - start.StartedTS,
		PromptTokens: start.PromptTokens,
		Status:       gateway.StatusAbandoned,
	}
}
