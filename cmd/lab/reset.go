package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"gatewaymeter/internal/kit/starter"
)

func init() { register(newResetCommand) }

func newResetCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "reset LAB [EXERCISE]",
		GroupID: groupLearn,
		Short:   "Put a lab's starter back, after a backup",
		Long: "Puts the starter of a lab, or one exercise of it, back to how it came. Your files are copied\n" +
			"to .lab/backup first, and the command says where. With an exercise, only what stands between its\n" +
			"markers is put back; it needs the markers to be there still.",
		Example: "  go tool lab reset 03\n  go tool lab reset 03 3d",
		Args:    args(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			repo, lab, exercise, err := openLab(args)
			if err != nil {
				return err
			}
			out := cmd.OutOrStdout()
			what := repo.Rel(lab.Starter())
			var backup string
			if exercise != "" {
				what = "exercise " + exercise + " of " + what
				backup, _, err = starter.ResetExercise(repo, lab, exercise)
			} else {
				backup, err = starter.ResetLab(repo, lab)
			}
			if err != nil {
				return err
			}
			fmt.Fprintf(out, "%s is as it came.\n", what)
			if backup != "" {
				fmt.Fprintf(out, "What you had is in %s\n", repo.Rel(backup))
			}
			return nil
		},
	}
}
