package bench

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"slices"

	"gatewaymeter/bench/limit"
)

// What the engine can be compared with.
const (
	Limit         = "limit"          // the loop written by hand
	NoCheckpoints = "no-checkpoints" // itself, without checkpoints
)

// Comparison is what the engine and the other side came to, run in turn: medians, and their ratio. On a
// machine that does other things too, it is all that says anything.
type Comparison struct {
	With        string  `json:"compared_with"`
	Stage       int     `json:"stage"`
	N           int64   `json:"n"`
	Parallelism int     `json:"parallelism"`
	Backend     string  `json:"backend"`
	Rounds      int     `json:"rounds"`
	Ours        int64   `json:"events_per_s"`
	Other       int64   `json:"other_events_per_s"`
	Ratio       float64 `json:"ratio"`
}

// Compare runs rounds of both. each is told of every round, right or wrong: its error ends the
// comparison.
func Compare(ctx context.Context, c Config, with string, rounds int, each func(round int, ours, other *Result) error) (*Comparison, error) {
	var ours, others []int64
	for round := range rounds {
		runtime.GC() // neither may pay for what the other left
		other, err := c.other(ctx, with)
		if err != nil {
			return nil, err
		}
		runtime.GC()
		our, err := Run(ctx, c)
		if err != nil {
			return nil, err
		}
		if err := each(round+1, our, other); err != nil {
			return nil, err
		}
		ours, others = append(ours, our.PerSecond), append(others, other.PerSecond)
	}
	m := &Comparison{With: with, Stage: int(c.Stage), N: c.Requests, Parallelism: c.Parallelism, Backend: c.Backend, Rounds: rounds,
		Ours: median(ours), Other: median(others)}
	m.Ratio = float64(m.Ours) / float64(m.Other)
	return m, nil
}

// other runs the other side.
func (c Config) other(ctx context.Context, with string) (*Result, error) {
	switch with {
	case Limit:
		return newResult(limit.Loop(c.Stage, c.Requests, c.Seed)), nil
	case NoCheckpoints:
		c.Checkpoint = 0
		return Run(ctx, c)
	}
	return nil, fmt.Errorf("there is nothing to compare with by the name of %q: it is %s or %s", with, Limit, NoCheckpoints)
}

// median is the middle value, the lower one of two.
func median[T cmp.Ordered](of []T) T {
	slices.Sort(of)
	return of[(len(of)-1)/2]
}
