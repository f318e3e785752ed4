package main

import (
	"context"
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
		Long: "Without a flag: tests, crashes, starters, solutions, mutants, the race detector, all without Docker.\n" +
			"With --broker container: what needs a real Kafka. With --full: 10,000 crashes, every combination of\n" +
			"stages, parallelisms, partitions, backends, drivers, lag, order and duplicates (a line a run), 1,000\n" +
			"schedules of each short input, and changes of the input; 45 minutes at most.",
		Example: "  go tool lab verify\n  go tool lab verify --broker container\n  go tool lab verify --full",
		Args:    args(0, 0),
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
	ok, err := verified(cmd.Context(), r, on, full)
	switch {
	case cmd.Context().Err() != nil:
		return cmd.Context().Err()
	case err != nil:
		return err
	case !ok:
		return exit(exitWrong)
	}
	return nil
}

// verified runs what was asked for.
func verified(ctx context.Context, r *verify.Runner, on string, full bool) (ok bool, err error) {
	if !full && on == "embedded" {
		steps, err := r.Default(ctx)
		return err == nil && r.All(ctx, steps), err
	}
	b, err := openBroker(ctx, on)
	if err != nil {
		return false, err
	}
	defer b.Close()
	fmt.Fprintf(r.Out, "on %s\n", b)
	if full {
		return r.Full(ctx, b), nil
	}
	return r.All(ctx, r.Container(b.Addr())), nil
}
