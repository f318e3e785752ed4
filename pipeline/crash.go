package pipeline

import (
	"errors"
	"fmt"
	"slices"

	"gatewaymeter/engine"
	checkpoints "gatewaymeter/labs/07-checkpoints/solution"
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
	Rescale     []int // the parallelism of the lives after the first, in turn; nil: the same
	Partitions  int
	Requests    int
	Cards       int     // transactions of the second branch, from stage 06 on; 0: the job has none
	Lag         float64 // share of completions that come later than the bound (investigation 7.5)
	Seed        uint64
	From        string
	// At is where the worker dies. Without an N it is the first such step, at any operator, once there is
	// something to lose. A restore is that of the second life; the first one ends where the seed says.
	// Nil: the seed chooses, among the steps of engine.CrashTable.
	At       *engine.CrashPoint
	Crashes  int   // how often the worker dies; 0: once
	Fault    Fault // what else goes wrong
	Pace     int   // messages that are written a step of the schedule, at most; 0: three, one with more crashes
	Buffered bool  // the sinks write when they are flushed, not at once
	// TakenBack says that the bill's sinks belong to the checkpoints; see takenBack.
	TakenBack bool
	Parts     engine.Parts
	Functions Functions
	// Watch is told of each life, and Trace of each step of its operators. They must not change what they
	// see. Nil: nobody watches.
	Watch func(LifeEvent, Life)
	Trace func(stream.Step)
	// Stop is asked while the traffic is judged and before each step of the schedule; its error ends the run.
	// Nil: nobody asks.
	Stop func() error
	// Log is the traffic, for runs that share it; nil: that of Requests, Cards, Lag and Seed.
	Log *CrashLog
	// Store opens the job's folder of checkpoints at each start; nil: lab 07's store, which retains
	// Retain checkpoints (0: two), on a disk in memory. Disk puts a disk of the test's between the two.
	Store  func() (stream.CheckpointStore, error)
	Retain int
	Disk   func(checkpoints.Disk) checkpoints.Disk
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
	Fault        Fault  `json:"-"`
	At           string `json:"at"`            // where the worker died, the last time if it died more often
	Fired        bool   `json:"fired"`         // everything that was to go wrong did
	Survived     Money  `json:"survived"`      // had left the job before the crash
	Recomputed   Money  `json:"recomputed"`    // worked out again, from events that had been read before
	EmittedTwice Money  `json:"emitted_twice"` // written before the crash, and again after it
	NeverBilled  Money  `json:"never_billed"`  // owed, and on no line that stands
	Oracle       string `json:"oracle"`        // match or mismatch, of all lines together

	Deaths   []Death `json:"-"`
	Repeated int     `json:"-"` // lines of any output that say what an earlier one had said
	Aborted  int     `json:"-"` // checkpoints that were given up
	Events   int     `json:"-"` // messages in the log of events
	Wrong    string  `json:"-"` // the oracle's first differences
	Alone    string  `json:"-"` // those of the last life's output by itself
}

// Death is how one life of the job ended, and what there was to lose.
type Death struct {
	At       string            // the crash point, or what else ended it
	Point    engine.CrashPoint // zero: it died at no point of the table
	Barriers bool              // barriers were in flight
	Taken    int               // checkpoints that this life had completed
	Open     int               // open requests
	Windows  int               // open windows
	Timers   int               // pending timers of open requests
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
	case slices.Min(append(cfg.Rescale, cfg.Parallelism)) < 1 || cfg.Partitions < 1 || cfg.Requests < 1:
		return fmt.Errorf("a crash needs at least one request, partition and subtask, not %d, %d and %d", cfg.Requests, cfg.Partitions, slices.Min(append(cfg.Rescale, cfg.Parallelism)))
	case cfg.Buffered && cfg.TakenBack:
		return errors.New("a sink whose lines belong to the checkpoints keeps them itself: it cannot be buffered")
	case cfg.Cards > 0 && cfg.Stage < 6:
		return fmt.Errorf("stage %02d has no velocity check, so it reads no cards", cfg.Stage)
	}
	return cfg.Fault.check(cfg)
}

// Crash runs a job in the simulated driver while a seeded producer writes its traffic, kills the
// worker, starts every task again, and lets the job run to the end of the log. What was written before
// stays: the outside world does not crash.
func Crash(cfg CrashConfig) (*CrashReport, error) {
	if err := cfg.check(); err != nil {
		return nil, err
	}
	if cfg.Log == nil {
		var err error
		if cfg.Log, err = NewCrashLog(cfg); err != nil {
			return nil, err
		}
	} else if err := cfg.Log.fits(cfg); err != nil {
		return nil, err
	}
	for attempt := 0; ; attempt++ {
		c := newCrash(cfg, attempt)
		for !c.over {
			if err := c.live(); err != nil {
				return nil, err
			}
		}
		if c.fired() || c.named() || attempt == attempts {
			return c.report()
		}
	}
}

// attempts is how often the seed may choose again when the step that it chose did not happen late
// enough in the run.
const attempts = 8

// named reports whether the crash has a certain place, so that another attempt is the same again.
func (cfg CrashConfig) named() bool { return cfg.At != nil && cfg.At.N > 0 && cfg.Fault == "" }
