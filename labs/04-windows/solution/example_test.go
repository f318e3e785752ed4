package windows_test

import (
	"fmt"
	"time"

	"gatewaymeter/engine"
	"gatewaymeter/gateway"
	"gatewaymeter/harness"
	"gatewaymeter/internal/kit/aloud"
	keying "gatewaymeter/labs/02-keying/solution"
	operators "gatewaymeter/labs/03-stateful-operators/solution"
	windows "gatewaymeter/labs/04-windows/solution"
	timers "gatewaymeter/labs/06-timers/solution"
	"gatewaymeter/stream"
)

// The chapter opens with this: one late record, and a sink that appends.
func ExampleNewAppending() {
	defer aloud.Print()()
	h := exampleInvoice(30 * time.Second)
	ledger := windows.NewAppending()
	show := func(what string) {
		fmt.Println(what)
		for _, line := range h.Values() {
			ledger.Write(line)
			fmt.Printf("    invoice line: %s, minute of %v, %d requests, %v\n", line.TenantID, stream.Time(line.Start), line.Requests, line.Sum)
		}
	}
	h.ProcessElement(gateway.RequestRecord{TenantID: "t-1", Model: "model-a", PromptTokens: 100}, 10_000)
	show("100 tokens at 10s")
	h.ProcessWatermark(60_000)
	show("watermark 60s")
	h.ProcessElement(gateway.RequestRecord{TenantID: "t-1", Model: "model-a", PromptTokens: 20}, 20_000)
	show("20 tokens at 20s, late")
	h.ProcessWatermark(90_000)
	show("watermark 90s: the minute is gone")
	h.ProcessElement(gateway.RequestRecord{TenantID: "t-1", Model: "model-a", PromptTokens: 80}, 30_000)
	show("80 tokens at 30s, too late")
	fmt.Println("used:", gateway.NanoUSD(200*2500), "asked for:", ledger.Owed("t-1"))
	fmt.Println("in the late output:", len(harness.SideOutputs(h, windows.Late)), "record,", gateway.NanoUSD(h.Counter(windows.CountLateNano)))
	// Output:
	// 100 tokens at 10s
	// watermark 60s
	//     invoice line: t-1, minute of t=0s, 1 requests, $0.000250000
	// 20 tokens at 20s, late
	//     invoice line: t-1, minute of t=0s, 2 requests, $0.000300000
	// watermark 90s: the minute is gone
	// 80 tokens at 30s, too late
	// used: $0.000500000 asked for: $0.000550000
	// in the late output: 1 record, $0.000200000
}

func exampleInvoice(lateness time.Duration) *harness.Keyed[gateway.RequestRecord, gateway.TenantWindow] {
	groups, err := keying.NewGroups(128)
	if err != nil {
		panic(err)
	}
	parts := engine.Parts{
		Groups: groups, Hash: keying.HashString,
		Backend:  func(s engine.Subtask) (stream.Backend, error) { return operators.NewHeap(s.First, s.Last), nil },
		Operator: operators.NewOperatorStore, Redistribute: operators.Redistribute,
		Timers: timers.NewService,
	}
	byTenant := func(r gateway.RequestRecord) string { return r.TenantID }
	return harness.NewKeyed(panics{}, parts, byTenant, windows.NewMinuteInvoice(gateway.ListPrices(), lateness))
}

// panics is a test that an example is not.
type panics struct{}

func (panics) Helper()                           {}
func (panics) Errorf(format string, args ...any) { panic(fmt.Sprintf(format, args...)) }
func (panics) FailNow()                          { panic("the harness failed") }
