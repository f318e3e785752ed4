package events_test

import (
	"fmt"

	"gatewaymeter/gateway"
	"gatewaymeter/internal/kit/aloud"
	events "gatewaymeter/labs/01-events/solution"
	"gatewaymeter/stream"
)

// At request 500 of 1,000 a new version of the gateway goes live, and writes numbers in quotes. A job
// that skips what it cannot read bills half of what it is owed, and nobody hears of it. One that keeps
// dead letters bills no more at first, but it says so, and the messages can be mended and sent again.
func ExampleDecode() {
	defer aloud.Print()()
	prices := gateway.ListPrices()
	var billed, owed gateway.NanoUSD
	var letters []gateway.DeadLetter
	for i := range 1000 {
		tokens := "2000"
		if i >= 500 {
			tokens = `"2000"`
		}
		m := stream.Message{
			Topic: "gateway-events", Offset: int64(i), Key: fmt.Appendf(nil, "r-%d", i),
			Value: fmt.Appendf(nil, `{"event_type":"RequestCompleted","request_id":"r-%d","tenant_id":"t-1","model":"model-a",`+
				`"ts":%d,"payload":{"completion_tokens":%s,"latency_ms":900,"status":"ok"}}`, i, 1000*i, tokens),
		}
		owed += prices["model-a"].Cost(0, 2000)
		e, err := events.Decode(m)
		if err != nil {
			letters = append(letters, events.NewDeadLetter(m, err))
			continue // a job that skips does this, and no more
		}
		billed += prices[e.Model].Cost(0, e.CompletionTokens)
	}
	fmt.Println("owed:  ", owed)
	fmt.Println("billed:", billed)
	fmt.Println("dead letters:", len(letters))
	fmt.Printf("the first: partition %d, offset %d, %s\n", letters[0].Partition, letters[0].Offset, letters[0].Reason)
	// Output:
	// owed:   $20.000000000
	// billed: $10.000000000
	// dead letters: 500
	// the first: partition 0, offset 500, malformed message: payload.completion_tokens: must be a whole number, without point or exponent
}
