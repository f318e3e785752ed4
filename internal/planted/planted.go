// Package planted has jobs, and a disk, with one bug each, for the tests of tests: what is there to find
// bugs must find these. Nothing but tests imports it.
package planted

import (
	"gatewaymeter/engine"
	"gatewaymeter/gateway"
	"gatewaymeter/internal/replay"
	"gatewaymeter/pipeline"
	"gatewaymeter/stream"
)

// In is our job with something changed.
func In(change func(*engine.Parts, *pipeline.Functions)) replay.Maker {
	return func(stage int) (engine.Parts, pipeline.Functions, error) {
		p, f, err := pipeline.Ours(stage)
		if err == nil {
			change(&p, &f)
		}
		return p, f, err
	}
}

// Decode is our job with another decoder in front of ours.
func Decode(change func(right func(stream.Message) (gateway.Event, error), m stream.Message) (gateway.Event, error)) replay.Maker {
	return In(func(_ *engine.Parts, f *pipeline.Functions) {
		right := f.Decode
		f.Decode = func(m stream.Message) (gateway.Event, error) { return change(right, m) }
	})
}

// Assemble is our job with something between Dedupe and the assembler: pass hands an event on. Each
// subtask has a process function of its own.
func Assemble(process func() func(e gateway.Event, pass func(gateway.Event) error) error) replay.Maker {
	return In(func(_ *engine.Parts, f *pipeline.Functions) {
		right := f.Assemble
		f.Assemble = func() stream.KeyedFunction[gateway.Event, gateway.RequestRecord] {
			inner := right()
			timers, _ := inner.(stream.TimerFunction[gateway.RequestRecord])
			return &assembler{inner, timers, process()}
		}
	})
}

// assembler is an assembler that gets other events.
type assembler struct {
	stream.KeyedFunction[gateway.Event, gateway.RequestRecord]
	stream.TimerFunction[gateway.RequestRecord] // nil before stage 06; then no timer calls it
	process                                     func(e gateway.Event, pass func(gateway.Event) error) error
}

func (a *assembler) ProcessElement(c *stream.Context, e gateway.Event, out stream.Collector[gateway.RequestRecord]) error {
	return a.process(e, func(e gateway.Event) error { return a.KeyedFunction.ProcessElement(c, e, out) })
}

// WithoutDedupe is a job that bills duplicates.
func WithoutDedupe() replay.Maker {
	return In(func(_ *engine.Parts, f *pipeline.Functions) {
		right := f.Dedupe
		f.Dedupe = func() stream.KeyedFunction[gateway.Event, gateway.Event] { return passing{right()} }
	})
}

// passing hands every event on.
type passing struct {
	stream.KeyedFunction[gateway.Event, gateway.Event]
}

func (passing) ProcessElement(_ *stream.Context, e gateway.Event, out stream.Collector[gateway.Event]) error {
	out.Collect(e)
	return nil
}

// FastestValve is a job whose valves let the fastest input lead, instead of waiting for the slowest. What
// goes wrong hangs on the order in which tasks run.
func FastestValve() replay.Maker {
	return In(func(p *engine.Parts, _ *pipeline.Functions) {
		p.Valve = func(int) stream.Valve { return &fastest{at: stream.NoTime} }
	})
}

type fastest struct{ at stream.Time }

func (v *fastest) Watermark(_ int, t stream.Time) stream.Signal {
	if t <= v.at {
		return stream.Nothing
	}
	v.at = t
	return stream.Signal{Watermark: t}
}

func (*fastest) Idle(int) stream.Signal   { return stream.Nothing }
func (*fastest) Active(int) stream.Signal { return stream.Nothing }
