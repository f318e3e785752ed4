package windows

import (
	"time"

	"gatewaymeter/gateway"
	"gatewaymeter/stream"
	"gatewaymeter/todo" // made from ../solution by "go tool lab starters"; this file is yours to edit
)

// Ledger is a sink for invoice lines, as an accountant sees it.
type Ledger interface {
	Write(line gateway.TenantWindow)
	Owed(tenant string) gateway.NanoUSD // what the tenant is asked to pay
}

// NewAppending is a ledger that writes each line below the last and adds them all up, as a file or an
// INSERT does. It is given: investigation 4.1 shows what it costs the customer.
func NewAppending() Ledger { return &appending{} }

type appending struct{ lines []gateway.TenantWindow }

func (a *appending) Write(line gateway.TenantWindow) { a.lines = append(a.lines, line) }

func (a *appending) Owed(tenant string) (sum gateway.NanoUSD) {
	for _, line := range a.lines {
		if line.TenantID == tenant {
			sum += line.Sum
		}
	}
	return sum
}

// NewUpserting is the ledger that is right: a line replaces the earlier line of the same identity, if
// there is one. Firings are cumulative, so the last line of a window is its whole bill; and a line that
// is written twice changes nothing, which lab 07 will need. The identity of a line is for you to find.
func NewUpserting() Ledger {
	//lab:begin 4.1
	panic(todo.Exercise("4.1"))
	//lab:end
}

//lab:begin 4.1

// What 4.1 needs besides goes here.

//lab:end

// SlidingCost is what a sliding window costs for one key.
type SlidingCost struct {
	Writes  int // accumulators that each element changes
	Entries int // accumulators in flight
	Timers  int
}

// CostOfSliding foretells what windows of that size and slide (offset 0) cost for one key that has an
// element at each multiple of slide from 0 to span, both included, while the watermark has not moved.
// lateness is the operator's. The suite counts what the operator really holds.
func CostOfSliding(size, slide, lateness, span time.Duration) SlidingCost {
	//lab:begin 4.2
	panic(todo.Exercise("4.2"))
	//lab:end
}

// Arrival is one record as it reaches the invoice: its tenant, its event time, what it costs, and the
// watermark that the operator has seen by then.
type Arrival struct {
	Tenant    string
	At        stream.Time
	Watermark stream.Time
	Cost      gateway.NanoUSD
}

// LatenessPoint is one point of the curve: what an allowed lateness keeps, and what it loses.
type LatenessPoint struct {
	Lateness  time.Duration
	Peak      int             // the most windows in flight after any arrival
	Late      int             // records that come too late
	LateMoney gateway.NanoUSD // and what they cost
}

// LatenessCurve foretells the point of each lateness, for minutes of event time, from the arrivals
// alone: without an operator. A window is in flight from its first accepted record until the watermark
// reaches its cleanup time. The suite measures the same on the operator.
func LatenessCurve(arrivals []Arrival, lateness []time.Duration) []LatenessPoint {
	//lab:begin 4.3
	panic(todo.Exercise("4.3"))
	//lab:end
}

//lab:begin 4.3

// What 4.3 needs besides goes here.

//lab:end
