// Package verify is what CI checks, as a list of steps. Each step is a command that anybody can run;
// its output is shown in full when it fails, and its seconds always.
//
// It promises that a step that ran nothing has failed, and that untouched starters are TODO and
// solutions PASS, which plain `go test ./...` cannot say. It leaves the checks themselves to tests.
package verify

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"

	"gatewaymeter/internal/scratch"
)

// Step is one check.
type Step struct {
	Name string
	Run  func(ctx context.Context) (output string, err error)
}

// Runner runs steps in the repository at Root and prints a line for each.
type Runner struct {
	Root string
	Lab  string // the lab program that is running: the steps call it
	Out  io.Writer
}

// All runs the steps in order, all of them, and reports whether every one passed. The last lines are in
// the form of go test, and name the steps that failed. When ctx ends it stops, and none has passed.
func (r *Runner) All(ctx context.Context, steps []Step) bool {
	start := time.Now()
	var failed []string
	for _, s := range steps {
		from := time.Now()
		output, err := s.Run(ctx)
		if ctx.Err() != nil {
			return false
		}
		verdict := "ok  "
		if err != nil {
			verdict, failed = "FAIL", append(failed, s.Name)
		}
		fmt.Fprintf(r.Out, "%s\t%s\t%.1fs\n", verdict, s.Name, time.Since(from).Seconds())
		if err != nil {
			fmt.Fprintf(r.Out, "%s\n%v\n", strings.TrimSpace(output), err)
		}
	}
	if len(failed) > 0 {
		fmt.Fprintf(r.Out, "FAIL\t%s\n%d passed, %d failed\n", strings.Join(failed, "; "), len(steps)-len(failed), len(failed))
		return false
	}
	fmt.Fprintf(r.Out, "ok  \tgatewaymeter\t%.1fs\n%d passed, 0 failed\n", time.Since(start).Seconds(), len(steps))
	return true
}

// command is a step that runs a command in the repository, with more environment.
func (r *Runner) command(name string, env []string, args ...string) Step {
	return Step{name, func(ctx context.Context) (string, error) { return r.exec(ctx, env, args...) }}
}

func (r *Runner) exec(ctx context.Context, env []string, args ...string) (string, error) {
	tmp, remove, err := scratch.New("verify")
	if err != nil {
		return "", err
	}
	defer remove()
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Dir = r.Root
	cmd.Env = append(os.Environ(), env...)
	cmd.Env = append(cmd.Env, "GOTMPDIR="+tmp) // an interrupted go command leaves files behind
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) } // so that it can tidy up
	// A process that it has left behind, and that keeps its output open, is an error.
	cmd.WaitDelay = time.Minute
	if err := cmd.Run(); err != nil {
		return out.String(), fmt.Errorf("%s: %w", strings.Join(args, " "), err)
	}
	return out.String(), nil
}

// goTest is a step that tests packages; that none ran a test is a failure.
func (r *Runner) goTest(name string, env []string, args ...string) Step {
	return Step{name, func(ctx context.Context) (string, error) {
		out, err := r.exec(ctx, env, append([]string{"go", "test"}, args...)...)
		if err == nil && !anyTest(out) {
			err = errors.New("no test ran")
		}
		return out, err
	}}
}

// anyTest reports whether the output of go test speaks of a package that ran a test.
func anyTest(out string) bool {
	for line := range strings.Lines(out) {
		if strings.HasPrefix(line, "ok  \t") && !strings.Contains(line, "[no tests to run]") {
			return true
		}
	}
	return false
}
