package windows

import (
	"gatewaymeter/gateway"
	"gatewaymeter/stream"
	"gatewaymeter/todo" // made from ../solution by "go tool lab starters"; this file is yours to edit
)

// Bill is what a window remembers of its records: their number and what they cost, however many
// there are. It is TenantCost's accumulator.
type Bill struct {
	Requests int64
	Sum      gateway.NanoUSD
}

// TenantCost adds up what records cost (Flink: AggregateFunction). A window keeps one Bill instead of
// its records, which is what makes a window of a million records as cheap as one of ten.
type TenantCost struct{ Prices gateway.Prices }

var _ stream.Aggregate[gateway.RequestRecord, Bill, gateway.TenantWindow] = TenantCost{}

// Create is the bill of no records.
func (t TenantCost) Create() Bill {
	//lab:begin 4c
	panic(todo.Exercise("4c"))
	//lab:end
}

// Add puts one record on the bill, at its model's price for both kinds of tokens. Every status is
// billed for the tokens that it used, errors too. The model is in the price table: who calls has
// sorted the others out.
func (t TenantCost) Add(bill *Bill, r gateway.RequestRecord) {
	//lab:begin 4c
	panic(todo.Exercise("4c"))
	//lab:end
}

// Result is the invoice's line, with the fields that the bill knows: Requests and Sum. Tenant and
// window are not the aggregate's to know; InvoiceLine adds them. It must not change the bill: a
// window fires again when a late record corrects it.
func (t TenantCost) Result(bill Bill) gateway.TenantWindow {
	//lab:begin 4c
	panic(todo.Exercise("4c"))
	//lab:end
}

// Merge puts another bill on this one: of two sessions that became one.
func (t TenantCost) Merge(bill *Bill, other Bill) {
	//lab:begin 4c
	panic(todo.Exercise("4c"))
	//lab:end
}

// InvoiceLine completes a window's result with what only the operator knows, the tenant (the key) and
// the window's bounds, and emits it. It is the window function that goes with TenantCost.
func InvoiceLine(_ *stream.Context, w stream.Window, tenant string, line gateway.TenantWindow, out stream.Collector[gateway.TenantWindow]) {
	//lab:begin 4c
	panic(todo.Exercise("4c"))
	//lab:end
}

// Bills is how a Bill is stored.
var Bills stream.Codec[Bill] = billCodec{}

type billCodec struct{}

func (billCodec) Append(dst []byte, b Bill) []byte {
	return stream.AppendInt(stream.AppendInt(dst, b.Requests), int64(b.Sum))
}

func (billCodec) Decode(src []byte) (Bill, error) {
	w := stream.NewWire(src)
	b := Bill{Requests: w.Int(), Sum: gateway.NanoUSD(w.Int())}
	return b, w.Done()
}
