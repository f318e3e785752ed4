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
		play(t, "total.txt", totalling)
		suite.Sub(t, "the record of an unknown model goes to the side output as it came", func(t *testing.T) {
			h := costs(t, harness.WithTrace())
			record := used("acme", "r-2", "model-x", 1000, 1000)
			h.ProcessElement(record, 2)
			refused := harness.SideOutputs(h, operators.Unpriced)
			suite.Equal(t, 1, len(refused), suite.Failure{Says: "side output Unpriced has not exactly the record of model-x", Input: "r-2, model-x", Of: h, Key: "acme"})
			suite.Equal(t, record, refused[0].Value, suite.Failure{Says: "the record in the side output was changed", Input: "r-2, model-x", Of: h, Key: "acme"})
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
	})
}
