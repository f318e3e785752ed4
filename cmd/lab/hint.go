package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"gatewaymeter/internal/kit/hint"
)

func init() { register(newHintCommand) }

func newHintCommand() *cobra.Command {
	var all bool
	cmd := &cobra.Command{
		Use:     "hint EXERCISE",
		GroupID: groupLearn,
		Short:   "Show the next hint of an exercise",
		Long: "Shows the hints of an exercise step by step, from a nudge to a sketch: each call shows one\n" +
			"more than the last. --all shows them all at once, and counts none.",
		Example: "  go tool lab hint 3d\n  go tool lab hint 3d --all",
		Args:    args(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			repo, err := openRepo()
			if err != nil {
				return err
			}
			lab, exercise, err := repo.Exercise(args[0])
			if err != nil {
				return err
			}
			steps, err := hint.Steps(repo, lab, exercise.ID)
			if err != nil {
				return err
			}
			shown := len(steps)
			if !all {
				if shown, err = hint.Next(repo, exercise.ID, len(steps)); err != nil {
					return err
				}
			}
			out := cmd.OutOrStdout()
			for i, step := range steps[:shown] {
				fmt.Fprintf(out, "Hint %d of %d for %s\n\n%s\n\n", i+1, len(steps), exercise.ID, step)
			}
			if shown < len(steps) {
				fmt.Fprintf(out, "`go tool lab hint %s` again shows the next one.\n", exercise.ID)
			} else {
				fmt.Fprintf(out, "That was the last hint. `go tool lab diff %02d %s` shows the solution.\n", lab.Number, exercise.ID)
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "show all hints at once")
	return cmd
}
