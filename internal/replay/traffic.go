package replay

import (
	"fmt"
	"slices"
	"time"

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
	Dense      bool    // so many anomalies that a few requests have them all
}

// DefaultTraffic is the traffic of `lab run`.
func DefaultTraffic(requests int, seed uint64) Traffic {
	p := generator.Default(requests, seed)
	return Traffic{Requests: requests, Seed: seed, Tenants: p.Tenants, Duplicates: p.DuplicateStarted}
}

// DenseTraffic is short: a run over it takes a millisecond or two, and still has something to get wrong at
// every turn.
func DenseTraffic(seed uint64, lag bool) Traffic {
	t := Traffic{Requests: 24, Seed: seed, Tenants: 3, Duplicates: 0.2, Dense: true}
	if lag {
		t.Lag = 0.1
	}
	return t
}

// Params are the generator's parameters of the traffic.
func (t Traffic) Params() generator.Params {
	p := generator.Default(t.Requests, t.Seed)
	p.Tenants, p.LagAboveBound = t.Tenants, t.Lag
	p.DuplicateStarted, p.DuplicateCompleted = t.Duplicates, t.Duplicates
	if t.Dense {
		p.Span = time.Duration(t.Requests) * 15 * time.Second
		p.Disorder, p.Malformed, p.UnknownModel = 0.5, 0.1, 0.1
		p.NeverCompleted, p.NeverStarted, p.Reversed, p.Long = 0.1, 0.05, 0.1, 0.1
	}
	return p
}

// Messages makes the messages, and the truth about them. It panics if Params are invalid.
func (t Traffic) Messages() ([]generator.Message, generator.Counts) {
	messages, counts, _ := t.MessagesUntil(func() error { return nil })
	return messages, counts
}

// MessagesUntil is Messages until stop, which is asked now and then, has an error: then that is all.
func (t Traffic) MessagesUntil(stop func() error) ([]generator.Message, generator.Counts, error) {
	p := t.Params()
	g := generator.New(p)
	messages := slices.Collect(generator.Until(stop, g.All()))
	if err := stop(); err != nil {
		return nil, generator.Counts{}, err
	}
	if t.Shuffled {
		messages = generator.Shuffle(messages, t.Seed, p.Bound)
	}
	return messages, g.Counts(), nil
}

// Reduce is the command that runs a job over this traffic in the simulated driver, beginning with the
// job's schedule, and shrinks what fails. It keeps what is left as a timeline.
func (t Traffic) Reduce(j Job) string {
	s := fmt.Sprintf("go tool lab reduce --stage %02d --parallelism %d --partitions %d --backend %s --schedule %d --seed %d --requests %d --tenants %d --duplicates %g",
		j.Stage, j.Parallelism, j.Partitions, j.Backend, j.Schedule, t.Seed, t.Requests, t.Tenants, t.Duplicates)
	if t.Lag > 0 {
		s += fmt.Sprintf(" --lag-above-bound %g", t.Lag)
	}
	if t.Shuffled {
		s += " --shuffle"
	}
	if t.Dense {
		s += " --dense"
	}
	return s
}
