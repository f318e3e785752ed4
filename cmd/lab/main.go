// Command lab is GatewayMeter's command: it runs the metering job and the course around it.
//
//	go tool lab run          the job, in a minute, checked by the oracle
//	go tool lab test 03      your exercises of lab 03
//	go tool lab --help       all commands, each with an example
//
// One file a command; the work is done in packages. Human text and JSON go to stdout, progress and
// errors to stderr. It exits with 0 if all is well, 1 if something is wrong (a failed exercise, a
// mismatch, lost data), 2 if it was called wrongly, the machine lacks something or it was interrupted, 3 if
// only TODOs are left.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
)

// The exit codes.
const (
	exitWrong = 1
	exitUsage = 2
	exitTodo  = 3
)

// exitError ends the program with a code. Without an err it says no more: the command has.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit status %d", e.code)
	}
	return e.err.Error()
}

func (e *exitError) Unwrap() error { return e.err }

// exit is the error of a command that has said all and ends with that code.
func exit(code int) error { return &exitError{code: code} }

func main() {
	os.Exit(execute(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// execute is main with its surroundings, and the exit code. The first Ctrl-C cancels the command's
// context, and ends the process if a function of the job does not return; the second ends it at once.
func execute(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, func() {
		stop()
		endIfStuck(stderr, os.Exit)
	})
	root := newRoot()
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return 0
	}
	code := exitUsage
	var exit *exitError
	if errors.As(err, &exit) {
		code = exit.code
		err = exit.err
	}
	switch {
	case err == nil:
	case errors.Is(err, context.Canceled) && ctx.Err() != nil:
		code = exitUsage
		fmt.Fprintln(stderr, "lab: interrupted")
	default:
		fmt.Fprintln(stderr, "lab:", err)
	}
	return code
}
