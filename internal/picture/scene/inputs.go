package scene

import (
	"gatewaymeter/gateway"
	"gatewaymeter/harness"
	operators "gatewaymeter/labs/03-stateful-operators/solution"
	"gatewaymeter/stream"
)

// valveStage is a task with several inputs and lab 05's valve before it: "valve inputs=3". Steps:
// watermark input= t=, idle input=, active input=, end input=.
type valveStage struct {
	h *harness.Function[Letter, Letter]
}

// through hands on what it gets.
type through struct{}

func (through) Open(*stream.Context) error { return nil }

func (through) ProcessElement(_ *stream.Context, l Letter, out stream.Collector[Letter]) error {
	out.Collect(l)
	return nil
}

func newValve(head *Step, trace func(stream.Step)) stage {
	return &valveStage{harness.NewFunction(newFailing(), parts(), stream.Function[Letter, Letter](through{}),
		harness.Named("task"), harness.Inputs(head.Number("inputs")), harness.TraceTo(trace))}
}

func (v *valveStage) close() { v.h.Close() }

func (v *valveStage) do(s *Step) { v.h.ProcessControl(s.Number("input"), control(s)) }

// control is the control element that a step is about.
func control(s *Step) stream.Control {
	for _, kind := range []stream.ControlKind{stream.Watermark, stream.Idle, stream.Active, stream.Barrier, stream.EndOfInput} {
		if kind.String() == s.Verb {
			return stream.Control{Kind: kind, Time: s.At("t"), Checkpoint: int64(s.Number("id"))}
		}
	}
	unknown(s)
	return stream.Control{}
}

// alignStage is lab 03's TenantCost with several inputs, and lab 07's aligner before it: "align
// inputs=2". Steps: record input= id= tenant=, barrier input= id=. What arrives on an input that is
// blocked waits in its channel, as it does in a driver, and is handled when the input flows on.
type alignStage struct {
	h        *harness.Keyed[gateway.RequestRecord, gateway.TenantTotal]
	channels [][]*Step // what has arrived and not been handled
}

func newAlign(head *Step, trace func(stream.Step)) stage {
	a := &alignStage{channels: make([][]*Step, head.Number("inputs"))}
	a.h = harness.NewKeyed(newFailing(), parts(), func(r gateway.RequestRecord) string { return r.TenantID },
		operators.NewTenantCost(gateway.ListPrices()), harness.Named("tenant-cost"), harness.Inputs(len(a.channels)), harness.TraceTo(trace))
	return a
}

func (a *alignStage) close() { a.h.Close() }

func (a *alignStage) do(s *Step) {
	input := s.Number("input")
	a.channels[input] = append(a.channels[input], s)
	for a.handleOne() {
	}
}

// handleOne takes the first element that may be read.
func (a *alignStage) handleOne() bool {
	for input, waiting := range a.channels {
		if blocked := a.h.Blocked(); len(waiting) == 0 || blocked != nil && blocked[input] {
			continue
		}
		a.channels[input] = waiting[1:]
		a.handle(input, waiting[0])
		return true
	}
	return false
}

func (a *alignStage) handle(input int, s *Step) {
	if s.Verb != "record" {
		a.h.ProcessControl(input, control(s))
		return
	}
	a.h.ProcessElementOn(input, dollar(s.Arg("id"), s.Arg("tenant")), stream.NoTime)
}

// dollar is a record that costs one dollar.
func dollar(id, tenant string) gateway.RequestRecord {
	return gateway.RequestRecord{RequestID: id, TenantID: tenant, Model: "model-a", PromptTokens: 400_000, Status: "ok"}
}
