package livecrash

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"time"
)

// What a job says on stderr.
var (
	completeLine = regexp.MustCompile(`^lab: checkpoint (\d+): complete`)
	restoreLine  = regexp.MustCompile(`^lab: starting from checkpoint (\d+)`)
)

// life is a process of the job on its way to its moment.
type life struct {
	Life
	r     *runner
	p     *process
	lines *outputs
	since int64 // lines written when the checkpoints were complete; -1: they are not yet
	began time.Time
}

// live runs one life to its end: by our kill, or by the broker's.
func (r *runner) live(ctx context.Context, n int, m Moment) (Life, error) {
	l := &life{Life: Life{Parallelism: r.parallelism(n), Moment: m}, r: r, since: -1, began: time.Now()}
	var err error
	if l.p, err = start(ctx, r.Lab, r.Dir, r.args(n, false)...); err != nil {
		return l.Life, err
	}
	l.lines = &outputs{ctx: ctx, addr: r.server.addr(), prefix: r.Prefix}
	defer l.lines.close()
	if err := l.until(ctx, l.come); err != nil {
		l.p.kill(l.heard)
		return l.Life, err
	}
	if m.Kind == WithBroker {
		err = l.brokerDies(ctx)
	} else if l.Killed = l.p.kill(l.heard); !l.Killed {
		err = l.p.said("it ended at the very moment of the kill: choose more traffic")
	}
	if l.From == 0 && n > 0 {
		err = l.p.said("it did not say from which checkpoint it starts")
	}
	return l.Life, err
}

// brokerDies kills the broker and starts it again. Then the job ends by itself, or goes on and is killed
// after one more checkpoint.
func (l *life) brokerDies(ctx context.Context) error {
	l.Broker = true
	if err := l.r.server.restart(ctx); err != nil {
		return err
	}
	more := l.Checkpoints + 1
	err := l.until(ctx, func() bool { return l.Checkpoints >= more })
	l.Killed = l.p.kill(l.heard)
	if err != nil && l.p.cmd.ProcessState.Success() {
		return err // its input was at its end
	}
	return ctx.Err()
}

// look is how often conditions outside of a process's own lines are looked at.
const look = 2 * time.Millisecond

// until reads the process's lines until the condition holds. An error says that it ended before.
func (l *life) until(ctx context.Context, holds func() bool) error {
	ticker := time.NewTicker(look)
	defer ticker.Stop()
	for !holds() {
		select {
		case line, open := <-l.p.lines:
			if !open {
				<-l.p.done
				return l.p.said("it ended before its moment came")
			}
			l.heard(line)
		case <-ticker.C:
		case <-ctx.Done():
			return l.p.said("its moment did not come")
		}
	}
	return nil
}

// heard takes note of a line.
func (l *life) heard(line string) {
	if m := completeLine.FindStringSubmatch(line); m != nil {
		l.Checkpoints++
		l.Latest, _ = strconv.ParseInt(m[1], 10, 64)
		if l.Checkpoints <= l.Moment.Checkpoints {
			l.r.slowest = max(l.r.slowest, time.Since(l.began))
		}
	}
	if m := restoreLine.FindStringSubmatch(line); m != nil {
		l.From, _ = strconv.ParseInt(m[1], 10, 64)
		l.Latest = l.From
	}
}

// come reports whether the life's moment has come.
func (l *life) come() bool {
	m := l.Moment
	if m.Kind == InRestore {
		return l.From > 0
	}
	if l.Checkpoints < m.Checkpoints {
		return false
	}
	switch m.Kind {
	case WithBroker:
		return true
	case MidCheckpoint: // on a fast disk one is over before it is seen: then it is killed all the same
		return l.r.begun(l.Latest+1) || l.Checkpoints >= m.Checkpoints+missed
	}
	written, ok := l.lines.count()
	if !ok {
		return false
	}
	if l.since < 0 {
		l.since = written
	}
	return written-l.since >= int64(m.Lines)
}

// missed is how many checkpoints may be over before they are seen half taken.
const missed = 10

// begun reports whether a checkpoint has parts and no manifest.
func (r *runner) begun(id int64) bool {
	dir := filepath.Join(r.checkpoints, fmt.Sprintf("chk-%06d", id))
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) == 0 {
		return false
	}
	_, err = os.Stat(filepath.Join(dir, "manifest.json"))
	return os.IsNotExist(err)
}
