package lab03_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"gatewaymeter/gateway"
	"gatewaymeter/harness"
	"gatewaymeter/internal/kit/suite"
	operators "gatewaymeter/labs/03-stateful-operators/starter"
)

func used(tenant, request, model string, prompt, completion int64) gateway.RequestRecord {
	return gateway.RequestRecord{TenantID: tenant, RequestID: request, Model: model, PromptTokens: prompt, CompletionTokens: completion, Status: "ok"}
}

func costs(t *testing.T, opts ...harness.Option) *harness.Keyed[gateway.RequestRecord, gateway.TenantTotal] {
	t.Helper()
	return harness.NewKeyed(t, parts(t), byTenant, operators.NewTenantCost(gateway.ListPrices()), opts...)
}

// Test3b: TenantCost, in whole nano-USD (20 min)
func Test3b(t *testing.T) {
	suite.Exercise(t, "3b", func(t *testing.T) {
		suite.Sub(t, "each record is a line with its cost and the tenant's total", func(t *testing.T) {
			h := costs(t)
			h.ProcessElement(used("acme", "r-1", "model-a", 1000, 100), 1) // 2,500,000 + 1,000,000
			h.ProcessElement(used("duff", "r-2", "model-b", 10, 0), 2)     // 5,000
			h.ProcessElement(used("acme", "r-3", "model-b", 0, 2), 3)      // 3,000
			want := []gateway.TenantTotal{
				{TenantID: "acme", RequestID: "r-1", Seq: 1, Cost: 3_500_000, Total: 3_500_000},
				{TenantID: "duff", RequestID: "r-2", Seq: 1, Cost: 5_000, Total: 5_000},
				{TenantID: "acme", RequestID: "r-3", Seq: 2, Cost: 3_000, Total: 3_503_000},
			}
			for i, got := range h.Values() {
				suite.Equal(t, want[i], got, suite.Failure{
					Says: fmt.Sprintf("line %d is wrong", i+1), Input: "acme: model-a 1000+100 tokens; duff: model-b 10+0; acme: model-b 0+2",
				})
				want[i].Seq = -1
			}
			for _, w := range want {
				suite.Equal(t, int64(-1), w.Seq, suite.Failure{Says: "a line is missing: one goes out for each record", Want: fmt.Sprintf("%+v", w), Got: "nothing"})
			}
			suite.Equal(t, 2, h.Entries("usd_total"), suite.Failure{Says: `state "usd_total" has not one entry for each tenant`})
		})
		suite.Sub(t, "an unknown model goes to the side output and costs nothing", func(t *testing.T) {
			h := costs(t)
			h.ProcessElement(used("acme", "r-1", "model-a", 1, 0), 1)
			h.ProcessElement(used("acme", "r-2", "model-x", 1000, 1000), 2)
			h.ProcessElement(used("acme", "r-3", "model-a", 1, 0), 3)
			refused := harness.SideOutputs(h, operators.Unpriced)
			suite.Equal(t, 1, len(refused), suite.Failure{Says: "side output Unpriced has not exactly the record of model-x", Input: "r-2, model-x"})
			suite.Equal(t, used("acme", "r-2", "model-x", 1000, 1000), refused[0].Value, suite.Failure{Says: "the record in the side output was changed"})
			suite.Equal(t, int64(1), h.Counter("unpriced"), suite.Failure{Says: `counter "unpriced" does not count it`, Input: "r-2, model-x"})
			lines := h.Values()
			suite.Equal(t, 2, len(lines), suite.Failure{Says: "a record without a price has no line on the invoice", Input: "r-2, model-x"})
			suite.Equal(t, "seq 2, total 5000", fmt.Sprintf("seq %d, total %d", lines[1].Seq, lines[1].Total), suite.Failure{
				Says: "the unpriced record changed the tenant's count or total", Input: "r-1 and r-3 cost 2,500 each, r-2 is unpriced",
			})
		})
		suite.Sub(t, "the sum is exact, in any order", func(t *testing.T) {
			const seed, n = 11, 5000
			r := rand.New(rand.NewPCG(seed, 0))
			var records []gateway.RequestRecord
			var want gateway.NanoUSD
			for i := range n {
				prompt, completion := r.Int64N(900_000_000), r.Int64N(900_000_000)
				records = append(records, used("acme", fmt.Sprint("r-", i), "model-a", prompt, completion))
				want += gateway.NanoUSD(2500*prompt + 10000*completion)
			}
			for order := range 2 {
				h := costs(t)
				for _, record := range records {
					h.ProcessElement(record, 1)
				}
				lines := h.Values()
				suite.Equal(t, n, len(lines), suite.Failure{Says: "one line goes out for each record"})
				suite.Equal(t, want, lines[n-1].Total, suite.Failure{
					Says: "the total is off: in nano-USD, sums are exact", Input: fmt.Sprintf("%d large records, seed %d, order %d", n, seed, order),
				})
				r.Shuffle(n, func(i, j int) { records[i], records[j] = records[j], records[i] })
			}
		})
		suite.Sub(t, "totals go on after a restore", func(t *testing.T) {
			h := costs(t)
			h.ProcessElement(used("acme", "r-1", "model-a", 1, 0), 1)
			again := costs(t, harness.From(h.Snapshot()))
			again.ProcessElement(used("acme", "r-2", "model-a", 1, 0), 2)
			for _, line := range again.Values() {
				suite.Equal(t, "seq 2, total 5000", fmt.Sprintf("seq %d, total %d", line.Seq, line.Total), suite.Failure{
					Says: "count and total belong in state, or they start anew", Input: "r-1, snapshot, restore, r-2",
				})
			}
		})
	})
}
