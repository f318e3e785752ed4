package operators

import (
	"gatewaymeter/gateway"
	"gatewaymeter/stream"
	"gatewaymeter/todo" // made from ../solution by "go tool lab starters"; this file is yours to edit
)

// NewAssembler makes the RequestAssembler: uid "assemble", keyed by request_id. It pairs the two
// events of a request into one record.
//
// What it remembers in between is one gateway.OpenRequest, in value state "open". A request that is
// never completed stays there for ever: that is this stage's leak, and lab 06 closes it.
func NewAssembler() stream.KeyedFunction[gateway.Event, gateway.RequestRecord] {
	return &assembler{}
}

type assembler struct {
	open      stream.Value[gateway.OpenRequest]
	unmatched stream.Counter
}

// Open declares value state "open" (codec OpenRequests) and counter "unmatched".
func (a *assembler) Open(c *stream.Context) error {
	//lab:begin 3a
	panic(todo.Exercise("3a"))
	//lab:end
}

// ProcessElement remembers a RequestStarted, over any earlier one of the same request. A
// RequestCompleted makes a record with what is remembered, and forgets it. A completion of a request
// that is not open is dropped: counted in "unmatched", and noted with c.Drop("unmatched", e).
func (a *assembler) ProcessElement(c *stream.Context, e gateway.Event, out stream.Collector[gateway.RequestRecord]) error {
	//lab:begin 3a
	panic(todo.Exercise("3a"))
	//lab:end
}

// record is a request's two events in one. Tenant, model and prompt stand in the first only.
func record(start gateway.OpenRequest, end gateway.Event) gateway.RequestRecord {
	return gateway.RequestRecord{
		RequestID:        start.RequestID,
		TenantID:         start.TenantID,
		Model:            start.Model,
		StartedTS:        start.StartedTS,
		CompletedTS:      end.TS,
		LatencyMS:        end.LatencyMS,
		PromptTokens:     start.PromptTokens,
		CompletionTokens: end.CompletionTokens,
		Status:           end.Status,
	}
}
