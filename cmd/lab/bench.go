package main

import (
	"errors"
	"fmt"
	"os"
	"runtime/pprof"
	"time"

	"github.com/spf13/cobra"

	"gatewaymeter/bench"
	"gatewaymeter/bench/work"
	"gatewaymeter/internal/scratch"
)

func init() { register(newBenchCommand) }

// benchFlags are what `lab bench` is called with.
type benchFlags struct {
	bench.Config
	stage      int
	compare    string
	rounds     int
	state      bool
	changed    percent
	json       bool
	cpuprofile string
}

func newBenchCommand() *cobra.Command {
	var f benchFlags
	cmd := &cobra.Command{
		Use:     "bench",
		GroupID: groupRun,
		Short:   "Measure the engine on work whose result is known",
		Long: "Runs the work of bench/WORK.md, with a stage's solutions, on the same graph and driver as `lab run`,\n" +
			"without Kafka, and checks what comes out. Exits with 1 if that is wrong.\n\n" +
			"--compare limit runs a loop written by hand in turn with the engine, and gives the medians and their\n" +
			"ratio: compare nothing else between machines. --compare no-checkpoints does the same with the engine\n" +
			"without checkpoints. --state opens requests that nobody completes, takes a checkpoint, changes some,\n" +
			"takes another and starts anew from it: what a request costs in memory, on disk and in a checkpoint,\n" +
			"and what each of these takes. docs/performance.md has figures.",
		Example: "  go tool lab bench --stage 03 --requests 100000\n  go tool lab bench --compare limit --rounds 5\n" +
			"  go tool lab bench --requests 20000000 --checkpoint 1s --compare no-checkpoints\n" +
			"  go tool lab bench --state --backend pebble --changed 1% --rounds 5",
		Args: args(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	flags := cmd.Flags()
	flags.Int64Var(&f.Requests, "requests", 1_000_000, "requests to generate")
	flags.Uint64Var(&f.Seed, "seed", work.DefaultSeed, "seed of the requests; WORK.md has results for 42")
	flags.IntVar(&f.Parallelism, "parallelism", 1, "subtasks of each keyed operator")
	flags.StringVar(&f.Backend, "backend", bench.Heap, "where state lives: heap or pebble")
	f.stage = int(work.Full)
	flags.Var((*stageValue)(&f.stage), "stage", "03 (no timers, no windows) or 06")
	flags.Var((*pauseValue)(&f.Checkpoint), "checkpoint", "off, or the pause between two checkpoints, such as 1s (stage 06)")
	flags.StringVar(&f.compare, "compare", "", "run the other side in turn with the engine: limit (the hand-written loop) or no-checkpoints")
	flags.IntVar(&f.rounds, "rounds", 5, "rounds of --compare; of --state one, unless this asks for more")
	flags.BoolVar(&f.state, "state", false, "measure what an open request costs instead")
	f.changed = percent(bench.DefaultChanged)
	flags.Var(&f.changed, "changed", "how many of the open requests change between the two checkpoints of --state")
	flags.BoolVar(&f.json, "json", false, "JSON, and nothing else, on stdout")
	flags.StringVar(&f.cpuprofile, "cpuprofile", "", "write a CPU profile to this file, for go tool pprof")
	return cmd
}

func (f *benchFlags) run(cmd *cobra.Command) error {
	f.Stage, f.Changed = work.Stage(f.stage), float64(f.changed)
	given := cmd.Flags().Changed
	if f.state && !given("rounds") {
		f.rounds = 1
	}
	switch {
	case f.Requests < 1:
		return fmt.Errorf("--requests %d: ask for at least 1", f.Requests)
	case checkParallelism(f.Parallelism) != nil:
		return checkParallelism(f.Parallelism)
	case f.Backend != bench.Heap && f.Backend != bench.Pebble:
		return fmt.Errorf("--backend %q: it is heap or pebble", f.Backend)
	case given("rounds") && f.compare == "" && !f.state:
		return errors.New("--rounds goes with --compare or --state")
	case given("changed") && !f.state:
		return errors.New("--changed goes with --state")
	case f.state && f.Checkpoint > 0:
		return errors.New("--state takes two checkpoints of its own: leave --checkpoint out")
	case f.compare != "" && f.compare != bench.Limit && f.compare != bench.NoCheckpoints:
		return fmt.Errorf("--compare %q: it is limit, the loop written by hand, or no-checkpoints, the engine without them", f.compare)
	case f.compare == bench.NoCheckpoints && f.Checkpoint == 0:
		return errors.New("--compare no-checkpoints asks what checkpoints cost: say how often, as in --checkpoint 1s")
	case f.compare != "" && f.state:
		return errors.New("--compare and --state measure different things: give one of them")
	case f.rounds < 1:
		return fmt.Errorf("--rounds %d: ask for at least 1", f.rounds)
	}
	if err := f.Validate(); err != nil {
		return err
	}
	dir, remove, err := scratch.New("bench")
	if err != nil {
		return fmt.Errorf("the folder for the runs' files: %w", err)
	}
	defer remove()
	f.Dir = dir
	stop, err := f.profile()
	if err != nil {
		return err
	}
	defer stop()
	switch {
	case f.state:
		return f.measureState(cmd)
	case f.compare != "":
		return f.compareInTurn(cmd)
	}
	r, err := bench.Run(cmd.Context(), f.Config)
	if err != nil {
		return &exitError{code: exitCodeOf(err), err: err}
	}
	if err := f.print(cmd, r, describeResult("the engine", r)); err != nil {
		return err
	}
	return wrongIf(r.Verify())
}

// profile starts the CPU profile that was asked for.
func (f *benchFlags) profile() (stop func(), err error) {
	if f.cpuprofile == "" {
		return func() {}, nil
	}
	out, err := os.Create(f.cpuprofile)
	if err != nil {
		return nil, fmt.Errorf("--cpuprofile: %w", err)
	}
	if err := pprof.StartCPUProfile(out); err != nil {
		return nil, fmt.Errorf("--cpuprofile: %w", err)
	}
	return func() { pprof.StopCPUProfile(); out.Close() }, nil
}

// compareInTurn prints a line a round on stderr, and the medians on stdout.
func (f *benchFlags) compareInTurn(cmd *cobra.Command) error {
	m, err := bench.Compare(cmd.Context(), f.Config, f.compare, f.rounds, func(round int, ours, other *bench.Result) error {
		fmt.Fprintf(cmd.ErrOrStderr(), "round %d: engine %.2f, %s %.2f million events/s%s\n",
			round, millions(ours), f.compare, millions(other), describeCheckpoints(ours))
		return errors.Join(ours.Verify(), other.Verify())
	})
	if err != nil {
		return &exitError{code: exitWrong, err: err}
	}
	return f.print(cmd, m, fmt.Sprintf("stage %02d, %d requests, parallelism %d, %s, medians of %d:\n"+
		"  the engine      %6.2f million events/s\n  %-14s  %6.2f million events/s\n  ratio           %6.2f\n",
		m.Stage, m.N, m.Parallelism, m.Backend, m.Rounds, float64(m.Ours)/1e6, m.With, float64(m.Other)/1e6, m.Ratio))
}

// describeCheckpoints is empty where none were asked for.
func describeCheckpoints(r *bench.Result) string {
	c := r.Checkpoints
	if c == nil {
		return ""
	}
	return fmt.Sprintf(", %d checkpoints (%d given up), %v at most (aligning %v, stopped %v), %s in full at most, %s written in all",
		c.Complete, c.Failed, elapsed(c.Longest), elapsed(c.Aligning), elapsed(c.Stopped), bytesOf(c.Bytes), bytesOf(c.Written))
}

func (f *benchFlags) measureState(cmd *cobra.Command) error {
	s, err := bench.OpenRequestsOften(cmd.Context(), f.Config, f.rounds, func(round int, s *bench.State) {
		if f.rounds > 1 {
			fmt.Fprintf(cmd.ErrOrStderr(), "round %d: checkpoints %v and %v, restored in %v\n",
				round, elapsed(s.First.Seconds), elapsed(s.Second.Seconds), elapsed(s.RestoreSeconds))
		}
	})
	if err != nil {
		return &exitError{code: exitWrong, err: err}
	}
	return f.print(cmd, s, fmt.Sprintf("stage %02d, %s: %d open requests, %d pending timers, medians of %d\n"+
		"  memory      %7.1f bytes an entry (live objects), %d MB resident at most\n"+
		"  disk        %7.1f bytes an entry\n"+
		"  checkpoint  %7.1f bytes an entry\n"+
		"  the first   %s\n  the second  %s, with %d requests changed (%.1f %% written)\n  restored in %v\n",
		s.Stage, s.Backend, s.Entries, s.Timers, f.rounds, s.MemoryEach, s.RSS>>20, s.DiskEach, s.SnapshotEach,
		describeTaken(s.First), describeTaken(s.Second), s.Changed, 100*float64(s.Second.Written)/float64(s.First.Bytes),
		elapsed(s.RestoreSeconds)))
}

func describeTaken(t bench.Taken) string {
	return fmt.Sprintf("%v, the task stopped for %v of it, %s in full, %s written", elapsed(t.Seconds), elapsed(t.Stopped), bytesOf(t.Bytes), bytesOf(t.Written))
}

// print writes v as JSON, or the text.
func (f *benchFlags) print(cmd *cobra.Command, v any, text string) error {
	if f.json {
		return printJSON(cmd.OutOrStdout(), v)
	}
	_, err := fmt.Fprint(cmd.OutOrStdout(), text)
	return err
}

func describeResult(who string, r *bench.Result) string {
	verdict := "as it must be"
	if r.Verify() != nil {
		verdict = "WRONG"
	}
	return fmt.Sprintf("%s: %d events in %v, %.2f million/s, %d MB resident at most%s\n"+
		"  totals %d, windows %d, %d nano-USD, open %d, check %s: %s\n",
		who, r.Events, elapsed(r.Seconds), millions(r), r.RSS>>20, describeCheckpoints(r), r.OutA, r.OutB, r.SumNano, r.Open, r.Check, verdict)
}

func millions(r *bench.Result) float64 { return float64(r.PerSecond) / 1e6 }

func elapsed(s float64) time.Duration {
	return time.Duration(s * float64(time.Second)).Round(time.Millisecond)
}

// wrongIf makes a wrong result exit with 1.
func wrongIf(err error) error {
	if err == nil {
		return nil
	}
	return &exitError{code: exitWrong, err: fmt.Errorf("the result is wrong: %w", err)}
}
