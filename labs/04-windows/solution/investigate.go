package windows

import (
	"time"

	"gatewaymeter/gateway"
	"gatewaymeter/stream"
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
	return &upserting{lines: map[lineID]gateway.NanoUSD{}}
	//lab:end
}

//lab:begin 4.1

// lineID is what two lines have in common when one corrects the other. The window's end is not needed:
// all windows of one operator with the same start are the same.
type lineID struct {
	tenant string
	start  int64
}

type upserting struct{ lines map[lineID]gateway.NanoUSD }

func (u *upserting) Write(line gateway.TenantWindow) {
	u.lines[lineID{line.TenantID, line.Start}] = line.Sum
}

func (u *upserting) Owed(tenant string) (sum gateway.NanoUSD) {
	for id, line := range u.lines {
		if id.tenant == tenant {
			sum += line
		}
	}
	return sum
}

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
	each := int((size + slide - 1) / slide) // rounded up: a part of a slide needs a whole window more
	cost := SlidingCost{Writes: each, Entries: each + int(span/slide)}
	cost.Timers = cost.Entries
	if lateness > 0 {
		cost.Timers *= 2 // firing and cleaning up are no longer the same instant
	}
	return cost
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
	var curve []LatenessPoint
	for _, l := range lateness {
		curve = append(curve, latenessPoint(arrivals, l))
	}
	return curve
	//lab:end
}

//lab:begin 4.3

type tenantMinute struct {
	tenant string
	end    stream.Time
}

func latenessPoint(arrivals []Arrival, lateness time.Duration) LatenessPoint {
	point := LatenessPoint{Lateness: lateness}
	minute := stream.Time(time.Minute.Milliseconds())
	inFlight := map[tenantMinute]bool{}
	gone := func(m tenantMinute, watermark stream.Time) bool {
		return (m.end - 1).Add(lateness) <= watermark
	}
	for _, a := range arrivals {
		for m := range inFlight {
			if gone(m, a.Watermark) {
				delete(inFlight, m)
			}
		}
		m := tenantMinute{a.Tenant, lastStart(a.At, 0, minute) + minute}
		if gone(m, a.Watermark) {
			point.Late++
			point.LateMoney += a.Cost
			continue
		}
		inFlight[m] = true
		point.Peak = max(point.Peak, len(inFlight))
	}
	return point
}

//lab:end
