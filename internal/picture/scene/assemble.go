package scene

import (
	"fmt"

	"gatewaymeter/gateway"
	"gatewaymeter/harness"
	operators "gatewaymeter/labs/03-stateful-operators/solution"
	timers "gatewaymeter/labs/06-timers/solution"
	"gatewaymeter/stream"
)

// assembleStage is the RequestAssembler of a stage: "assemble stage=03" without timers, "assemble
// stage=06" with them and the event-time rule. Steps: started id= t=, completed id= t=, watermark t=,
// restore (a snapshot, and a new operator from it); open requests=2500 t= every= for many at once; and
// slice t=, then slice, for a watermark whose timers fire a slice at a time.
type assembleStage struct {
	head  *Step
	trace func(stream.Step)
	h     *harness.Keyed[gateway.Event, gateway.RequestRecord]
}

func newAssemble(head *Step, trace func(stream.Step)) stage {
	a := &assembleStage{head: head, trace: trace}
	a.open()
	return a
}

func (a *assembleStage) open(opts ...harness.Option) {
	fn := operators.NewAssembler()
	if a.head.Arg("stage") == "06" {
		fn = timers.NewAssembler(timers.EventTimeRule())
	}
	opts = append(opts, harness.Named("assemble"), harness.TraceTo(a.trace))
	a.h = harness.NewKeyed(newFailing(), parts(), func(e gateway.Event) string { return e.RequestID }, fn, opts...)
}

func (a *assembleStage) close() { a.h.Close() }

func (a *assembleStage) do(s *Step) {
	switch s.Verb {
	case "started":
		a.started(s.Arg("id"), s.At("t"))
	case "completed":
		a.h.ProcessElement(gateway.Event{
			Type: gateway.RequestCompleted, RequestID: s.Arg("id"), TS: int64(s.At("t")), CompletionTokens: 7, Status: "ok",
		}, s.At("t"))
	case "watermark":
		a.h.ProcessWatermark(s.At("t"))
	case "restore":
		snapshot := a.h.Snapshot()
		a.h.Close()
		a.open(harness.From(snapshot))
	case "open":
		for n := range s.Number("requests") {
			a.started(fmt.Sprintf("r-%d", n+1), s.At("t")+stream.Time(n)*s.At("every"))
		}
	case "slice":
		if s.Arg("t") != "" {
			a.h.ProcessWatermarkSlice(s.At("t"))
			return
		}
		a.h.ProcessSlice()
	default:
		unknown(s)
	}
}

func (a *assembleStage) started(id string, at stream.Time) {
	a.h.ProcessElement(gateway.Event{
		Type: gateway.RequestStarted, RequestID: id, TenantID: "acme", Model: "model-a", TS: int64(at), PromptTokens: 100,
	}, at)
}
