package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"gatewaymeter/engine"
	"gatewaymeter/gateway"
	"gatewaymeter/internal/crashmatrix"
	"gatewaymeter/pipeline"
)

func init() { register(newCrashCommand) }

// crashFlags are what `lab crash` is called with.
type crashFlags struct {
	from, at              string
	seeds                 int
	seed                  uint64
	requests, parallelism int
	cards                 int
	mine                  []string
	json                  bool
}

// crashSummary is the last line of `lab crash --json`.
type crashSummary struct {
	Runs         int   `json:"runs"`
	Twice        int   `json:"runs_that_emitted_twice"`
	Never        int   `json:"runs_that_never_billed"`
	Mismatch     int   `json:"runs_that_mismatch"`
	EmittedTwice int64 `json:"emitted_twice_usd_nano"`
	NeverBilled  int64 `json:"never_billed_usd_nano"`

	Matrix *crashmatrix.Counts `json:"matrix,omitempty"` // from stage 07 on
}

func newCrashCommand() *cobra.Command {
	var f crashFlags
	cmd := &cobra.Command{
		Use:     "crash LAB",
		GroupID: groupRun,
		Short:   "Kill a worker of a stage's job and see what it costs",
		Long: "Runs the job of a stage in the simulated driver while a producer writes, kills the worker at a seeded\n" +
			"moment, starts every task again, and says in money what survived, what was worked out again, what was\n" +
			"written twice and what was never billed. The same seed gives the same crash.\n\n" +
			"From stage 07 on the seed also chooses what else goes wrong (a second crash, a crash in the restore, a\n" +
			"lost acknowledgement, a slow subtask, a store that fails or tears a write), and how the job is laid out\n" +
			"before and after. With many seeds the summary says which crash points were reached; once there are\n" +
			"enough of them to reach all, a point that was not is a failure. --at, --cards, --parallelism and\n" +
			"--requests choose one plain crash instead.\n\n" +
			"Exits with 1 if the bill is wrong afterwards, which is what stages 03 to 06 are there to show.",
		Example: "  go tool lab crash 03\n  go tool lab crash 03 --from latest --seeds 100\n" +
			"  go tool lab crash 07 --seeds 10000\n  go tool lab crash 07 --at \"after snapshot at assemble, n=2\"",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return errors.New("name one lab, the stage whose job is to crash: go tool lab crash 03")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args[0]) },
	}
	flags := cmd.Flags()
	flags.StringVar(&f.from, "from", "", "where the source starts again: earliest or latest, from stage 07 on checkpoint (default: each of these in turn)")
	flags.StringVar(&f.at, "at", "", "the crash point, such as \"after process at assemble, n=12\" (default: the seed chooses)")
	flags.IntVar(&f.seeds, "seeds", 1, "how many crashes, with one seed after the other")
	flags.Uint64Var(&f.seed, "seed", 1, "the first seed")
	flags.IntVar(&f.requests, "requests", 250, "requests in the log")
	flags.IntVar(&f.cards, "cards", 0, "card transactions beside the requests, for the velocity check (from stage 06)")
	flags.IntVar(&f.parallelism, "parallelism", 3, "subtasks of each operator")
	flags.StringSliceVar(&f.mine, "mine", nil, "crash your own code of these labs (03 or 02,03)")
	flags.BoolVar(&f.json, "json", false, "one JSON object a line")
	return cmd
}

func (f *crashFlags) run(cmd *cobra.Command, lab string) (err error) {
	defer todoIsExit(&err)
	stage, err := parseStage(lab)
	if err != nil {
		return err
	}
	if err := f.check(stage); err != nil {
		return err
	}
	cfg := pipeline.CrashConfig{Stage: stage, Parallelism: f.parallelism, Partitions: 3, Requests: f.requests, Cards: f.cards, Stop: cmd.Context().Err}
	if len(f.mine) > 0 {
		return runMine(cmd, f.mine)
	}
	if stage >= 7 && !f.plain(cmd) {
		return f.matrix(cmd, stage)
	}
	if cfg.Parts, cfg.Functions, err = parts(stage); err != nil {
		return err
	}
	if f.at != "" {
		point, err := engine.ParseCrashPoint(f.at)
		if err != nil {
			return fmt.Errorf("--at: %w (docs/crash-points.md has them all)", err)
		}
		cfg.At = &point
	}
	var sum crashSummary
	for i := range f.seeds {
		cfg.Seed = f.seed + uint64(i)
		for _, cfg.From = range f.starts(stage) {
			if err := cmd.Context().Err(); err != nil {
				return err
			}
			if err := f.one(cmd.OutOrStdout(), cfg, &sum); err != nil {
				return err
			}
		}
	}
	return f.finish(cmd.OutOrStdout(), sum)
}

// check says what is wrong with the flags.
func (f *crashFlags) check(stage int) error {
	starts := []string{pipeline.FromEarliest, pipeline.FromLatest}
	if stage >= 7 {
		starts = []string{pipeline.FromCheckpoint}
	}
	switch {
	case f.seeds < 1:
		return fmt.Errorf("--seeds %d: ask for at least 1", f.seeds)
	case f.requests < 1:
		return fmt.Errorf("--requests %d: ask for at least 1", f.requests)
	case checkParallelism(f.parallelism) != nil:
		return checkParallelism(f.parallelism)
	case f.cards < 0 || f.cards > 0 && stage < pipeline.FirstWithCards:
		return fmt.Errorf("--cards %d: it is a number of card transactions, which stage %02d and later read", f.cards, pipeline.FirstWithCards)
	case f.from != "" && !slices.Contains(starts, f.from):
		return fmt.Errorf("--from %s: stage %02d starts again from %s", f.from, stage, strings.Join(starts, " or "))
	}
	return nil
}

// plain reports whether a flag asks for one certain crash instead of the seed's case of the matrix.
func (f *crashFlags) plain(cmd *cobra.Command) bool {
	for _, flag := range []string{"at", "cards", "from", "parallelism", "requests"} {
		if cmd.Flags().Changed(flag) {
			return true
		}
	}
	return false
}

// starts are the places to start again from.
func (f *crashFlags) starts(stage int) []string {
	switch {
	case f.from != "":
		return []string{f.from}
	case stage >= 7:
		return []string{pipeline.FromCheckpoint}
	}
	return []string{pipeline.FromEarliest, pipeline.FromLatest}
}

// one does one crash and reports it.
func (f *crashFlags) one(out io.Writer, cfg pipeline.CrashConfig, sum *crashSummary) error {
	r, err := pipeline.Crash(cfg)
	if err != nil {
		return failed(err)
	}
	if !r.Fired {
		return notReached(cfg)
	}
	sum.add(r)
	if f.json {
		return printJSON(out, r)
	}
	if f.seeds == 1 {
		tellCrash(out, r)
		return nil
	}
	fmt.Fprintf(out, "seed %d, from %s, %s: twice %s, never %s, oracle %s\n", r.Seed, r.From, r.At, usd(r.EmittedTwice), usd(r.NeverBilled), r.Oracle)
	return nil
}

// notReached is the error of a crash that did not happen: it would say nothing about the stage.
func notReached(cfg pipeline.CrashConfig) error {
	if cfg.At == nil {
		return fmt.Errorf("seed %d: the job was at its end before the worker could die: ask for more --requests than %d", cfg.Seed, cfg.Requests)
	}
	return fmt.Errorf("seed %d: the crash point %q was not reached; leave --at away, or choose a smaller n, or another operator: one at the head of a task, as docs/crash-points.md says", cfg.Seed, cfg.At)
}

func (s *crashSummary) add(r *pipeline.CrashReport) {
	s.Runs++
	s.EmittedTwice += r.EmittedTwice.USDNano
	s.NeverBilled += r.NeverBilled.USDNano
	for _, c := range []struct {
		count *int
		when  bool
	}{
		{&s.Twice, len(r.EmittedTwice.Lines) > 0},
		{&s.Never, len(r.NeverBilled.Lines) > 0},
		{&s.Mismatch, r.Oracle != "match"},
	} {
		if c.when {
			*c.count++
		}
	}
}

func usd(m pipeline.Money) string { return gateway.NanoUSD(m.USDNano).String() }

// tellCrash explains one crash.
func tellCrash(out io.Writer, r *pipeline.CrashReport) {
	fmt.Fprintf(out, "\nThe worker died %s. Every task started again, from the %s.\n", deaths(r), startOf(r.From))
	for _, row := range []struct {
		name, says string
		m          pipeline.Money
	}{
		{"survived", "on lines that had left the job before", r.Survived},
		{"recomputed", "worked out again, from events that had been read before", r.Recomputed},
		{"emitted twice", "written before the crash and again after it", r.EmittedTwice},
		{"never billed", "owed, and on no line that stands", r.NeverBilled},
	} {
		fmt.Fprintf(out, "  %-14s %14s  %4d lines  %s\n", row.name, usd(row.m), len(row.m.Lines), row.says)
	}
	fmt.Fprintln(out, explain(r))
}

// deaths says where the worker died, each time.
func deaths(r *pipeline.CrashReport) string {
	if len(r.Deaths) < 2 {
		return r.At
	}
	var at []string
	for _, d := range r.Deaths {
		at = append(at, d.At)
	}
	return strings.Join(at, ", and again ")
}

func startOf(from string) string {
	switch from {
	case pipeline.FromEarliest:
		return "start of the log, with empty state"
	case pipeline.FromLatest:
		return "end of the log, with empty state"
	}
	return "latest complete checkpoint"
}

// explain says in two sentences what has happened.
func explain(r *pipeline.CrashReport) string {
	switch {
	case r.Oracle == "match" && r.From == pipeline.FromCheckpoint:
		return "State and offsets went back to the same moment, so what was read again was worked out as before.\n" +
			"The oracle agrees: each line stands, and a line that was told twice says the same both times."
	case r.Oracle == "match":
		return "Nothing had been lost and nothing doubled when the worker died: a lucky seed.\n" +
			"The oracle agrees this time; try --seeds 20."
	case r.From == pipeline.FromEarliest:
		return "The state died with the worker, but the lines that it had written did not.\n" +
			"Every event is read again, so the same requests are billed a second time."
	case r.From == pipeline.FromLatest:
		return "The state died with the worker, and nobody reads the events behind it again.\n" +
			"What was open, or on its way, is on no bill: that money is gone."
	}
	return "The job went back to a checkpoint, and the bill should have been right.\nThe oracle disagrees:\n" + r.Wrong
}

// finish prints the summary, and makes a wrong bill the exit code.
func (f *crashFlags) finish(out io.Writer, s crashSummary) error {
	var err error
	if f.json {
		err = printJSON(out, map[string]crashSummary{"summary": s})
	} else {
		s.print(out)
	}
	if s.Mismatch > 0 {
		err = errors.Join(err, exit(exitWrong))
	}
	return err
}

func (s crashSummary) print(out io.Writer) {
	noun := "crashes"
	if s.Runs == 1 {
		noun = "crash"
	}
	fmt.Fprintf(out, "\n%d %s: %d wrote something twice (%s), %d never billed something (%s), %d disagree with the oracle\n",
		s.Runs, noun, s.Twice, gateway.NanoUSD(s.EmittedTwice), s.Never, gateway.NanoUSD(s.NeverBilled), s.Mismatch)
}
