package replay

import (
	"slices"

	"gatewaymeter/generator"
)

// Traffic says what to generate, and in which order.
type Traffic struct {
	Requests   int
	Seed       uint64
	Tenants    int
	Lag        float64 // share of requests whose completion lags above the bound
	Duplicates float64 // share of events that come twice
	Shuffled   bool    // another order between requests, by the same seed
}

// DefaultTraffic is the traffic of `lab run`.
func DefaultTraffic(requests int, seed uint64) Traffic {
	p := generator.Default(requests, seed)
	return Traffic{Requests: requests, Seed: seed, Tenants: p.Tenants, Duplicates: p.DuplicateStarted}
}

// Params are the generator's parameters of the traffic.
func (t Traffic) Params() generator.Params {
	p := generator.Default(t.Requests, t.Seed)
	p.Tenants, p.LagAboveBound = t.Tenants, t.Lag
	p.DuplicateStarted, p.DuplicateCompleted = t.Duplicates, t.Duplicates
	return p
}

// Messages makes the messages, and the truth about them. It panics if Params are invalid.
func (t Traffic) Messages() ([]generator.Message, generator.Counts) {
	p := t.Params()
	g := generator.New(p)
	messages := slices.Collect(g.All())
	if t.Shuffled {
		messages = generator.Shuffle(messages, t.Seed, p.Bound)
	}
	return messages, g.Counts()
}
