package run

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"gatewaymeter/internal/kit/course"
	"gatewaymeter/internal/kit/overlay"
)

// Binary is the built test binary of a lab. Several runs of it may go on at once.
type Binary struct {
	repo  *course.Repo
	lab   *course.Lab
	path  string
	plain bool // as go test builds it: no code is put in the place of other code
}

// maxErrors is how many of the compiler's errors a message shows.
const maxErrors = 5

// CompileError is the words of a compiler that refused a lab's test binary.
type CompileError struct {
	lines []string // "labs/09-sample/starter/a.go:5:2: undefined: x", or anything else go says
}

func (e *CompileError) Error() string { return "does not compile: " + e.Text() }

// Text is the first errors, a line each.
func (e *CompileError) Text() string {
	lines := e.lines
	if len(lines) > maxErrors {
		lines = append(lines[:maxErrors:maxErrors], fmt.Sprintf("… %d more lines", len(e.lines)-maxErrors))
	}
	return "  " + strings.Join(lines, "\n  ")
}

// Build builds a lab's suite with the mappings into the folder tmp. The error is a *CompileError if
// the code is at fault.
func Build(ctx context.Context, repo *course.Repo, lab *course.Lab, tmp string, mappings ...overlay.Mapping) (*Binary, error) {
	over, err := overlay.New(tmp, mappings...)
	if err != nil {
		return nil, err
	}
	if err := over.Prove(ctx, repo.Root); err != nil {
		return nil, err
	}
	bin := &Binary{repo: repo, lab: lab, path: filepath.Join(tmp, "suite.test"), plain: len(mappings) == 0}
	// Without the debugger's tables linking takes half as long; stacks do not need them.
	args := append([]string{"test", "-c", "-ldflags=-s -w", "-o", bin.path}, over.Flags()...)
	cmd := exec.Command("go", append(args, "./"+repo.Rel(lab.Dir))...)
	cmd.Dir = repo.Root
	cmd.Env = append(os.Environ(), "GOTMPDIR="+tmp) // an interrupted build leaves files behind
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err = wait(ctx, cmd)
	var exit *exec.ExitError
	if errors.As(err, &exit) && ctx.Err() == nil {
		return nil, compileError(out.String())
	}
	return bin, err
}

// compileError picks the errors out of what the go command printed.
func compileError(out string) *CompileError {
	e := &CompileError{}
	for line := range strings.Lines(out) {
		line = strings.TrimRight(line, "\n")
		if strings.TrimSpace(line) == "" || strings.HasPrefix(line, "# ") || strings.HasPrefix(line, "FAIL") {
			continue
		}
		e.lines = append(e.lines, line)
		if strings.HasSuffix(line, `"gatewaymeter/todo" imported and not used`) {
			e.lines = append(e.lines, "  (nothing in that file is unwritten any more: delete the import)")
		}
	}
	if len(e.lines) == 0 {
		e.lines = []string{"go test -c failed without a word"}
	}
	return e
}

// wait runs a command in a process group of its own until it ends or ctx does, which kills the group.
func wait(ctx context.Context, cmd *exec.Cmd) error {
	ownGroup(cmd)
	if err := cmd.Start(); err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, func() { killGroup(cmd) })
	defer stop()
	err := cmd.Wait()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}
