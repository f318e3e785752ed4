package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"gatewaymeter/internal/kit/course"
	"gatewaymeter/internal/kit/mutant"
)

func init() { register(newMutantsCommand) }

// mutantsFlags are what `lab mutants` is called with.
type mutantsFlags struct {
	json          bool
	exercise      string
	deadline      time.Duration
	edit          bool
	save          string
	misconception string
	every         int
}

func newMutantsCommand() *cobra.Command {
	var f mutantsFlags
	cmd := &cobra.Command{
		Use:     "mutants [LAB…]",
		GroupID: groupKeep,
		Short:   "Run the known-wrong solutions, which the suites must refuse",
		Long: "Runs the mutants of the labs: known-wrong variants of our solution, each with the\n" +
			"misconception it stands for. The tests of its exercise must kill it. Exits with 1 if one survived\n" +
			"or is broken (its patch no longer applies or compiles, or our solution fails too).\n\n" +
			"To write a mutant: --edit copies the solution, and after you changed the copy, --save NAME\n" +
			"makes the mutant, and runs it.",
		Example: "  go tool lab mutants 03\n  go tool lab mutants 03 --exercise 3d\n" +
			"  go tool lab mutants 03 --edit\n" +
			"  go tool lab mutants 03 --save forgets-clear --exercise 3a --misconception \"a completed request may stay\"",
		RunE: func(cmd *cobra.Command, args []string) error {
			repo, labs, err := openLabs(args)
			if err != nil {
				return err
			}
			if err := f.check(); err != nil {
				return err
			}
			if (f.edit || f.save != "") && (len(labs) != 1 || f.edit && f.save != "") {
				return errors.New("--edit and --save take one lab, and not each other")
			}
			switch {
			case f.edit:
				dir, err := mutant.Edit(repo, labs[0])
				if err == nil {
					fmt.Fprintf(cmd.OutOrStdout(), "Edit the copy in %s, then call this with --save.\n", repo.Rel(dir))
				}
				return err
			case f.save != "":
				m, err := mutant.Save(repo, labs[0], f.save, f.exercise, f.misconception)
				if err != nil {
					return err
				}
				return f.run(cmd, repo, labs, func(each *mutant.Mutant) bool { return each.Name == m.Name })
			}
			return f.run(cmd, repo, labs, func(m *mutant.Mutant) bool { return f.exercise == "" || m.Exercise == f.exercise })
		},
	}
	cmd.Flags().BoolVar(&f.json, "json", false, "one JSON object a line")
	cmd.Flags().StringVar(&f.exercise, "exercise", "", "only the mutants of this exercise")
	cmd.Flags().IntVar(&f.every, "every", 1, "only every N-th mutant, beginning at another one each day of the year: a sample")
	cmd.Flags().DurationVar(&f.deadline, "deadline", 10*time.Second, "how long the test of one mutant may take")
	cmd.Flags().BoolVar(&f.edit, "edit", false, "copy the solution, to make a mutant of it")
	cmd.Flags().StringVar(&f.save, "save", "", "make a mutant of this name from the edited copy")
	cmd.Flags().StringVar(&f.misconception, "misconception", "", "what the saved mutant gets wrong, in one line")
	return cmd
}

// check says what is wrong with the flags.
func (f *mutantsFlags) check() error {
	switch {
	case f.every < 1:
		return fmt.Errorf("--every %d: ask for 1 (all) or more", f.every)
	case f.deadline <= 0:
		return errors.New("--deadline must be above 0, such as 30s")
	case f.save != "" && f.exercise == "":
		return errors.New("--save goes with --exercise: the one that the mutant gets wrong")
	case f.save == "" && f.misconception != "":
		return errors.New("--misconception goes with --save: it is what the new mutant gets wrong")
	}
	return nil
}

// run runs the chosen mutants of the labs and reports them as they end.
func (f *mutantsFlags) run(cmd *cobra.Command, repo *course.Repo, labs []*course.Lab, chosen func(*mutant.Mutant) bool) error {
	counts := map[string]int{}
	total, seen := 0, time.Now().YearDay()
	for _, lab := range labs {
		mutants, err := mutant.Load(lab)
		if err != nil {
			return err
		}
		r := &mutant.Runner{Repo: repo, Lab: lab, Deadline: f.deadline}
		for _, m := range mutants {
			if seen++; !chosen(m) || seen%f.every != 0 {
				continue
			}
			res, err := f.one(cmd.Context(), cmd.OutOrStdout(), r, m)
			if err != nil {
				return err
			}
			counts[res.Outcome]++
			total++
		}
	}
	if total == 0 {
		return errors.New("there are no such mutants (CONTRIBUTING.md says how to write one)")
	}
	if !f.json {
		fmt.Fprintf(cmd.OutOrStdout(), "%d killed, %d survived, %d broken\n", counts[mutant.Killed], counts[mutant.Survived], counts[mutant.Broken])
	}
	if counts[mutant.Killed] < total {
		return exit(exitWrong)
	}
	return nil
}

// one runs a mutant and prints its result.
func (f *mutantsFlags) one(ctx context.Context, out io.Writer, r *mutant.Runner, m *mutant.Mutant) (mutant.Result, error) {
	res, err := r.Run(ctx, m)
	if err != nil {
		return res, err
	}
	if f.json {
		return res, printJSON(out, res)
	}
	fmt.Fprintf(out, "%-8s  %s  %s: %s\n", res.Outcome, res.Lab, res.Mutant, res.Misconception)
	if res.Outcome == mutant.Killed {
		fmt.Fprintf(out, "          by %s: %s\n", res.KilledBy, res.Message)
	} else {
		fmt.Fprintf(out, "          %s\n", res.Message)
	}
	return res, nil
}
