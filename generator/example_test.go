package generator_test

import (
	"fmt"

	"gatewaymeter/generator"
)

// The first messages of a seed, and what stands in all of them.
func ExampleNew() {
	g := generator.New(generator.Default(1000, 1))
	for i := range 2 {
		var m generator.Message
		g.Next(&m)
		fmt.Printf("%d %s\n", i, m.Value)
	}
	for range g.All() { // the rest
	}
	c := g.Counts()
	fmt.Println(c.Requests, "requests,", c.NeverCompleted, "never completed and", c.Reversed, "reversed:", c.At(3).OpenEntries, "stay open at stage 03,", c.At(6).OpenEntries, "at stage 06")
	// Output:
	// 0 {"event_type":"RequestStarted","request_id":"r-0","tenant_id":"tenant-0028","model":"model-b","ts":1700000040000,"payload":{"prompt_tokens":5277}}
	// 1 {"event_type":"RequestStarted","request_id":"r-1","tenant_id":"tenant-0004","model":"model-a","ts":1700000039443,"payload":{"prompt_tokens":4933}}
	// 1000 requests, 20 never completed and 10 reversed: 30 stay open at stage 03, 0 at stage 06
}
