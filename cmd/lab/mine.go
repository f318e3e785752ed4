package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"gatewaymeter/internal/kit/course"
	"gatewaymeter/internal/kit/overlay"
	"gatewaymeter/internal/scratch"
)

// code is whose code a command runs on, if not ours. It is built into a program of its own.
type code struct {
	flag     string // as it is typed
	whose    string // "your code of lab 03"
	mappings func(repo *course.Repo, tmp string) ([]overlay.Mapping, error)
}

// codeVariable tells that program with which flag it was asked for, since it does not get the flag.
const codeVariable = "GATEWAYMETER_CODE"

// runMine builds this program with the student's own labs in place of ours, and runs the same command
// with it, less --mine. Exit code and Ctrl-C pass through.
func runMine(cmd *cobra.Command, labs []string) error {
	names := strings.Join(labs, ",")
	return runOn(cmd, code{"--mine " + names, "your code of lab " + strings.ReplaceAll(names, ",", ", "), func(repo *course.Repo, _ string) ([]overlay.Mapping, error) {
		chosen, err := repo.Select(labs...)
		if err != nil {
			return nil, fmt.Errorf("--mine: %w", err)
		}
		var mappings []overlay.Mapping
		for _, lab := range chosen {
			mappings = append(mappings, overlay.Mapping{Target: lab.Solution(), Source: lab.Starter()})
		}
		return mappings, nil
	}})
}

// runOn runs the same command on other code, and passes its exit code on.
func runOn(cmd *cobra.Command, c code) error {
	tmp, remove, err := scratch.New("mine")
	if err != nil {
		return err
	}
	defer remove()
	program, err := c.build(cmd, tmp)
	if err != nil {
		return err
	}
	child := exec.CommandContext(cmd.Context(), program, withoutCode(os.Args[1:])...)
	child.Env = append(os.Environ(), codeVariable+"="+c.flag)
	child.Stdin, child.Stdout, child.Stderr = cmd.InOrStdin(), cmd.OutOrStdout(), cmd.ErrOrStderr()
	ownGroup(child) // a Ctrl-C reaches it once, through us: the second would end it on the spot
	politely(child)
	err = child.Run()
	var status *exec.ExitError
	if errors.As(err, &status) {
		if status.ExitCode() < 0 {
			return fmt.Errorf("the run with %s ended by a signal: %w", c.whose, status)
		}
		return exit(status.ExitCode())
	}
	return err
}

// build builds the program over other code.
func (c code) build(cmd *cobra.Command, tmp string) (program string, err error) {
	ctx := cmd.Context()
	repo, err := openRepo()
	if err != nil {
		return "", err
	}
	mappings, err := c.mappings(repo, tmp)
	if err != nil {
		return "", err
	}
	o, err := overlay.New(tmp, mappings...)
	if err != nil {
		return "", err
	}
	if err := o.Prove(ctx, repo.Root); err != nil {
		return "", err
	}
	program = filepath.Join(tmp, "lab")
	fmt.Fprintf(cmd.ErrOrStderr(), "lab: building with %s …\n", c.whose)
	// Without the debugger's tables linking takes half as long.
	args := append([]string{"build", "-ldflags=-s -w"}, o.Flags()...)
	build := exec.CommandContext(ctx, "go", append(args, "-o", program, "./cmd/lab")...)
	build.Dir = repo.Root
	build.Env = append(os.Environ(), "TMPDIR="+tmp, "GOTMPDIR="+tmp) // an interrupted build leaves files behind
	politely(build)
	var out bytes.Buffer
	build.Stdout, build.Stderr = &out, &out
	if err := build.Run(); err != nil {
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		return "", &exitError{code: exitWrong, err: fmt.Errorf("%s does not compile:\n%s", c.whose, bytes.TrimSpace(out.Bytes()))}
	}
	return program, nil
}

// politely ends a command by an interrupt, so that it can clean up behind itself, and kills it after
// ten seconds.
func politely(cmd *exec.Cmd) {
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 10 * time.Second
}

// withoutCode is the command line less the flags that say whose code it runs on.
func withoutCode(args []string) (rest []string) {
	for i := 0; i < len(args); i++ {
		switch name, _, joined := strings.Cut(args[i], "="); {
		case name != "--mine" && name != "--mutant":
			rest = append(rest, args[i])
		case !joined:
			i++ // the value
		}
	}
	return slices.Clip(rest)
}
