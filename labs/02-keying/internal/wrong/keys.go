// Package wrong holds keys by which a request's events are not paired, for the students' own test
// (investigation 2.1), and some that are right, to show that a test asks for no more than it may.
package wrong

import (
	"fmt"
	"math/rand/v2"

	"gatewaymeter/gateway"
)

// Key is a way to choose an event's key.
type Key struct {
	Name  string
	Of    func(gateway.Event) string
	Right bool
}

// Keys are those that a student's test must tell apart. Some have state, so take new ones for each test.
func Keys() []Key {
	chance := rand.New(rand.NewPCG(1, 2))
	calls := 0
	return []Key{
		{"the request id", func(e gateway.Event) string { return e.RequestID }, true},
		{"the request id behind a word", func(e gateway.Event) string { return "request/" + e.RequestID }, true},
		{"tenant and request id", func(e gateway.Event) string { return e.TenantID + "/" + e.RequestID }, true},
		{"salted by chance", func(e gateway.Event) string { return fmt.Sprintf("%s#%d", e.RequestID, chance.IntN(1_000_000)) }, false},
		{"salted by a counter", func(e gateway.Event) string { calls++; return fmt.Sprintf("%s#%d", e.RequestID, calls%8) }, false},
		{"salted by event type", func(e gateway.Event) string { return e.RequestID + "/" + string(e.Type) }, false},
		{"salted by the second of ts", func(e gateway.Event) string { return fmt.Sprintf("%s@%d", e.RequestID, e.TS/1000) }, false},
		{"salted by tokens", func(e gateway.Event) string { return fmt.Sprintf("%s+%d", e.RequestID, e.PromptTokens) }, false},
		{"the tenant", func(e gateway.Event) string { return e.TenantID }, false},
		{"one key for all", func(gateway.Event) string { return "" }, false},
	}
}
