package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"gatewaymeter/internal/replay"
)

func init() { register(newReplayCommand) }

// replayFlags are what `lab replay` is called with.
type replayFlags struct {
	mine   []string
	mutant string
	json   bool
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
			"and holds what comes out against the oracle. The file may be edited: the oracle works the bill out anew.\n\n" +
			"Exits with 1 if the bill is wrong or the job fails.",
		Example: "  go tool lab replay .lab/reduced/stage-04-seed-1.txt --mine 04",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return errors.New("name one file that go tool lab reduce kept")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args[0]) },
	}
	flags := cmd.Flags()
	flags.StringSliceVar(&f.mine, "mine", nil, "run on your own code of these labs (03 or 02,03)")
	flags.StringVar(&f.mutant, "mutant", "", "run on a known-wrong solution: LAB/NAME, as in 03/3a-keeps-completed")
	flags.BoolVar(&f.json, "json", false, "one JSON object")
	return cmd
}

func (f *replayFlags) run(cmd *cobra.Command, path string) (err error) {
	defer todoIsExit(&err)
	r, err := replay.ReadFile(path)
	if err != nil {
		return err
	}
	if other, err := onOtherCode(cmd, f.mine, f.mutant); other {
		return err
	}
	o, err := r.Job.RunMessages(parts, r.Messages)
	if err != nil {
		return failed(err)
	}
	if exitCodeOf(o.Err) == exitTodo {
		return failed(o.Err)
	}
	if err := f.tell(cmd, r, o); err != nil {
		return err
	}
	if !o.OK() {
		return exit(exitWrong)
	}
	return nil
}

func (f *replayFlags) tell(cmd *cobra.Command, r *replay.Recording, o *replay.Outcome) error {
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
	_, err := fmt.Fprintf(out, "It goes wrong:\n%s", o.Explain())
	return err
}
