package main

import (
	"errors"
	"fmt"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"gatewaymeter/internal/inspect"
	"gatewaymeter/pipeline"
)

func init() { register(newWhyCommand) }

// whyFlags are what `lab why` is called with.
type whyFlags struct {
	attach        string
	demonstration demonstrationFlags
	json          bool
}

func newWhyCommand() *cobra.Command {
	f := whyFlags{}
	cmd := &cobra.Command{
		Use:     "why",
		GroupID: groupRun,
		Short:   "Ask every operator of a running job what it waits for",
		Long: "Asks the job of a `lab run --inspect` on this machine what holds the event time of each operator back:\n" +
			"which partition or input, its last event, and whether the next timer is due, held back, or waits for\n" +
			"nobody at all.\n\n" +
			"If no such job runs, or if a flag of the demonstration is given, it runs a job of its own in memory, of\n" +
			"whose traffic one partition stops half way, and asks that. --idle mends it.",
		Example: "  go tool lab run --follow --stop 2 --inspect   # in another terminal\n" +
			"  go tool lab why\n  go tool lab why --attach 127.0.0.1:40123\n  go tool lab why --stop 1 --idle 500ms",
		Args: args(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	flags := cmd.Flags()
	flags.StringVar(&f.attach, "attach", "", "ask the job at this `address`, as lab run --inspect names it")
	d := &f.demonstration
	flags.IntVar(&d.stop, "stop", 2, "demonstration: the partition that stops half way; -1: none")
	flags.DurationVar(&d.idle, "idle", 0, "demonstration: call a partition idle after this long (0s: never)")
	flags.IntVar(&d.requests, "requests", 2000, "demonstration: requests to generate")
	flags.IntVar(&d.partitions, "partitions", 4, "demonstration: partitions of the topic")
	flags.IntVar(&d.parallelism, "parallelism", 2, "demonstration: subtasks of each operator")
	flags.Uint64Var(&d.seed, "seed", 1, "demonstration: seed of the traffic")
	flags.BoolVar(&f.json, "json", false, "one JSON object an operator's subtask")
	return cmd
}

func (f *whyFlags) run(cmd *cobra.Command) error {
	waiting, err := f.ask(cmd)
	if err != nil {
		return err
	}
	if !f.json {
		for _, h := range pipeline.HoldBack(waiting) {
			fmt.Fprintln(cmd.OutOrStdout(), h)
		}
	}
	for _, w := range waiting {
		if f.json {
			err = printJSON(cmd.OutOrStdout(), w)
		} else {
			_, err = fmt.Fprintln(cmd.OutOrStdout(), w)
		}
		if err != nil {
			return err
		}
	}
	if len(waiting) == 0 {
		f.note(cmd, "no operator of this job has event time to wait for: that begins with stage 04")
	}
	return nil
}

// note says on stderr what the answer is about.
func (f *whyFlags) note(cmd *cobra.Command, format string, args ...any) {
	fmt.Fprintf(cmd.ErrOrStderr(), "lab: "+format+"\n", args...)
}

// ask asks the job that is named, or the one that runs, or one of our own.
func (f *whyFlags) ask(cmd *cobra.Command) ([]pipeline.Waiting, error) {
	demonstration := demonstrationAsked(cmd.Flags())
	if f.attach != "" {
		if demonstration != "" {
			return nil, fmt.Errorf("--attach asks a running job, --%s is about a demonstration: give one of them", demonstration)
		}
		return f.askAt(cmd, f.attach)
	}
	if demonstration != "" {
		return f.demonstration.demonstrate(cmd)
	}
	running, dead, err := inspect.Find(cmd.Context(), inspect.Dir())
	if err != nil {
		return nil, err
	}
	for _, job := range dead {
		f.note(cmd, "%s (process %d) is dead; it could not say goodbye", job.Name, job.PID)
	}
	switch len(running) {
	case 0:
		f.note(cmd, "no job runs with `lab run --inspect`: this is a demonstration, a job in memory of whose traffic partition %d stops half way", f.demonstration.stop)
		return f.demonstration.demonstrate(cmd)
	case 1:
		return f.askAt(cmd, running[0].Address)
	}
	return nil, errors.New(several(running))
}

// demonstrationAsked is the name of a flag of the demonstration that has been given, or "".
func demonstrationAsked(flags *pflag.FlagSet) (name string) {
	flags.Visit(func(flag *pflag.Flag) {
		if flag.Name != "json" && flag.Name != "attach" && flag.Name != "help" {
			name = flag.Name
		}
	})
	return name
}

// askAt asks the job at an address.
func (f *whyFlags) askAt(cmd *cobra.Command, address string) ([]pipeline.Waiting, error) {
	answer, err := inspect.Ask(cmd.Context(), address)
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		return nil, fmt.Errorf("%w (without --attach, `go tool lab why` finds the jobs that run)", err)
	case err != nil:
		return nil, err
	}
	f.note(cmd, "%s on %s, process %d, running for %v", answer.Name, answer.Topic, answer.PID, time.Since(answer.Started).Round(time.Second))
	return answer.Waiting, nil
}

// several says which jobs there are to choose from.
func several(running []inspect.Job) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d jobs run on this machine: choose one", len(running))
	for _, job := range running {
		fmt.Fprintf(&b, "\n  --attach %s   %s on %s, process %d, since %s", job.Address, job.Name, job.Topic, job.PID, job.Started.Local().Format(time.TimeOnly))
	}
	return b.String()
}
