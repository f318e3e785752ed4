package serialised_test

import (
	"fmt"
	"os"

	"gatewaymeter/engine"
	"gatewaymeter/gateway"
	"gatewaymeter/harness"
	"gatewaymeter/internal/kit/aloud"
	keying "gatewaymeter/labs/02-keying/solution"
	"gatewaymeter/labs/03-stateful-operators/serialised"
	operators "gatewaymeter/labs/03-stateful-operators/solution"
	"gatewaymeter/stream"
)

// The chapter opens with this: requests that nobody completes, and a counter that is right on one
// backend only.
func Example_whatGoesWrong() {
	defer aloud.Print()()
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
