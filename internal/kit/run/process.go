package run

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"gatewaymeter/internal/kit/suite"
)

// grace is how long a process that missed its deadline may take to print its stacks.
const grace = 5 * time.Second

// warmUp is how long `go tool test2json` may take until it says its first word: Go builds it when it is
// used for the first time, and that must not be charged to an exercise.
const warmUp = 2 * time.Minute

// maxOutput bounds what is kept of a test's or a process's output, in bytes, of the end and of the
// beginning each.
const maxOutput = 32 << 10

// record is what one process said about one top-level test.
type record struct {
	test    string
	action  string // "pass", "fail", "skip"; empty: it did not end
	began   time.Time
	elapsed time.Duration // as seen from here: the test's own figure is rounded to 10 ms
	output  clip
}

// ending is how a process ended.
type ending struct {
	records  map[string]*record // of the tests that began
	verdicts map[string][]suite.Verdict
	last     string // the test that was running, or ran last
	late     bool   // it missed its deadline and was killed
	status   string // "exit status 2"; empty if it ended well
	output   clip   // all of it
}

// clip keeps the beginning and the end of a text.
type clip struct {
	head, tail string
	cut        bool
}

func (c *clip) add(s string) {
	if room := maxOutput - len(c.head); room > 0 && c.tail == "" {
		n := min(room, len(s))
		c.head, s = c.head+s[:n], s[n:]
	}
	c.tail += s
	if len(c.tail) > 2*maxOutput {
		c.tail = c.tail[len(c.tail)-maxOutput:]
		c.cut = true
	}
}

func (c *clip) String() string {
	if c.cut {
		return c.head + "\n… cut …\n" + c.tail
	}
	return c.head + c.tail
}

// event is a line of test2json.
type event struct {
	Action string
	Test   string
	Output string
}

// process runs the tests of those names in one process, and ends it if one of them takes longer than
// the deadline.
func (b *Binary) process(ctx context.Context, tests []string, o Options) (*ending, error) {
	dir, err := os.MkdirTemp(filepath.Dir(b.path), "run-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	verdicts := filepath.Join(dir, "verdicts")
	cmd := exec.Command(b.path, "-test.v=test2json", "-test.paniconexit0", "-test.timeout=0",
		"-test.run=^("+strings.Join(tests, "|")+")$")
	cmd.Dir = b.lab.Dir
	cmd.Env = append(os.Environ(), suite.VerdictsEnv+"="+verdicts, suite.FlagsEnv+"="+o.flags(), "GOTRACEBACK=single",
		"TMPDIR="+dir) // a process that dies does not remove its temporary folders
	if o.Broker != "" {
		cmd.Env = append(cmd.Env, "BROKER="+o.Broker)
	}
	end, err := follow(ctx, cmd, o.deadline())
	if err != nil {
		return nil, err
	}
	if end.verdicts, err = readVerdicts(verdicts); err != nil {
		return nil, err
	}
	return end, nil
}

// flags are those of lab test that choose the same code again.
func (o Options) flags() string {
	var flags strings.Builder
	if o.Solution {
		flags.WriteString(" --solution")
	}
	for i, lab := range o.Mine {
		flags.WriteString([]string{" --mine ", ","}[min(i, 1)])
		fmt.Fprintf(&flags, "%02d", lab.Number)
	}
	return flags.String()
}

func (o Options) deadline() time.Duration {
	if o.Deadline > 0 {
		return o.Deadline
	}
	return DefaultDeadline
}

// follow starts cmd, reads its events through test2json, and waits for its end.
func follow(ctx context.Context, cmd *exec.Cmd, deadline time.Duration) (*ending, error) {
	out, in, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer out.Close()
	converter := exec.Command("go", "tool", "test2json")
	converter.Stdin = out
	converter.Stderr = os.Stderr
	ownGroup(converter) // a Ctrl-C reaches it as the end of its input
	events, err := converter.StdoutPipe()
	if err != nil {
		in.Close()
		return nil, err
	}
	if err := converter.Start(); err != nil {
		in.Close()
		return nil, fmt.Errorf("go tool test2json: %w", err)
	}
	cmd.Stdout, cmd.Stderr = in, in
	ownGroup(cmd)
	err = cmd.Start()
	in.Close() // the process has its own
	if err != nil {
		killGroup(converter)
		_ = converter.Wait() // killed: its status says nothing
		return nil, err
	}
	stop := context.AfterFunc(ctx, func() { killGroup(cmd) })
	defer stop()
	end, err := watch(cmd, decode(bufio.NewReader(events)), deadline)
	killGroup(cmd) // children that the student's code left behind
	status := cmd.Wait()
	convErr := converter.Wait()
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, err
	case errors.As(status, &exit):
		end.status = exit.Error()
	case status != nil:
		return nil, status
	}
	if convErr != nil {
		return nil, fmt.Errorf("go tool test2json: %w", convErr)
	}
	return end, nil
}

// decoded is an event, or why there is none.
type decoded struct {
	event event
	err   error
}

// decode reads events until the process and its converter have closed their output.
func decode(r *bufio.Reader) <-chan decoded {
	out := make(chan decoded)
	go func() {
		defer close(out)
		for dec := json.NewDecoder(r); dec.More(); {
			var d decoded
			d.err = dec.Decode(&d.event)
			out <- d
			if d.err != nil {
				return
			}
		}
	}()
	return out
}

// watch collects the events of cmd. The process gets a deadline when the converter is there, and each
// top-level test that begins a new one.
func watch(cmd *exec.Cmd, events <-chan decoded, deadline time.Duration) (*ending, error) {
	end := &ending{records: map[string]*record{}}
	timer := time.NewTimer(warmUp)
	defer timer.Stop()
	var failed error
	for {
		select {
		case d, ok := <-events:
			if !ok {
				return end, failed
			}
			if d.err != nil {
				failed = fmt.Errorf("the output of test2json cannot be read: %w", d.err)
				killGroup(cmd)
				continue
			}
			begins := d.event.Action == "start" || d.event.Action == "run" && !strings.Contains(d.event.Test, "/")
			if begins && !end.late {
				timer.Reset(deadline)
			}
			end.take(d.event)
		case <-timer.C:
			if end.late { // it did not end by itself after the first warning
				killGroup(cmd)
				continue
			}
			end.late = true
			dump(cmd)
			timer.Reset(grace)
		}
	}
}

// take enters one event.
func (end *ending) take(e event) {
	if e.Action == "output" {
		end.output.add(e.Output)
	}
	root, _, _ := strings.Cut(e.Test, "/")
	if root == "" {
		return
	}
	rec := end.records[root]
	if rec == nil {
		rec = &record{test: root}
		end.records[root] = rec
	}
	switch e.Action {
	case "run":
		end.last = root
		if e.Test == root {
			rec.began = time.Now()
		}
	case "output":
		rec.output.add(e.Output)
	case "pass", "fail", "skip":
		if e.Test == root {
			rec.action, rec.elapsed = e.Action, time.Since(rec.began)
		}
	}
}

// readVerdicts reads what the suite wrote down, by top-level test. No file means no verdicts.
func readVerdicts(path string) (map[string][]suite.Verdict, error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	all := map[string][]suite.Verdict{}
	for line := range strings.Lines(string(text)) {
		if !strings.HasSuffix(line, "\n") {
			break // the process was killed while it wrote
		}
		var v suite.Verdict
		if err := json.Unmarshal([]byte(line), &v); err != nil {
			return nil, fmt.Errorf("a verdict cannot be read: %w", err)
		}
		root, _, _ := strings.Cut(v.Test, "/")
		all[root] = append(all[root], v)
	}
	return all, nil
}
