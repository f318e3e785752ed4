package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"regexp"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"gatewaymeter/internal/kit/course"
	"gatewaymeter/internal/kit/run"
)

func init() { register(newTestCommand) }

// startContainer starts a Kafka in a container and returns its address and how to stop it. The file
// of the broker commands sets it.
var startContainer func(ctx context.Context) (address string, stop func(), err error)

// testFlags are what `lab test` is called with.
type testFlags struct {
	solution bool
	mine     []string
	broker   string
	run      string
	deadline time.Duration
	json     bool
}

func newTestCommand() *cobra.Command {
	var f testFlags
	cmd := &cobra.Command{
		Use:     "test [LAB…]",
		GroupID: groupLearn,
		Short:   "Run the exercises of labs: TODO, WRONG or PASS for each",
		Long: "Runs the suites of the labs over your starters and shows one outcome an exercise: TODO (not\n" +
			"written yet), WRONG (with what went wrong), PASS, or HARNESS (the kit itself failed, not you).\n" +
			"Whatever one exercise does, the others keep their outcomes.\n\n" +
			"Exits with 0 if all pass, 1 if one is wrong, 2 if the kit failed, 3 if only TODOs are left.",
		Example: "  go tool lab test 03\n  go tool lab test 03 --run '^3d$'\n  go tool lab test 03 --solution\n" +
			"  go tool lab test 06 --mine 02,03\n  go tool lab test 01 02 03 --json",
		RunE: func(cmd *cobra.Command, args []string) error {
			repo, labs, err := openLabs(args)
			if err != nil {
				return err
			}
			return f.test(cmd, repo, labs)
		},
	}
	cmd.Flags().BoolVar(&f.solution, "solution", false, "run our solutions instead of your starters")
	cmd.Flags().StringSliceVar(&f.mine, "mine", nil, "use your own code of these earlier labs, too (02,03)")
	cmd.Flags().StringVar(&f.broker, "broker", "", "embedded, container or HOST:PORT (default: the environment's BROKER, or embedded)")
	cmd.Flags().StringVar(&f.run, "run", "", "only exercises whose id or test matches this regular expression")
	cmd.Flags().DurationVar(&f.deadline, "deadline", run.DefaultDeadline, "how long one exercise may take")
	cmd.Flags().BoolVar(&f.json, "json", false, "one JSON object a line")
	return cmd
}

// test runs the labs one after the other and reports them.
func (f *testFlags) test(cmd *cobra.Command, repo *course.Repo, labs []*course.Lab) error {
	o, stop, err := f.options(cmd.Context(), repo, labs)
	if err != nil {
		return err
	}
	defer stop()
	out := cmd.OutOrStdout()
	var summary run.Summary
	for _, lab := range labs {
		if isTerminal(cmd.ErrOrStderr()) {
			fmt.Fprintf(cmd.ErrOrStderr(), "building and testing %s …\n", lab.Name)
		}
		results, err := run.Lab(cmd.Context(), repo, lab, o)
		if err != nil {
			return err
		}
		for _, r := range results {
			summary.Add(r)
			if f.json {
				if err := printJSON(out, r); err != nil {
					return err
				}
			}
		}
		if !f.json {
			showResults(out, lab, results)
		}
	}
	if f.json {
		err = printJSON(out, map[string]run.Summary{"summary": summary})
	} else {
		showSummary(out, summary)
	}
	if err != nil {
		return err
	}
	return exitOf(summary)
}

// exitOf is the error that carries the exit code of a test run.
func exitOf(s run.Summary) error {
	switch {
	case s.Wrong > 0:
		return exit(exitWrong)
	case s.Harness > 0:
		return exit(exitUsage)
	case s.Todo > 0:
		return exit(exitTodo)
	}
	return nil
}

// options checks the flags, and starts the broker if one is to be started.
func (f *testFlags) options(ctx context.Context, repo *course.Repo, labs []*course.Lab) (o run.Options, stop func(), err error) {
	o = run.Options{Solution: f.solution, Deadline: f.deadline}
	if f.deadline <= 0 {
		return o, nil, errors.New("--deadline must be above 0, such as 30s")
	}
	if len(f.mine) > 0 {
		if o.Mine, err = repo.Select(f.mine...); err != nil {
			return o, nil, fmt.Errorf("--mine: %w", err)
		}
	}
	if f.run != "" {
		if o.Select, err = selector(f.run, labs); err != nil {
			return o, nil, err
		}
	}
	o.Broker, stop, err = f.openBroker(ctx)
	return o, stop, err
}

// selector chooses exercises by a regular expression, which must choose one at least.
func selector(expr string, labs []*course.Lab) (func(course.Exercise) bool, error) {
	re, err := regexp.Compile(expr)
	if err != nil {
		return nil, fmt.Errorf("--run: %w", err)
	}
	chosen := func(e course.Exercise) bool { return re.MatchString(e.ID) || re.MatchString(e.Test) }
	for _, lab := range labs {
		if slices.ContainsFunc(lab.Exercises, chosen) {
			return chosen, nil
		}
	}
	return nil, fmt.Errorf("--run %s chooses no exercise (go tool lab list shows them)", expr)
}

// openBroker is what the suites get as BROKER. A container is started here, once for all of them.
func (f *testFlags) openBroker(ctx context.Context) (address string, stop func(), err error) {
	nothing := func() {}
	broker := f.broker
	if broker == "" {
		broker = os.Getenv("BROKER")
	}
	switch broker {
	case "", "embedded":
		return "embedded", nothing, nil
	case "container":
		if startContainer == nil {
			return "", nil, errors.New("this build cannot start containers: use --broker embedded, or the HOST:PORT of a Kafka that runs")
		}
		return startContainer(ctx)
	}
	if _, _, err := net.SplitHostPort(broker); err != nil {
		return "", nil, fmt.Errorf("--broker %q: use embedded, container or HOST:PORT", broker)
	}
	return broker, nothing, nil
}
