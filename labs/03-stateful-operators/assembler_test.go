package lab03_test

import (
	"fmt"
	"testing"

	"gatewaymeter/gateway"
	"gatewaymeter/harness"
	"gatewaymeter/internal/kit/suite"
	operators "gatewaymeter/labs/03-stateful-operators/starter"
	"gatewaymeter/stream"
)

type assembly = harness.Keyed[gateway.Event, gateway.RequestRecord]

// assemble drives an assembler over events.
func assemble(t *testing.T, events ...gateway.Event) *assembly {
	t.Helper()
	h := harness.NewKeyed(t, parts(t), byRequest, operators.NewAssembler(), harness.WithTrace())
	feed(h, events...)
	return h
}

func feed(h *assembly, events ...gateway.Event) {
	for _, e := range events {
		h.ProcessElement(e, stream.Time(e.TS))
	}
}

// steps is the trace, for a failure's text.
func steps(trace []stream.Step) (lines []string) {
	for _, s := range trace {
		lines = append(lines, s.String())
	}
	return lines
}

// Test3a: RequestAssembler (30 min)
func Test3a(t *testing.T) {
	suite.Exercise(t, "3a", func(t *testing.T) {
		suite.Sub(t, "the two events of a request become one record", func(t *testing.T) {
			h := assemble(t, started("r-1", 1000, 512), completed("r-1", 2500, 64))
			want := []gateway.RequestRecord{{
				RequestID: "r-1", TenantID: "tenant-1", Model: "model-a", StartedTS: 1000, CompletedTS: 2500,
				LatencyMS: 1500, PromptTokens: 512, CompletionTokens: 64, Status: "ok",
			}}
			suite.Equal(t, want, h.Values(), suite.Failure{
				Says: "the record is not what the two events say", Input: "RequestStarted r-1 at 1000, RequestCompleted r-1 at 2500", Trace: steps(h.Trace()),
			})
		})
		suite.Sub(t, "tenant, model and prompt are the start's", func(t *testing.T) {
			end := completed("r-1", 2500, 64)
			end.TenantID, end.Model = "tenant-of-the-end", "model-of-the-end"
			h := assemble(t, started("r-1", 1000, 512), end)
			for _, r := range h.Values() {
				suite.Equal(t, "tenant-1 model-a 512", fmt.Sprint(r.TenantID, " ", r.Model, " ", r.PromptTokens), suite.Failure{
					Says: "who pays for what is settled when a request starts", Input: "a completion that names another tenant and model",
				})
			}
		})
		suite.Sub(t, "requests that overlap do not mix", func(t *testing.T) {
			h := assemble(t, started("r-1", 1, 10), started("r-2", 2, 20), completed("r-1", 3, 1), completed("r-2", 4, 2))
			var got []string
			for _, r := range h.Values() {
				got = append(got, fmt.Sprintf("%s %d+%d", r.RequestID, r.PromptTokens, r.CompletionTokens))
			}
			suite.Equal(t, []string{"r-1 10+1", "r-2 20+2"}, got, suite.Failure{
				Says: "a request was paired with another one's start", Input: "start r-1, start r-2, end r-1, end r-2", Trace: steps(h.Trace()),
			})
		})
		suite.Sub(t, "open requests have an entry each, completed ones none", func(t *testing.T) {
			h := assemble(t, started("r-1", 1, 10), started("r-2", 2, 20), started("r-3", 3, 30))
			suite.Equal(t, 3, h.Entries("open"), suite.Failure{Says: `state "open" has not one entry for each open request`, Input: "three starts"})
			feed(h, completed("r-2", 4, 1))
			suite.Equal(t, 2, h.Entries("open"), suite.Failure{
				Says: `state "open" still has an entry for a completed request, or lost another`, Input: "RequestCompleted r-2", Trace: steps(h.Trace()),
			})
		})
		suite.Sub(t, "a completion without a start is dropped and counted", func(t *testing.T) {
			h := assemble(t, completed("r-9", 5, 1))
			suite.Equal(t, 0, len(h.Values()), suite.Failure{Says: "a record came out of a completion alone", Input: "RequestCompleted r-9, never started"})
			suite.Equal(t, int64(1), h.Counter("unmatched"), suite.Failure{Says: `counter "unmatched" does not count it`, Input: "RequestCompleted r-9, never started"})
			suite.Equal(t, 0, h.Entries("open"), suite.Failure{Says: "it left something behind", Input: "RequestCompleted r-9, never started"})
		})
		suite.Sub(t, "a second completion is unmatched", func(t *testing.T) {
			h := assemble(t, started("r-1", 1, 10), completed("r-1", 2, 1), completed("r-1", 3, 1))
			suite.Equal(t, "1 record, 1 unmatched", fmt.Sprintf("%d record, %d unmatched", len(h.Values()), h.Counter("unmatched")), suite.Failure{
				Says: "a completed request is not open any more", Input: "start, end, end of r-1", Trace: steps(h.Trace()),
			})
		})
		suite.Sub(t, "a second start replaces the first", func(t *testing.T) {
			h := assemble(t, started("r-1", 1, 10), started("r-1", 2, 99), completed("r-1", 3, 1))
			for _, r := range h.Values() {
				suite.Equal(t, "started 2, prompt 99", fmt.Sprintf("started %d, prompt %d", r.StartedTS, r.PromptTokens), suite.Failure{
					Says: "the later start counts", Input: "start r-1 at 1 with 10 tokens, again at 2 with 99", Trace: steps(h.Trace()),
				})
			}
		})
		suite.Sub(t, "what is open survives a snapshot", func(t *testing.T) {
			h := assemble(t, started("r-1", 1, 10), completed("r-8", 2, 1))
			again := harness.NewKeyed(t, parts(t), byRequest, operators.NewAssembler(), harness.From(h.Snapshot()))
			feed(again, completed("r-1", 3, 1))
			suite.Equal(t, 1, len(again.Values()), suite.Failure{
				Says:  "after a restore the open request is gone: what is not state does not survive",
				Input: "start r-1, snapshot, restore, end r-1",
			})
			suite.Equal(t, int64(1), again.Counter("unmatched"), suite.Failure{Says: "the count of unmatched completions did not survive the restore"})
		})
	})
}
