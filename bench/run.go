package bench

import (
	"context"
	"fmt"
	"os"
	"time"

	"gatewaymeter/bench/work"
	"gatewaymeter/engine"
)

// Result is what a run came to, as `lab bench --json` prints it.
type Result struct {
	N         int64   `json:"n"`
	Events    int64   `json:"events"`
	PerSecond int64   `json:"events_per_s"`
	Seconds   float64 `json:"seconds"` // from the first event to the end of input in the last sink
	OutA      int64   `json:"outA"`
	OutB      int64   `json:"outB"`
	SumNano   int64   `json:"sum_nano"`
	Check     string  `json:"check"`
	Open      int64   `json:"open"`
	SeqA      int64   `json:"seq_a"`
	RSS       int64   `json:"rss_bytes"` // the process's largest so far

	Checkpoints *Checkpoints `json:"checkpoints,omitempty"` // where they were taken

	outcome work.Outcome
}

// Verify says what of the result is wrong: see work.Outcome.
func (r *Result) Verify() error { return r.outcome.Verify() }

// Run runs the work once, on the live driver, to the end of its input.
func Run(ctx context.Context, c Config) (*Result, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	c, remove, err := c.withDir(c.Backend == Pebble || c.Checkpoint > 0)
	if err != nil {
		return nil, err
	}
	defer remove()
	p := &probe{}
	j, err := c.build(p)
	if err != nil {
		return nil, err
	}
	options, taken, err := c.options()
	if err != nil {
		return nil, err
	}
	ended, err := j.Run(ctx, options)
	if err != nil {
		return nil, err
	}
	r := newResult(work.Outcome{
		Stage: c.Stage, Requests: c.Requests, Seed: c.Seed, Events: p.events,
		Open: int64(ended.Entries["assemble/open"]), Timers: int64(ended.Timers), Sums: withUnmatched(p.sums, ended),
	}, p.end.Sub(p.start))
	r.Checkpoints = taken
	return r, nil
}

// withDir gives a run that needs one a folder of its own in Dir, which remove deletes.
func (c Config) withDir(needed bool) (_ Config, remove func(), err error) {
	if !needed {
		return c, func() {}, nil
	}
	if c.Dir, err = os.MkdirTemp(c.Dir, "lab-bench-"); err != nil {
		return c, nil, fmt.Errorf("a folder for the run's files: %w", err)
	}
	dir := c.Dir
	return c, func() { _ = os.RemoveAll(dir) }, nil
}

func withUnmatched(s work.Sums, r *engine.Result) work.Sums {
	s.Unmatched = r.Counters["assemble/unmatched"]
	return s
}

// newResult is an outcome with its speed.
func newResult(o work.Outcome, took time.Duration) *Result {
	return &Result{
		N: o.Requests, Events: o.Events, Seconds: took.Seconds(),
		PerSecond: int64(float64(o.Events) / took.Seconds()),
		OutA:      o.Sums.OutA, OutB: o.Sums.OutB, SumNano: o.Sums.SumA, Check: o.Sums.Check(),
		Open: o.Open, SeqA: o.Sums.SeqA, RSS: residentBytes(), outcome: o,
	}
}
