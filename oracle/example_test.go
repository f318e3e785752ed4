package oracle_test

import (
	"fmt"

	"gatewaymeter/oracle"
)

// A request of ten prompt and two completion tokens on model-a costs 10·2500 + 2·10000 nano-USD. The job
// below charged for the prompt only.
func ExampleInvoice_CheckTotals() {
	log := []oracle.Message{
		{Offset: 0, Key: []byte("r-1"), Value: []byte(`{"event_type":"RequestStarted","request_id":"r-1","tenant_id":"acme","model":"model-a","ts":1000,"payload":{"prompt_tokens":10}}`)},
		{Offset: 1, Key: []byte("r-1"), Value: []byte(`{"event_type":"RequestCompleted","request_id":"r-1","tenant_id":"acme","model":"model-a","ts":2000,"payload":{"completion_tokens":2,"latency_ms":1000,"status":"ok"}}`)},
	}
	invoice, err := oracle.Expect(log, oracle.Options{Stage: 3})
	if err != nil {
		panic(err)
	}
	job := []oracle.Total{{TenantID: "acme", RequestID: "r-1", Seq: 1, Cost: 25000, Total: 25000}}
	fmt.Print(oracle.Table(invoice.CheckTotals(job), 1))
	// Output:
	// where          engine                     oracle
	// bill of acme   1 requests, $0.000025000   1 requests, $0.000045000
	// and 1 more
}
