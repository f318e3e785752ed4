package windows_test

import (
	"fmt"
	"testing"
	"time"

	"gatewaymeter/gateway"
	operators "gatewaymeter/labs/03-stateful-operators/solution"
	windows "gatewaymeter/labs/04-windows/solution"
	"gatewaymeter/stream"
)

type nop struct{}

func (nop) Register(at stream.Time, w stream.Window) {}
func (nop) Delete(at stream.Time, w stream.Window)   {}
func (nop) Advance(to stream.Time, limit int, fire func(stream.Timer) error) (bool, error) {
	return false, nil
}
func (nop) Next() (stream.Time, bool) { return 0, false }
func (nop) Len() int                  { return 0 }
func (nop) Recover() error            { return nil }

type sink struct{ n int }

func (s *sink) Collect(gateway.TenantWindow) { s.n++ }

func BenchmarkMinute(b *testing.B) {
	c := &stream.Context{Backend: operators.NewHeap(0, 127), Operator: operators.NewOperatorStore(), EventTimers: nop{}, Watermark: stream.NoTime}
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
