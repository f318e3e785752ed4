package pipeline

import (
	"fmt"

	"gatewaymeter/engine"
	"gatewaymeter/stream"
)

// Where a job starts to read after a crash.
const (
	FromEarliest   = "earliest"   // without a checkpoint: the start of the log; everything is billed again
	FromLatest     = "latest"     // without a checkpoint: the end of the log at the restart; what came before is lost
	FromCheckpoint = "checkpoint" // from stage 07: state and offsets of the latest complete checkpoint
)

// CrashConfig is one seeded crash of a stage's job.
type CrashConfig struct {
	Stage       int
	Parallelism int
	Partitions  int
	Requests    int
	Seed        uint64
	From        string
	At          *engine.CrashPoint // nil: the seed chooses, among the steps of engine.CrashTable
	Step        string             // a step of engine.CrashTable that the seed is to choose; empty: any
	Crashes     int                // how often the worker dies; 0: once
	Lag         float64            // share of completions that come later than the bound (investigation 7.5)
	TakenBack   bool               // the bill's sinks belong to the checkpoints; see takenBack
	Rescale     []int              // the parallelism of the lives after the first, in turn; nil: the same
	Parts       engine.Parts
	Functions   Functions
	// Store opens the job's folder of checkpoints at each start; nil: lab 07's store on a MemDisk.
	Store func() (stream.CheckpointStore, error)
}

// Money is some lines of the bill, and what they come to.
type Money struct {
	Lines   []string `json:"lines"` // stage 03: request ids; later: tenant and minute. Ascending
	USDNano int64    `json:"usd_nano"`
}

// CrashReport says what a crash did to the bill: a line of `lab crash --json`.
type CrashReport struct {
	Seed         uint64 `json:"seed"`
	From         string `json:"from"`
	At           string `json:"at"` // where the worker died, the last time if it died more often
	Fired        bool   `json:"fired"`
	Survived     Money  `json:"survived"`      // had left the job before the crash
	Recomputed   Money  `json:"recomputed"`    // worked out again, from events that had been read before
	EmittedTwice Money  `json:"emitted_twice"` // written before the crash, and again after it
	NeverBilled  Money  `json:"never_billed"`  // owed, and on no line that stands
	Oracle       string `json:"oracle"`        // match or mismatch, of all lines together

	Point    engine.CrashPoint `json:"-"`
	Barriers bool              `json:"-"` // barriers were in flight
	Events   int               `json:"-"` // messages in the log
	Taken    int               `json:"-"` // checkpoints complete before the crash
	Wrong    string            `json:"-"` // the oracle's first differences
}

// check says what is wrong with the configuration.
func (cfg CrashConfig) check() error {
	saved := cfg.Stage >= 7
	switch {
	case cfg.From == FromCheckpoint && !saved:
		return fmt.Errorf("stage %02d has no checkpoint: it starts again at %q or %q", cfg.Stage, FromEarliest, FromLatest)
	case (cfg.From == FromEarliest || cfg.From == FromLatest) && saved:
		return fmt.Errorf("stage %02d starts again at its %q", cfg.Stage, FromCheckpoint)
	case cfg.From != FromEarliest && cfg.From != FromLatest && cfg.From != FromCheckpoint:
		return fmt.Errorf("from %q: a job starts again at %q, %q or, from stage 07, %q", cfg.From, FromEarliest, FromLatest, FromCheckpoint)
	case cfg.Parallelism < 1 || cfg.Partitions < 1 || cfg.Requests < 1:
		return fmt.Errorf("a crash needs at least one request, partition and subtask, not %d, %d and %d", cfg.Requests, cfg.Partitions, cfg.Parallelism)
	}
	return nil
}

// Crash runs a job in the simulated driver while a seeded producer writes its traffic, kills the
// worker, starts every task again, and lets the job run to the end of the log. What was written before
// stays: the outside world does not crash.
func Crash(cfg CrashConfig) (*CrashReport, error) {
	if err := cfg.check(); err != nil {
		return nil, err
	}
	for attempt := 0; ; attempt++ {
		c := newCrash(cfg, attempt)
		for !c.over {
			if err := c.live(); err != nil {
				return nil, err
			}
		}
		if c.crashes > 0 || cfg.At != nil || attempt == attempts {
			return c.report()
		}
	}
}

// attempts is how often the seed may choose again when the step that it chose did not happen late
// enough in the run.
const attempts = 8
