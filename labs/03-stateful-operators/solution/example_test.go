package operators_test

import (
	"fmt"
	"os"

	"gatewaymeter/engine"
	"gatewaymeter/gateway"
	"gatewaymeter/harness"
	keying "gatewaymeter/labs/02-keying/solution"
	"gatewaymeter/labs/03-stateful-operators/serialised"
	operators "gatewaymeter/labs/03-stateful-operators/solution"
	"gatewaymeter/stream"
)

// The same three costs, added as floats in the order of the log and backwards. (3b)
func ExampleNewTenantCost() {
	costs := []gateway.NanoUSD{100_000_000, 200_000_000, 300_000_000}
	var forwards, backwards float64
	var exact, again gateway.NanoUSD
	for i := range costs {
		forwards += float64(costs[i]) / gateway.NanoPerUSD
		exact += costs[i]
		last := costs[len(costs)-1-i]
		backwards += float64(last) / gateway.NanoPerUSD
		again += last
	}
	fmt.Printf("floats:   %.18f and %.18f, equal: %v\n", forwards, backwards, forwards == backwards)
	fmt.Printf("nano-USD: %v and %v, equal: %v\n", exact, again, exact == again)
	// Output:
	// floats:   0.600000000000000089 and 0.599999999999999978, equal: false
	// nano-USD: $0.600000000 and $0.600000000, equal: true
}

// The chapter opens with this: requests that nobody completes, and a counter that is right on one
// backend only.
func ExampleNewAssembler() {
	h := harness.NewKeyed(printer{}, exampleParts("heap"), func(e gateway.Event) string { return e.RequestID }, operators.NewAssembler())
	for i := range 10_000 {
		h.ProcessElement(gateway.Event{
			Type: gateway.RequestStarted, RequestID: fmt.Sprint("r-", i), TenantID: "t-1", Model: "model-a", PromptTokens: 500,
		}, 0)
	}
	fmt.Printf("10000 requests started, none completed: %d entries, %d records\n", h.Entries("open"), len(h.Values()))

	for _, backend := range []string{"heap", "pebble"} {
		h := harness.NewKeyed(printer{}, exampleParts(backend), func(r gateway.RequestRecord) string { return r.TenantID }, operators.NewModelCount())
		fmt.Printf("%-6s", backend)
		for range 4 {
			h.ProcessElement(gateway.RequestRecord{TenantID: "t-1", Model: "model-a"}, 0)
			fmt.Print("  ", h.Values()[0].Requests)
		}
		fmt.Println()
		h.Close()
	}
	// Output:
	// 10000 requests started, none completed: 10000 entries, 0 records
	// heap    1  2  3  4
	// pebble  1  1  1  1
}

// exampleParts is the engine under an operator, on a backend by name.
func exampleParts(backend string) engine.Parts {
	groups, err := keying.NewGroups(128)
	if err != nil {
		panic(err)
	}
	return engine.Parts{
		Groups: groups, Hash: keying.HashString, Operator: operators.NewOperatorStore, Redistribute: operators.Redistribute,
		Backend: func(s engine.Subtask) (stream.Backend, error) {
			if backend == "pebble" {
				return serialised.New(os.TempDir(), s.First, s.Last)
			}
			return operators.NewHeap(s.First, s.Last), nil
		},
	}
}

// printer is a test that prints: an example has no *testing.T.
type printer struct{}

func (printer) Helper()                      {}
func (printer) Errorf(f string, args ...any) { fmt.Printf(f+"\n", args...) }
func (printer) FailNow()                     { panic("the example failed") }
