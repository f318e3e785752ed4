package lab04_test

import (
	"fmt"
	"testing"

	"gatewaymeter/gateway"
	"gatewaymeter/internal/kit/suite"
	windows "gatewaymeter/labs/04-windows/starter"
	"gatewaymeter/stream"
)

func record(tenant, model string, prompt, completion int64) gateway.RequestRecord {
	return gateway.RequestRecord{RequestID: "r-1", TenantID: tenant, Model: model, PromptTokens: prompt, CompletionTokens: completion, Status: "ok"}
}

// collected is a collector for one-off calls.
type collected []gateway.TenantWindow

func (c *collected) Collect(line gateway.TenantWindow) { *c = append(*c, line) }

// Test4c: TenantCost as an AggregateFunction (20 min)
func Test4c(t *testing.T) {
	suite.Exercise(t, "4c", func(t *testing.T) {
		cost := windows.TenantCost{Prices: gateway.ListPrices()}
		suite.Sub(t, "the bill of no records is empty", func(t *testing.T) {
			suite.Equal(t, windows.Bill{}, cost.Create(), suite.Failure{Says: "a new bill is not empty", Input: "Create()"})
		})
		suite.Sub(t, "prompt and completion have prices of their own", func(t *testing.T) {
			for _, c := range []struct {
				model              string
				prompt, completion int64
				want               gateway.NanoUSD
			}{{"model-a", 1000, 0, 2_500_000}, {"model-a", 0, 1000, 10_000_000}, {"model-b", 1000, 1000, 2_000_000}} {
				bill := cost.Create()
				cost.Add(&bill, record("t-1", c.model, c.prompt, c.completion))
				suite.Equal(t, windows.Bill{Requests: 1, Sum: c.want}, bill, suite.Failure{
					Says: "a request costs its prompt tokens at the input price and its completion tokens at the output price", Input: c.model,
				})
			}
		})
		suite.Sub(t, "a bill is exact, whatever the number of tokens", func(t *testing.T) {
			var bill windows.Bill
			for tokens := range int64(2000) {
				before := bill
				cost.Add(&bill, record("t-1", "model-a", tokens, 3*tokens))
				suite.Equal(t, gateway.NanoUSD(tokens*2500+3*tokens*10_000), bill.Sum-before.Sum, suite.Failure{
					Says:  "a record costs something else than tokens times the price of a token: money is counted in whole nano-USD, never in fractions of a dollar",
					Input: fmt.Sprintf("model-a, %d prompt tokens, %d completion tokens", tokens, 3*tokens),
				})
			}
		})
		suite.Sub(t, "the prices are those of the aggregate's table", func(t *testing.T) {
			sale := windows.TenantCost{Prices: gateway.Prices{"model-a": {Input: 7, Output: 11}}}
			bill := sale.Create()
			sale.Add(&bill, record("t-1", "model-a", 100, 10))
			suite.Equal(t, windows.Bill{Requests: 1, Sum: 810}, bill, suite.Failure{
				Says: "the record was not priced by the table that TenantCost was given", Input: "model-a at 7 and 11 nano-USD, 100 prompt tokens, 10 completion tokens",
			})
		})
		suite.Sub(t, "records add up, whatever their status", func(t *testing.T) {
			bill := cost.Create()
			failed := record("t-1", "model-a", 10, 5)
			failed.Status = "error"
			cost.Add(&bill, record("t-1", "model-a", 10, 5))
			cost.Add(&bill, failed)
			suite.Equal(t, windows.Bill{Requests: 2, Sum: 150_000}, bill, suite.Failure{
				Says: "a request that ended in an error is billed for the tokens that it used", Input: "two records of 75,000 nano-USD, one of them an error",
			})
		})
		suite.Sub(t, "asking for the result changes nothing", func(t *testing.T) {
			bill := cost.Create()
			cost.Add(&bill, record("t-1", "model-b", 2, 0))
			want := gateway.TenantWindow{Requests: 1, Sum: 1000}
			for range 2 { // a window fires again when a late record corrects it
				suite.Equal(t, want, cost.Result(bill), suite.Failure{Says: "the result is the bill's requests and sum, each time it is asked for", Input: "Result, twice"})
			}
			cost.Add(&bill, record("t-1", "model-b", 2, 0))
			suite.Equal(t, gateway.TenantWindow{Requests: 2, Sum: 2000}, cost.Result(bill), suite.Failure{
				Says: "a firing is cumulative: the second result holds the first record too", Input: "Add, Result, Add, Result",
			})
		})
		suite.Sub(t, "two bills become one", func(t *testing.T) {
			a, b := windows.Bill{Requests: 2, Sum: 700}, windows.Bill{Requests: 3, Sum: 40}
			cost.Merge(&a, b)
			suite.Equal(t, windows.Bill{Requests: 5, Sum: 740}, a, suite.Failure{Says: "a merged bill is not both bills together", Input: "Merge of 2 requests for 700 and 3 for 40"})
			suite.Equal(t, windows.Bill{Requests: 3, Sum: 40}, b, suite.Failure{Says: "Merge changed the other bill", Input: "Merge"})
		})
		suite.Sub(t, "the line has its tenant and its window", func(t *testing.T) {
			var out collected
			windows.InvoiceLine(nil, stream.Window{Start: 60_000, End: 120_000}, "t-9", gateway.TenantWindow{Requests: 5, Sum: 740}, &out)
			suite.Equal(t, collected{{TenantID: "t-9", Start: 60_000, End: 120_000, Requests: 5, Sum: 740}}, out, suite.Failure{
				Says: "the line must name the key as its tenant and the window's bounds, and keep requests and sum", Input: `window [1m, 2m), key "t-9"`,
			})
		})
	})
}
