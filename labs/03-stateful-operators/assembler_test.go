package lab03_test

import (
	"fmt"
	"slices"
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

// dropped checks that the trace shows an element that was dropped, and why.
func dropped(t *testing.T, h suite.Traced, reason, input string) {
	t.Helper()
	noted := func(s stream.Step) bool { return s.Kind == stream.Dropped && s.Name == reason }
	if !slices.ContainsFunc(h.Trace(), noted) {
		suite.Wrong(t, suite.Failure{
			Says: fmt.Sprintf("the event is gone and the trace does not say so: whoever looks for it later needs c.Drop(%q, e)", reason), Input: input, Of: h,
		})
	}
}

// Test3a: RequestAssembler (30 min)
func Test3a(t *testing.T) {
	suite.Exercise(t, "3a", func(t *testing.T) {
		play(t, "pairing.txt", pairing)
		suite.Sub(t, "the record carries all of both events", func(t *testing.T) {
			h := assemble(t, started("r-1", 1000, 512), completed("r-1", 2500, 64))
			want := []gateway.RequestRecord{{
				RequestID: "r-1", TenantID: "tenant-1", Model: "model-a", StartedTS: 1000, CompletedTS: 2500,
				LatencyMS: 1500, PromptTokens: 512, CompletionTokens: 64, Status: "ok",
			}}
			suite.Equal(t, want, h.Values(), suite.Failure{
				Says: "the record is not what the two events say", Input: "RequestStarted r-1 at 1000, RequestCompleted r-1 at 2500", Of: h, Key: "r-1",
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
		suite.Sub(t, "what is dropped shows in the trace", func(t *testing.T) {
			dropped(t, assemble(t, completed("r-9", 5000, 1)), "unmatched", "RequestCompleted r-9, which never started")
		})
	})
}
