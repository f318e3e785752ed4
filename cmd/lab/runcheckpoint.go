package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/spf13/pflag"

	"gatewaymeter/internal/scratch"
	"gatewaymeter/pipeline"
)

// checkpointFlags are the flags of `lab run` about checkpoints.
type checkpointFlags struct {
	every            string
	dir, restore     string
	allowNonRestored bool
}

func (f *checkpointFlags) add(flags *pflag.FlagSet) {
	flags.StringVar(&f.every, "checkpoint", "off", "off, or the pause between two checkpoints, such as 1s (stage 07)")
	flags.StringVar(&f.dir, "checkpoint-dir", "", "where checkpoints are kept (default: a folder of this run in .lab/checkpoints)")
	flags.StringVar(&f.restore, "restore", "", "go on from the latest checkpoint in this folder, with the topics of the first run: give its --output-prefix, --stage and --partitions")
	flags.BoolVar(&f.allowNonRestored, "allow-non-restored-state", false, "with --restore: drop state that no operator claims")
}

// config is what the flags ask for; nil: nothing.
func (f *checkpointFlags) config(run *runFlags, prefix string) (*pipeline.CheckpointConfig, error) {
	c := &pipeline.CheckpointConfig{Dir: f.dir, Restore: f.restore, AllowNonRestored: f.allowNonRestored}
	if f.every != "off" {
		d, err := time.ParseDuration(f.every)
		if err != nil || d < time.Millisecond {
			return nil, fmt.Errorf("--checkpoint %q: it is off, or a pause of at least 1ms such as 1s", f.every)
		}
		c.Interval = d
	}
	switch {
	case c.Interval == 0 && c.Restore == "":
		if f.dir != "" || f.allowNonRestored {
			return nil, errors.New("--checkpoint-dir goes with --checkpoint, --allow-non-restored-state with --restore")
		}
		return nil, nil
	case run.stage < firstWithCheckpoints:
		return nil, fmt.Errorf("stage %02d has no checkpoints: they come with --stage %02d", run.stage, firstWithCheckpoints)
	case c.Restore != "" && (run.broker == "embedded" || run.broker == "container"):
		return nil, fmt.Errorf("--restore: the topics of --broker %s end with its run: use a broker that stays, such as `go tool lab broker --data DIR`", run.broker)
	case c.Restore != "" && run.prefix == "":
		return nil, errors.New("--restore goes on with the topics of the first run: name them by its --output-prefix")
	}
	return c, f.place(c, prefix)
}

// firstWithCheckpoints is the stage whose job takes checkpoints.
const firstWithCheckpoints = 7

// place decides where new checkpoints go.
func (f *checkpointFlags) place(c *pipeline.CheckpointConfig, prefix string) error {
	switch {
	case c.Dir != "":
	case c.Restore != "":
		c.Dir = c.Restore
	default:
		repo, err := openRepo()
		if err != nil {
			return fmt.Errorf("name a --checkpoint-dir: %w", err)
		}
		c.Dir = filepath.Join(repo.StateDir(), "checkpoints", prefix)
	}
	return nil
}

// claim takes the folder of the run's checkpoints for it: two runs in one folder would spoil each other's.
func (f *checkpointFlags) claim(c *pipeline.CheckpointConfig) (release func(), err error) {
	if c == nil || c.Interval == 0 {
		return func() {}, nil
	}
	if c.Dir == c.Restore {
		if _, err := pipeline.OpenCheckpoints(c.Dir); err != nil { // it must be there, and is not made
			return nil, err
		}
	}
	lock, err := scratch.Claim(c.Dir)
	switch {
	case errors.Is(err, scratch.ErrClaimed):
		return nil, fmt.Errorf("the folder for checkpoints, %w: wait for its end, or choose another --checkpoint-dir", err)
	case err != nil:
		return nil, fmt.Errorf("the folder for checkpoints: %w: choose another --checkpoint-dir", err)
	}
	return func() { lock.Close() }, nil
}
