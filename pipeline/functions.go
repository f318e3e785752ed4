package pipeline

import (
	"gatewaymeter/gateway"
	"gatewaymeter/stream"
)

// Functions are the job's own functions, as the labs bring them: constructors, since each subtask
// owns an instance.
type Functions struct {
	Decode     func(m stream.Message) (gateway.Event, error)                            // lab 01: decode and validate
	DeadLetter func(m stream.Message, err error) gateway.DeadLetter                     // lab 01
	Dedupe     func() stream.KeyedFunction[gateway.Event, gateway.Event]                // lab 03, by timers from lab 06
	Assemble   func() stream.KeyedFunction[gateway.Event, gateway.RequestRecord]        // lab 03, with abandonment from lab 06
	Total      func() stream.KeyedFunction[gateway.RequestRecord, gateway.TenantTotal]  // lab 03; stage 03 only
	Minute     func() stream.KeyedFunction[gateway.RequestRecord, gateway.TenantWindow] // lab 04
	Velocity   func() stream.KeyedFunction[gateway.Transaction, gateway.Alert]          // lab 06

	Exchanges Exchanges // lab 02
}

// Exchanges deal out the job's three kinds of elements by key; owner[group] is the subtask.
type Exchanges struct {
	Events       func(keyOf func(gateway.Event) string, owner []int) stream.Exchange[gateway.Event]
	Records      func(keyOf func(gateway.RequestRecord) string, owner []int) stream.Exchange[gateway.RequestRecord]
	Transactions func(keyOf func(gateway.Transaction) string, owner []int) stream.Exchange[gateway.Transaction]
}

// The names of the side outputs that the job reads; the labs' tags carry the same.
var (
	deadLetters = stream.Tag[gateway.DeadLetter]{Name: gateway.TopicDeadLetters}
	unpriced    = stream.Tag[gateway.RequestRecord]{Name: gateway.TopicUnpriced}
	late        = stream.Tag[gateway.RequestRecord]{Name: gateway.TopicLate}
)

// The keys of the job.
func byRequest(e gateway.Event) string        { return e.RequestID }
func byTenant(r gateway.RequestRecord) string { return r.TenantID }
func byCard(t gateway.Transaction) string     { return t.Card }
