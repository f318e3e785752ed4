package keying

import (
	"fmt"

	"gatewaymeter/gateway"
	"gatewaymeter/stream"
)

// SaltTest is investigation 2.1: a test of the key by which events go to the operator that pairs them.
//
// t must fail if keyOf can send the two events of one request to different keys, or two requests to one
// key: the operator remembers one open request a key. It must not fail for the request id, nor for any
// other text that stands for it one to one. Choose the events that it tries; events of one request
// differ in type, time and payload, and a salt may hang on any of them, or on chance.
func SaltTest(t stream.TestingT, keyOf func(gateway.Event) string) {
	//lab:begin 2.1
	t.Helper()
	owner := map[string]string{} // request by key
	for i := range 100 {
		request := fmt.Sprintf("req-%d", i)
		started := gateway.Event{
			Type: gateway.RequestStarted, RequestID: request, TenantID: "tenant-1", Model: "model-a",
			TS: 1000 + int64(i), PromptTokens: 10 + int64(i),
		}
		completed := gateway.Event{
			Type: gateway.RequestCompleted, RequestID: request, TenantID: "tenant-1", Model: "model-a",
			TS: 61_000 + 7*int64(i), CompletionTokens: 20, LatencyMS: 60_000, Status: "ok",
		}
		key := keyOf(started)
		if other := keyOf(completed); other != key {
			t.Errorf("request %s starts under key %q and completes under key %q: it is never paired", request, key, other)
			t.FailNow()
		}
		if other, taken := owner[key]; taken {
			t.Errorf("requests %s and %s share key %q: one overwrites the other", other, request, key)
			t.FailNow()
		}
		owner[key] = request
	}
	//lab:end
}

// Move is a key group that changes its subtask.
type Move struct{ Group, From, To int }

// Moving is investigation 2.2: the key groups, of max, that change their subtask when an operator goes
// from one parallelism to another, by ascending group. Their state has to travel; all other groups stay
// where they are.
func Moving(max, from, to int) []Move {
	//lab:begin 2.2
	var moves []Move
	for group := range max {
		before, after := Owner(group, from, max), Owner(group, to, max)
		if before != after {
			moves = append(moves, Move{Group: group, From: before, To: after})
		}
	}
	return moves
	//lab:end
}
