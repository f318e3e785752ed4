package lab04_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"gatewaymeter/gateway"
	"gatewaymeter/harness"
	"gatewaymeter/internal/kit/suite"
	ours "gatewaymeter/labs/04-windows/solution"
	windows "gatewaymeter/labs/04-windows/starter"
	"gatewaymeter/stream"
)

type invoiceHarness = harness.Keyed[gateway.RequestRecord, gateway.TenantWindow]

// invoice is our minute invoice on the harness.
func invoice(t *testing.T, lateness time.Duration) *invoiceHarness {
	t.Helper()
	byTenant := func(r gateway.RequestRecord) string { return r.TenantID }
	return harness.NewKeyed(t, parts(t), byTenant, ours.NewMinuteInvoice(gateway.ListPrices(), lateness))
}

// Test4_1: A sink that appends bills twice; make it upsert
func Test4_1(t *testing.T) {
	suite.Exercise(t, "4.1", func(t *testing.T) {
		h := invoice(t, 30*time.Second)
		appends, upserts := windows.NewAppending(), windows.NewUpserting()
		deliver := func() []gateway.TenantWindow {
			lines := h.Values()
			for _, line := range lines {
				appends.Write(line)
				upserts.Write(line)
			}
			return lines
		}
		check := func(t *testing.T, tenant, after string, want gateway.NanoUSD) {
			t.Helper()
			suite.Equal(t, want, upserts.Owed(tenant), suite.Failure{
				Says:  "the ledger asks " + tenant + " for something else than it owes " + after,
				State: "a ledger that appends asks for " + appends.Owed(tenant).String(),
			})
		}
		h.ProcessElement(record("t-1", "model-a", 100, 0), 10_000)
		h.ProcessElement(record("t-2", "model-a", 40, 0), 11_000)
		h.ProcessWatermark(60_000)
		deliver()
		check(t, "t-1", "for its first minute", 250_000)

		h.ProcessElement(record("t-1", "model-a", 20, 0), 20_000) // late, and allowed to be
		corrected := deliver()
		check(t, "t-1", "after a late record has corrected its first minute", 300_000)
		check(t, "t-2", "after another tenant's bill was corrected", 100_000)
		suite.Equal(t, gateway.NanoUSD(550_000), appends.Owed("t-1"), suite.Failure{Says: "the given ledger was changed: it is there to be wrong"})

		h.ProcessElement(record("t-1", "model-b", 100, 0), 70_000)
		h.ProcessWatermark(120_000)
		deliver()
		check(t, "t-1", "for two minutes", 350_000)

		for _, line := range corrected {
			upserts.Write(line)
		}
		check(t, "t-1", "after a line was written twice, as a job does that starts again", 350_000)
		check(t, "t-3", "without any line", 0)

		upserts.Write(gateway.TenantWindow{TenantID: "t-2", Start: 0, End: 60_000, Requests: 1, Sum: 40_000})
		check(t, "t-2", "after a line that says less: a correction replaces the bill, it does not only raise it", 40_000)
	})
}

// Test4_2: What a sliding window costs in entries
func Test4_2(t *testing.T) {
	suite.Exercise(t, "4.2", func(t *testing.T) {
		for _, c := range []struct{ size, slide, lateness, span time.Duration }{
			{time.Minute, time.Minute, 0, 10 * time.Minute},
			{time.Hour, time.Minute, 0, 0},
			{time.Hour, time.Minute, 0, 30 * time.Minute},
			{time.Hour, time.Minute, time.Minute, 30 * time.Minute},
			{10 * unit, 4 * unit, 0, 40 * unit},
			{10 * unit, 3 * unit, unit, 40 * unit},
		} {
			foretold := windows.CostOfSliding(c.size, c.slide, c.lateness, c.span)
			suite.Equal(t, measureSliding(t, c.size, c.slide, c.lateness, c.span), foretold, suite.Failure{
				Says:  "the operator holds something else than foretold",
				Input: fmt.Sprintf("size %v, slide %v, lateness %v; an element every slide for %v", c.size, c.slide, c.lateness, c.span),
			})
		}
	})
}

// measureSliding counts what our operator holds.
func measureSliding(t *testing.T, size, slide, lateness, span time.Duration) (cost windows.SlidingCost) {
	t.Helper()
	h := newOurs(t, sliding(t, size, slide), lateness)
	for at := time.Duration(0); at <= span; at += slide {
		h.ProcessElement(letter{"k", "a"}, stream.Time(at.Milliseconds()))
		if at == 0 {
			cost.Writes = inFlight(h)
		}
	}
	cost.Entries, cost.Timers = inFlight(h), h.EventTimers()
	return cost
}

// newOurs is our operator on the harness.
func newOurs(t *testing.T, a ours.Assigner, lateness time.Duration) *harness.Keyed[letter, string] {
	t.Helper()
	return harness.NewKeyed(t, parts(t), func(l letter) string { return l.key }, ours.New(ours.Config[letter, string, string, string]{
		Assigner: a, Aggregate: spelling{}, Codec: stream.String, Function: word, Retention: ours.Allowed(lateness),
	}))
}

// goneQuiet is tenants of one record each, ten minutes apart: none is there any more to see its window go.
func goneQuiet() (arrivals []windows.Arrival) {
	watermark := stream.NoTime
	for i := range stream.Time(4) {
		at := i * stream.Time((10 * time.Minute).Milliseconds())
		arrivals = append(arrivals, windows.Arrival{Tenant: fmt.Sprintf("t-%d", i), At: at, Watermark: watermark, Cost: 2500})
		watermark = at - 10_001
	}
	return arrivals
}

// lateness is the points of the curve.
var lateness = []time.Duration{0, 10 * time.Second, time.Minute, 5 * time.Minute, time.Hour}

// Test4_3: Lateness against state kept: the curve
func Test4_3(t *testing.T) {
	suite.Exercise(t, "4.3", func(t *testing.T) {
		for seed := range uint64(4) {
			checkCurve(t, fmt.Sprintf("5 tenants over 20 minutes (seed %d)", seed), stragglers(seed))
		}
		checkCurve(t, "4 tenants, one record each, ten minutes apart", goneQuiet())
	})
}

// checkCurve holds the student's curve against the operator.
func checkCurve(t *testing.T, name string, arrivals []windows.Arrival) {
	t.Helper()
	curve := windows.LatenessCurve(arrivals, lateness)
	suite.Equal(t, len(lateness), len(curve), suite.Failure{Says: "the curve has one point for each lateness", Input: fmt.Sprint(lateness)})
	for i, l := range lateness {
		suite.Equal(t, measureLateness(t, arrivals, l), curve[i], suite.Failure{
			Says:  "the operator keeps or loses something else than foretold",
			Input: fmt.Sprintf("lateness %v, %d arrivals of %s", l, len(arrivals), name),
		})
		t.Logf("%s, lateness %v: at most %d windows in flight, %d records too late, %v", name, l, curve[i].Peak, curve[i].Late, curve[i].LateMoney)
	}
}

// stragglers is traffic of which some records come very late.
func stragglers(seed uint64) []windows.Arrival {
	r := rand.New(rand.NewPCG(seed, 4))
	var arrivals []windows.Arrival
	highest := stream.Time(0)
	watermark := stream.NoTime
	for now := time.Duration(0); now < 20*time.Minute; now += 2 * time.Second {
		lag := time.Duration(r.Int64N(int64(10 * time.Second)))
		if r.IntN(8) == 0 {
			lag = time.Duration(r.Int64N(int64(8 * time.Minute)))
		}
		at := stream.Time((now - lag).Milliseconds())
		arrivals = append(arrivals, windows.Arrival{
			Tenant: fmt.Sprintf("t-%d", r.IntN(5)), At: at, Watermark: watermark, Cost: gateway.NanoUSD(2500 * (1 + r.Int64N(100))),
		})
		highest = max(highest, at)
		watermark = max(watermark, highest-10_001)
	}
	// And, for each lateness, one at the very watermark at which its minute goes.
	for _, l := range lateness {
		minute := stream.Time(30 * time.Minute.Milliseconds())
		cleanup := (minute + 60_000 - 1).Add(l)
		arrivals = append(arrivals, windows.Arrival{Tenant: "t-0", At: minute, Watermark: cleanup, Cost: 2500})
	}
	return arrivals
}

// measureLateness runs our invoice over the arrivals.
func measureLateness(t *testing.T, arrivals []windows.Arrival, lateness time.Duration) windows.LatenessPoint {
	t.Helper()
	h := invoice(t, lateness)
	point := windows.LatenessPoint{Lateness: lateness}
	watermark := stream.NoTime
	for _, a := range arrivals {
		if a.Watermark > watermark {
			watermark = a.Watermark
			h.ProcessWatermark(watermark)
		}
		h.ProcessElement(record(a.Tenant, "model-a", int64(a.Cost)/2500, 0), a.At)
		point.Peak = max(point.Peak, inFlight(h))
	}
	point.Late = int(h.Counter(ours.CountLate))
	point.LateMoney = gateway.NanoUSD(h.Counter(ours.CountLateNano))
	return point
}
