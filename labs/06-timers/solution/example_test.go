package timers_test

import (
	"fmt"

	"gatewaymeter/engine"
	"gatewaymeter/gateway"
	"gatewaymeter/harness"
	"gatewaymeter/internal/kit/aloud"
	keying "gatewaymeter/labs/02-keying/solution"
	operators "gatewaymeter/labs/03-stateful-operators/solution"
	timers "gatewaymeter/labs/06-timers/solution"
	"gatewaymeter/stream"
)

// 10,000 requests that nobody completes, under the assembler of lab 03 and under this one.
func ExampleNewAssembler() {
	defer aloud.Print()()
	for _, a := range []struct {
		name string
		fn   stream.KeyedFunction[gateway.Event, gateway.RequestRecord]
	}{{"lab 03", operators.NewAssembler()}, {"lab 06", timers.NewAssembler()}} {
		h := harness.NewKeyed(&printing{}, exampleParts(), func(e gateway.Event) string { return e.RequestID }, a.fn)
		for i := range 10_000 {
			e := gateway.Event{Type: gateway.RequestStarted, RequestID: fmt.Sprintf("r-%d", i), Model: "model-a", TS: int64(i), PromptTokens: 500}
			h.ProcessElement(e, stream.Time(e.TS))
		}
		before := h.EventTimers()
		h.ProcessWatermark(stream.Time(24 * 3600 * 1000)) // a day later
		var billed gateway.NanoUSD
		for _, r := range h.Values() {
			billed += gateway.ListPrices()[r.Model].Cost(r.PromptTokens, r.CompletionTokens)
		}
		fmt.Printf("%s: %d timers set; a day later %d requests open, %d timers, %v billed\n", a.name, before, h.Entries("open"), h.EventTimers(), billed)
		h.Close()
	}
	// Output:
	// lab 03: 0 timers set; a day later 10000 requests open, 0 timers, $0.000000000 billed
	// lab 06: 10000 timers set; a day later 0 requests open, 0 timers, $12.500000000 billed
}

func exampleParts() engine.Parts {
	groups, err := keying.NewGroups(16)
	if err != nil {
		panic(err)
	}
	return engine.Parts{
		Groups:       groups,
		Hash:         keying.HashString,
		Backend:      func(s engine.Subtask) (stream.Backend, error) { return operators.NewHeap(s.First, s.Last), nil },
		Operator:     operators.NewOperatorStore,
		Redistribute: operators.Redistribute,
		Timers:       timers.NewService,
	}
}

// printing is a stream.TestingT for an example: it stops at the first failure.
type printing struct{}

func (*printing) Helper()                           {}
func (*printing) Errorf(format string, args ...any) { fmt.Printf(format+"\n", args...) }
func (*printing) FailNow()                          { panic("failed") }
