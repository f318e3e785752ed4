package windows_test

import (
	"fmt"
	"testing"
	"time"

	"gatewaymeter/gateway"
	operators "gatewaymeter/labs/03-stateful-operators/solution"
	windows "gatewaymeter/labs/04-windows/solution"
	timers "gatewaymeter/labs/06-timers/solution"
	"gatewaymeter/stream"
)

type sink struct{ n int }

func (s *sink) Collect(gateway.TenantWindow) { s.n++ }

func BenchmarkMinute(b *testing.B) {
	c := &stream.Context{Backend: operators.NewHeap(0, 127), Operator: operators.NewOperatorStore(), Watermark: stream.NoTime}
	service, err := timers.NewService(c, stream.EventTime)
	if err != nil {
		b.Fatal(err)
	}
	c.EventTimers = service
	f := windows.NewMinuteInvoice(gateway.ListPrices(), 0*time.Second)
	if err := f.Open(c); err != nil {
		b.Fatal(err)
	}
	keys := make([]string, 50)
	for i := range keys {
		keys[i] = fmt.Sprintf("tenant-%d", i)
	}
	out := &sink{}
	r := gateway.RequestRecord{Model: "model-a", PromptTokens: 10, CompletionTokens: 20}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		k := i % 50
		c.Time = stream.Time(i % 60000)
		c.SetKey(k, keys[k])
		r.TenantID = keys[k]
		if err := f.ProcessElement(c, r, out); err != nil {
			b.Fatal(err)
		}
	}
}
