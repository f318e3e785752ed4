package lab03_test

import (
	"testing"

	"gatewaymeter/engine"
	"gatewaymeter/gateway"
	"gatewaymeter/internal/kit/suite"
	keying "gatewaymeter/labs/02-keying/solution"
	solution "gatewaymeter/labs/03-stateful-operators/solution"
	"gatewaymeter/stream"
)

// groupCount is the number of key groups of all tests here.
const groupCount = 128

// parts is the engine under an operator: our key groups, backend and operator state.
func parts(t *testing.T) engine.Parts {
	t.Helper()
	groups, err := keying.NewGroups(groupCount)
	suite.Harness(t, err)
	return engine.Parts{
		Groups: groups,
		Hash:   keying.HashString,
		Backend: func(s engine.Subtask) (stream.Backend, error) {
			return solution.NewTTL(solution.NewHeap(s.First, s.Last), s.Clock), nil
		},
		Operator:     solution.NewOperatorStore,
		Redistribute: solution.Redistribute,
	}
}

// groupOf is a key's group.
func groupOf(key string) int { return int(uint32(keying.HashString(key)) % groupCount) }

// under makes a key current and says so, for the text of failures.
func under(c *stream.Context, key string) string {
	c.SetKey(groupOf(key), key)
	return `under key "` + key + `"`
}

// on is a context on a backend.
func on(b stream.Backend) *stream.Context { return &stream.Context{Backend: b} }

func byRequest(e gateway.Event) string        { return e.RequestID }
func byTenant(r gateway.RequestRecord) string { return r.TenantID }

func started(id string, ts, prompt int64) gateway.Event {
	return gateway.Event{Type: gateway.RequestStarted, RequestID: id, TenantID: "tenant-1", Model: "model-a", TS: ts, PromptTokens: prompt}
}

func completed(id string, ts, tokens int64) gateway.Event {
	return gateway.Event{Type: gateway.RequestCompleted, RequestID: id, TenantID: "tenant-1", Model: "model-a", TS: ts, CompletionTokens: tokens, LatencyMS: 1500, Status: "ok"}
}
