package bench

import (
	"context"
	"runtime"
	"slices"

	"gatewaymeter/bench/limit"
)

// Comparison is what the engine and the hand-written loop came to, run in turn: medians, and their
// ratio. On a machine that does other things too, it is all that says anything.
type Comparison struct {
	Stage       int     `json:"stage"`
	N           int64   `json:"n"`
	Parallelism int     `json:"parallelism"`
	Backend     string  `json:"backend"`
	Rounds      int     `json:"rounds"`
	Ours        int64   `json:"events_per_s"`
	Limit       int64   `json:"limit_events_per_s"`
	Ratio       float64 `json:"ratio"`
}

// Compare runs rounds of both. each is told of every round, right or wrong: its error ends the
// comparison.
func Compare(ctx context.Context, c Config, rounds int, each func(round int, ours, loop *Result) error) (*Comparison, error) {
	var ours, loops []int64
	for round := range rounds {
		runtime.GC() // neither may pay for what the other left
		loop := newResult(limit.Loop(c.Stage, c.Requests, c.Seed))
		runtime.GC()
		our, err := Run(ctx, c)
		if err != nil {
			return nil, err
		}
		if err := each(round+1, our, loop); err != nil {
			return nil, err
		}
		ours, loops = append(ours, our.PerSecond), append(loops, loop.PerSecond)
	}
	m := &Comparison{Stage: int(c.Stage), N: c.Requests, Parallelism: c.Parallelism, Backend: c.Backend, Rounds: rounds,
		Ours: median(ours), Limit: median(loops)}
	m.Ratio = float64(m.Ours) / float64(m.Limit)
	return m, nil
}

// median is the middle value, the lower one of two.
func median(of []int64) int64 {
	slices.Sort(of)
	return of[(len(of)-1)/2]
}
