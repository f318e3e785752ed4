package livecrash

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"gatewaymeter/internal/anatomy"
)

// explained is what `lab checkpoint` says of the folder: the next life must start where it says.
func (r *runner) explained(ctx context.Context) (all []anatomy.Checkpoint, err error) {
	out, err := exec.CommandContext(ctx, r.Lab, "checkpoint", r.checkpoints, "--json").Output()
	var exited *exec.ExitError
	if err != nil && (!errors.As(err, &exited) || exited.ExitCode() != 1) { // 1: one of them is damaged
		return nil, fmt.Errorf("lab checkpoint: %w", err)
	}
	for line := range bytes.Lines(out) {
		var c anatomy.Checkpoint
		if err := json.Unmarshal(line, &c); err != nil {
			return nil, fmt.Errorf("lab checkpoint: %w: %s", err, line)
		}
		all = append(all, c)
	}
	return all, nil
}

// settle looks at the folder after a kill: which checkpoint the next life will take, and what that leaves to
// be read. If the moment says so and there is an older one to fall back on, the newest is damaged first.
func (r *runner) settle(ctx context.Context, l *Life) error {
	all, err := r.explained(ctx)
	if err == nil && l.Moment.Damage {
		if l.Damaged, err = r.damage(all, l.Moment); err == nil && l.Damaged != 0 {
			all, err = r.explained(ctx)
		}
	}
	if err != nil {
		return err
	}
	if len(all) == 0 || all[0].Restore == 0 {
		return errors.New("lab checkpoint: there is none that --restore could take")
	}
	l.Next, r.Left = all[0].Restore, 0
	for _, c := range all {
		if c.Taken {
			r.Left = unread(c)
		}
	}
	return nil
}

// unread counts the events that a checkpoint leaves to be read.
func unread(c anatomy.Checkpoint) (n int64) {
	for _, o := range c.Offsets {
		if o.UID == "gateway-source" {
			n += o.Stop - o.Next
		}
	}
	return n
}

// damage cuts a file of the checkpoint that would be taken, and returns its number; 0 if no other is whole.
func (r *runner) damage(all []anatomy.Checkpoint, m Moment) (id int64, err error) {
	whole := 0
	for _, c := range all {
		if c.Status == anatomy.Whole {
			whole++
		}
	}
	for _, c := range all {
		if !c.Taken || whole < 2 {
			continue
		}
		var own []string // what no other checkpoint names
		for _, f := range c.Files {
			if strings.HasPrefix(f.Path, "chk-") {
				own = append(own, f.Path)
			}
		}
		if len(own) == 0 {
			continue
		}
		path := filepath.Join(r.checkpoints, filepath.FromSlash(own[m.Lines%len(own)]))
		info, err := os.Stat(path)
		if err != nil {
			return 0, err
		}
		return c.ID, os.Truncate(path, info.Size()/2)
	}
	return 0, nil
}
