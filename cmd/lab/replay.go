package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"gatewaymeter/internal/replay"
	"gatewaymeter/stream"
	"gatewaymeter/stream/trace"
)

func init() { register(newReplayCommand) }

// replayFlags are what `lab replay` is called with.
type replayFlags struct {
	traceTo string
	mine    []string
	mutant  string
	json    bool
}

// replayed is the line of `lab replay --json`.
type replayed struct {
	Stage    int    `json:"stage"`
	Messages int    `json:"messages"`
	Oracle   string `json:"oracle"` // match or mismatch
	First    string `json:"first"`  // what is wrong first
}

func newReplayCommand() *cobra.Command {
	var f replayFlags
	cmd := &cobra.Command{
		Use:     "replay FILE",
		GroupID: groupRun,
		Short:   "Run a timeline that lab reduce kept, and check its bill",
		Long: "Runs the job and the messages of a timeline in the simulated driver, under the schedule that is in it,\n" +
			"and holds what comes out against the oracle. The file may be edited: the oracle\n" +
			"works the bill out anew, and the file's bills must agree with it or be taken out.\n\n" +
			"Exits with 1 if the bill is wrong or the job fails.",
		Example: "  go tool lab replay .lab/reduced/stage-04-seed-1.txt --mine 04",
		Args:    args(1, 1),
		RunE:    func(cmd *cobra.Command, args []string) error { return f.run(cmd, args[0]) },
	}
	flags := cmd.Flags()
	flags.StringSliceVar(&f.mine, "mine", nil, "run on your own code of these labs (03 or 02,03)")
	flags.StringVar(&f.mutant, "mutant", "", "run on a known-wrong solution: LAB/NAME, as in 03/3a-keeps-completed")
	flags.StringVar(&f.traceTo, "trace", "", "write the steps of the run to this file, as JSON for the browser")
	flags.BoolVar(&f.json, "json", false, "one JSON object")
	return cmd
}

func (f *replayFlags) run(cmd *cobra.Command, path string) (err error) {
	defer todoIsExit(&err)
	if info, err := os.Stat(path); err != nil || info.IsDir() {
		return fmt.Errorf("%s is no file: name one that `go tool lab reduce` kept", path)
	}
	r, err := replay.ReadFile(path)
	if err != nil {
		return err
	}
	if err := r.CheckBills(); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if other, err := onOtherCode(cmd, f.mine, f.mutant); other {
		return err
	}
	o, steps, err := r.Traced(parts)
	if err != nil {
		return failed(err)
	}
	if exitCodeOf(o.Err) == exitTodo {
		return failed(o.Err)
	}
	if f.traceTo != "" {
		if err := writeTrace(f.traceTo, steps); err != nil {
			return err
		}
	}
	if err := f.tell(cmd, r, o, steps.Steps); err != nil {
		return err
	}
	if !o.OK() {
		return exit(exitWrong)
	}
	return nil
}

// mostLines is how many steps a failure shows.
const mostLines = 15

func (f *replayFlags) tell(cmd *cobra.Command, r *replay.Recording, o *replay.Outcome, steps []stream.Step) error {
	verdict := "match"
	if !o.OK() {
		verdict = "mismatch"
	}
	if f.json {
		return printJSON(cmd.OutOrStdout(), replayed{r.Job.Stage, len(r.Messages), verdict, o.First()})
	}
	out := cmd.OutOrStdout()
	fmt.Fprintf(out, "stage %02d over %d messages: parallelism %d, partitions %d, %s, schedule %d\n",
		r.Job.Stage, len(r.Messages), r.Job.Parallelism, r.Job.Partitions, r.Job.Backend, r.Job.Schedule)
	if o.OK() {
		_, err := fmt.Fprintln(out, "The oracle agrees.")
		return err
	}
	fmt.Fprintf(out, "It goes wrong:\n%s", o.Explain())
	concerned := r.Concerned(o, steps)
	last := concerned[max(0, len(concerned)-mostLines):]
	fmt.Fprintf(out, "\nThe last %d of %d steps that concern it:\n", len(last), len(concerned))
	for _, s := range last {
		fmt.Fprintf(out, "  %v\n", s)
	}
	return nil
}

func writeTrace(path string, t trace.Trace) error {
	f, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("--trace: %w", err)
	}
	return errors.Join(trace.Write(f, t), f.Close())
}
