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

	"gatewaymeter/internal/kit/overlay"
)

// runMine builds this program with the student's own labs in place of ours, and runs the same command
// with it, less --mine. Exit code and Ctrl-C pass through.
func runMine(cmd *cobra.Command, labs []string) error {
	tmp, err := os.MkdirTemp("", "gatewaymeter-mine-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	program, err := buildMine(cmd, tmp, labs)
	if err != nil {
		return err
	}
	child := exec.CommandContext(cmd.Context(), program, withoutMine(os.Args[1:])...)
	child.Stdin, child.Stdout, child.Stderr = cmd.InOrStdin(), cmd.OutOrStdout(), cmd.ErrOrStderr()
	ownGroup(child) // a Ctrl-C reaches it once, through us: the second would end it on the spot
	politely(child)
	err = child.Run()
	var status *exec.ExitError
	if errors.As(err, &status) {
		if status.ExitCode() < 0 {
			return fmt.Errorf("the run with your code ended by a signal: %w", status)
		}
		return exit(status.ExitCode())
	}
	return err
}

// buildMine builds the program over the student's starters.
func buildMine(cmd *cobra.Command, tmp string, labs []string) (program string, err error) {
	ctx := cmd.Context()
	repo, err := openRepo()
	if err != nil {
		return "", err
	}
	chosen, err := repo.Select(labs...)
	if err != nil {
		return "", fmt.Errorf("--mine: %w", err)
	}
	var mappings []overlay.Mapping
	for _, lab := range chosen {
		mappings = append(mappings, overlay.Mapping{Target: lab.Solution(), Source: lab.Starter()})
	}
	o, err := overlay.New(tmp, mappings...)
	if err != nil {
		return "", err
	}
	if err := o.Prove(ctx, repo.Root); err != nil {
		return "", err
	}
	program = filepath.Join(tmp, "lab")
	fmt.Fprintf(cmd.ErrOrStderr(), "lab: building with your code of lab %s …\n", strings.Join(labs, ", "))
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
		return "", &exitError{code: exitWrong, err: fmt.Errorf("your code of lab %s does not compile:\n%s", strings.Join(labs, ", "), bytes.TrimSpace(out.Bytes()))}
	}
	return program, nil
}

// politely ends a command by an interrupt, so that it can clean up behind itself, and kills it after
// ten seconds.
func politely(cmd *exec.Cmd) {
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 10 * time.Second
}

// withoutMine is the command line less --mine and its value.
func withoutMine(args []string) (rest []string) {
	for i := 0; i < len(args); i++ {
		switch {
		case args[i] == "--mine":
			i++
		case strings.HasPrefix(args[i], "--mine="):
		default:
			rest = append(rest, args[i])
		}
	}
	return slices.Clip(rest)
}
