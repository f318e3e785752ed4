package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"gatewaymeter/internal/anatomy"
	"gatewaymeter/internal/backends"
)

func init() { register(newCheckpointCommand) }

func newCheckpointCommand() *cobra.Command {
	var groups, asJSON bool
	cmd := &cobra.Command{
		Use:     "checkpoint DIR",
		GroupID: groupRun,
		Short:   "Explain a checkpoint, or a folder of them",
		Long: "Shows what is in a checkpoint: operators with their uids, key groups and states, how each state is\n" +
			"removed, timers, where each partition is read on, and every file with its checksum. DIR is a\n" +
			"checkpoint's folder (chk-…), or the folder of all: then each is shown, newest first.\n\n" +
			"A damaged checkpoint is shown as far as it can be read, with the file and what is wrong with it, and\n" +
			"with the one that a job would take instead. Reads only.\n\n" +
			"Exits with 1 if a checkpoint is damaged, or none is whole, and with 2 if DIR holds none.",
		Example: "  go tool lab checkpoint .lab/checkpoints/run-1\n  go tool lab checkpoint chk/chk-000003 --groups\n" +
			"  go tool lab checkpoint chk --json",
		Args: args(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error { return runCheckpoint(cmd, args[0], groups, asJSON) },
	}
	cmd.Flags().BoolVar(&groups, "groups", false, "entries of each state key group by key group")
	cmd.Flags().BoolVar(&asJSON, "json", false, "one JSON object a checkpoint, and nothing else, on stdout")
	return cmd
}

// wallClock is what ages are told by. A script sets it to a time of its own.
var wallClock = time.Now

func runCheckpoint(cmd *cobra.Command, dir string, groups, asJSON bool) error {
	all, err := anatomy.Look(cmd.Context(), dir, anatomy.Options{Now: wallClock(), Groups: groups, Open: backends.Reader})
	if err != nil {
		return err
	}
	out := cmd.OutOrStdout()
	for i, c := range all {
		switch {
		case asJSON:
			err = printJSON(out, c)
		case i > 0:
			fmt.Fprintln(out)
			fallthrough
		default:
			err = showCheckpoint(out, c)
		}
		if err != nil {
			return err
		}
	}
	if !usable(all) {
		return exit(exitWrong)
	}
	return nil
}

// usable reports whether none of the checkpoints is damaged, and one of them is whole.
func usable(all []anatomy.Checkpoint) bool {
	whole := false
	for _, c := range all {
		if c.Status == anatomy.Damaged {
			return false
		}
		whole = whole || c.Status == anatomy.Whole
	}
	return whole
}
