package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"gatewaymeter/internal/kit/starter"
)

func init() { register(newStartersCommand) }

func newStartersCommand() *cobra.Command {
	var check bool
	cmd := &cobra.Command{
		Use:    "starters [LAB…]",
		Hidden: true, // for authors: it overwrites what a student wrote (after a backup)
		Short:  "Make the starters from the solutions",
		Long: "Makes starter/ from solution/, as CONTRIBUTING.md describes. Files that change are backed up\n" +
			"to .lab/backup. --check changes nothing and exits with 1 if a starter is out of step.",
		Example: "  go tool lab starters 03\n  go tool lab starters --check",
		RunE: func(cmd *cobra.Command, args []string) error {
			repo, labs, err := openLabs(args)
			if err != nil {
				return err
			}
			out := cmd.OutOrStdout()
			drifted := 0
			for _, lab := range labs {
				if check {
					drift, err := starter.Drift(repo, lab)
					if err != nil {
						return &exitError{exitWrong, err}
					}
					for _, line := range drift {
						fmt.Fprintln(out, line)
					}
					drifted += len(drift)
					continue
				}
				backup, err := starter.Write(repo, lab)
				if err != nil {
					return &exitError{exitWrong, err}
				}
				fmt.Fprintln(out, repo.Rel(lab.Starter()))
				if backup != "" {
					fmt.Fprintln(out, "  what was there is in", repo.Rel(backup))
				}
			}
			if drifted > 0 {
				fmt.Fprintln(cmd.ErrOrStderr(), "run `go tool lab starters` and commit what it writes")
				return exit(exitWrong)
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&check, "check", false, "report starters that are out of step")
	return cmd
}
