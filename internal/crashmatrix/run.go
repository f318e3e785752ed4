package crashmatrix

import (
	"errors"
	"fmt"
	"strings"
	"sync"

	"gatewaymeter/engine"
	"gatewaymeter/internal/backends"
	checkpoints "gatewaymeter/labs/07-checkpoints/solution"
	"gatewaymeter/pipeline"
)

// Size of each run: at least 500 messages, and cards enough for alerts.
const (
	Requests = 275
	cards    = 60
	events   = 500
)

// Matrix runs cases. It may be used from several goroutines.
type Matrix struct {
	// Parts is whose code runs; nil: pipeline.Ours.
	Parts func(stage int) (engine.Parts, pipeline.Functions, error)
	// Flags are those that say whose code that is, for the command that repeats a run; empty: none.
	Flags string
	// Disk puts another disk between store and memory, for tests of the matrix; nil: none.
	Disk func(checkpoints.Disk) checkpoints.Disk

	mu   sync.Mutex
	logs map[logID]func() (*pipeline.CrashLog, error)
}

// logID is what the content of a log is a function of.
type logID struct {
	stage, partitions int
	traffic           uint64
}

// Run does the run of a case and says what is wrong with it, with the command that repeats it. The
// report is nil when the run came to no end.
func (m *Matrix) Run(c Case) (*pipeline.CrashReport, error) {
	r, err := m.crash(c)
	if err == nil {
		err = judge(c, r)
	}
	if err != nil {
		err = &Failure{Case: c, Report: r, Flags: m.Flags, Err: err}
	}
	return r, err
}

// Failure is a run that did not go as it must.
type Failure struct {
	Case   Case
	Report *pipeline.CrashReport // nil: it came to no end
	Flags  string                // see Matrix
	Err    error
}

func (f *Failure) Unwrap() error { return f.Err }

func (f *Failure) Error() string {
	where := ""
	if f.Report != nil && f.Report.At != "" {
		where = "; the worker died " + f.Report.At
	}
	again := fmt.Sprintf("go tool lab crash %02d --seed %d %s", f.Case.Stage, f.Case.Seed, f.Flags)
	return fmt.Sprintf("seed %d, %s%s: %v\nrepeat just this run: %s", f.Case.Seed, f.Case, where, f.Err, strings.TrimSpace(again))
}

func (m *Matrix) crash(c Case) (r *pipeline.CrashReport, err error) {
	defer asError(&err)
	ours := m.Parts
	if ours == nil {
		ours = pipeline.Ours
	}
	parts, functions, err := ours(c.Stage)
	if err != nil {
		return nil, err
	}
	remove, err := backends.ForOneRun(&parts, c.Backend)
	if err != nil {
		return nil, err
	}
	defer remove()
	cfg := traffic(c)
	if cfg.Log, err = m.log(c, cfg); err != nil {
		return nil, err
	}
	cfg.Seed, cfg.From, cfg.At = c.Seed, c.From, &c.Point
	cfg.Parallelism, cfg.Rescale = c.Parallelism, []int{c.Restarted, c.Parallelism}
	cfg.Pace, cfg.Buffered, cfg.Retain = 1, c.Buffered, c.Retain
	cfg.Parts, cfg.Functions, cfg.Disk = parts, functions, m.Disk
	switch c.Kind {
	case TwoCrashes:
		cfg.Crashes = 2
	case SlowSubtask, LostAck, FailedWrite, TornWrite:
		cfg.Fault = pipeline.Fault(c.Kind)
	}
	return pipeline.Crash(cfg)
}

// asError makes a panic outside of a task, such as that of a store, the run's error: the other runs go on.
func asError(err *error) {
	switch v := recover().(type) {
	case nil:
	case error:
		*err = fmt.Errorf("panic: %w", v)
	default:
		*err = fmt.Errorf("panic: %v", v)
	}
}

// traffic is what the content of a case's log is a function of.
func traffic(c Case) pipeline.CrashConfig {
	cfg := pipeline.CrashConfig{Stage: c.Stage, Partitions: c.Partitions, Requests: Requests, Cards: cards, Seed: c.Traffic}
	if c.Stage < pipeline.FirstWithCards {
		cfg.Cards = 0
	}
	return cfg
}

// log makes the log of a case, or finds the one that was made for another.
func (m *Matrix) log(c Case, cfg pipeline.CrashConfig) (*pipeline.CrashLog, error) {
	id := logID{c.Stage, c.Partitions, c.Traffic}
	m.mu.Lock()
	made, ok := m.logs[id]
	if !ok {
		made = sync.OnceValues(func() (*pipeline.CrashLog, error) { return pipeline.NewCrashLog(cfg) })
		if m.logs == nil {
			m.logs = map[logID]func() (*pipeline.CrashLog, error){}
		}
		m.logs[id] = made
	}
	m.mu.Unlock()
	return made()
}

// judge says what is wrong with a run that came to its end.
func judge(c Case, r *pipeline.CrashReport) error {
	if !r.Fired {
		return fmt.Errorf("not everything that was to go wrong did: the worker died %d times", len(r.Deaths))
	}
	if r.Events < events {
		return fmt.Errorf("the log holds %d messages, and a run needs %d", r.Events, events)
	}
	for _, d := range r.Deaths {
		if d.Point.What == engine.PointRestore {
			continue // nothing is restored yet: what there was to lose is what the death before says
		}
		if d.Open == 0 || d.Windows == 0 && c.Stage >= 4 || d.Timers == 0 && c.Stage >= 6 || d.Taken == 0 && c.Stage >= 7 {
			return fmt.Errorf("the worker died %s, when there were %d open requests, %d open windows, %d pending timers and %d checkpoints: none of them may be 0",
				d.At, d.Open, d.Windows, d.Timers, d.Taken)
		}
	}
	return bill(c, r)
}

// bill says what is wrong with the bill: from stage 07 on nothing may be; before, what the start of the
// source determines.
func bill(c Case, r *pipeline.CrashReport) error {
	switch {
	case c.From == pipeline.FromCheckpoint && r.Oracle != "match":
		return fmt.Errorf("the oracle disagrees:\n%s", r.Wrong)
	case c.From != pipeline.FromLatest && len(r.NeverBilled.Lines) > 0:
		return fmt.Errorf("never billed: %v", r.NeverBilled.Lines)
	case c.From == pipeline.FromEarliest && r.Alone != "":
		return fmt.Errorf("what was read from the start again, by itself, is not right:\n%s", r.Alone)
	case c.From == pipeline.FromLatest && len(r.EmittedTwice.Lines) > 0:
		return errors.New("a line was written twice, although nothing was read twice")
	}
	return nil
}
