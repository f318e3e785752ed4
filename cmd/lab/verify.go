package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"gatewaymeter/internal/verify"
)

func init() { register(newVerifyCommand) }

func newVerifyCommand() *cobra.Command {
	var on string
	var full bool
	cmd := &cobra.Command{
		Use:     "verify",
		GroupID: groupKeep,
		Short:   "Check everything that CI checks",
		Long: "Without a flag: tests, starters, solutions, mutants, the race detector, all without Docker.\n" +
			"With --broker container: what needs a real Kafka. With --full: every run of the whole product of\n" +
			"stages, parallelisms, partitions, backends and seeds, a line a run, 45 minutes at most.",
		Example: "  go tool lab verify\n  go tool lab verify --broker container\n  go tool lab verify --full",
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return runVerify(cmd, on, full) },
	}
	cmd.Flags().StringVar(&on, "broker", "embedded", "embedded, or container for the checks that need one")
	cmd.Flags().BoolVar(&full, "full", false, "the whole product of the dimensions")
	return cmd
}

func runVerify(cmd *cobra.Command, on string, full bool) error {
	if on != "embedded" && on != "container" {
		return fmt.Errorf("--broker %q: the checks know embedded and container", on)
	}
	repo, err := openRepo()
	if err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	r := &verify.Runner{Root: repo.Root, Lab: self, Out: cmd.OutOrStdout()}
	ok := false
	switch {
	case full:
		b, err := openBroker(cmd.Context(), on)
		if err != nil {
			return err
		}
		defer b.Close()
		ok = r.Full(cmd.Context(), b)
	case on == "container":
		ok = r.All(cmd.Context(), r.Container())
	default:
		steps, err := r.Default(cmd.Context())
		if err != nil {
			return err
		}
		ok = r.All(cmd.Context(), steps)
	}
	if !ok {
		return exit(exitWrong)
	}
	return nil
}
