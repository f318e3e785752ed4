package bench

import (
	"time"

	"gatewaymeter/bench/work"
	"gatewaymeter/gateway"
	"gatewaymeter/stream"
)

// models are the work's models, by number.
var models = [...]string{"model-a", "model-b"}

// source makes the work's input up, with a watermark after every 200th event where the stage has
// watermarks. There is one subtask of it.
type source struct {
	input      *work.Events
	watermarks bool
	probe      *probe
	event      work.Event
	count      int64
	maxTS      int64

	// It is written for every event. What another task reads for every event must not lie in the same
	// cache line, or both wait for each other: a third of the throughput (docs/performance.md).
	_ [96]byte
}

// Open implements stream.Source.
func (s *source) Open(*stream.Context) error { return nil }

// Poll implements stream.Source.
func (s *source) Poll(_ *stream.Context, max int, out stream.SourceOutput[gateway.Event]) (stream.Progress, error) {
	if s.count == 0 {
		s.probe.start = time.Now()
	}
	for range max {
		if !s.input.Next(&s.event) {
			s.probe.events = s.count
			if s.watermarks {
				out.Signal(stream.Signal{Watermark: stream.MaxTime})
			}
			return stream.Ended, nil
		}
		out.Emit(message(&s.event), stream.Time(s.event.TS))
		s.count++
		if s.event.TS > s.maxTS {
			s.maxTS = s.event.TS
		}
		if s.watermarks && s.count%work.WatermarkEvery == 0 {
			out.Signal(stream.Signal{Watermark: stream.Time(s.maxTS - work.Disorder - 1)})
		}
	}
	return stream.Reading, nil
}

// Ready implements stream.Source: there always is something.
func (s *source) Ready() <-chan struct{} { return nil }

// message is an event of the work as the job knows it.
func message(e *work.Event) gateway.Event {
	if e.Kind == work.Completed {
		return gateway.Event{
			Type: gateway.RequestCompleted, RequestID: e.ID, TS: e.TS,
			CompletionTokens: int64(e.Completion), Status: "completed",
		}
	}
	return gateway.Event{
		Type: gateway.RequestStarted, RequestID: e.ID, TenantID: e.Tenant, Model: models[e.Model],
		TS: e.TS, PromptTokens: int64(e.Prompt),
	}
}
