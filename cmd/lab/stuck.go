package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// A job stops between two calls of its functions, so one that never returns would hold a Ctrl-C up for ever:
// Go cannot end a goroutine from outside. Such a call is told from a slow one by its stack. At every look,
// for a second, the same goroutine is in the same call.
const (
	stuckLook  = 100 * time.Millisecond
	stuckLooks = 11
	slowLooks  = 30 // after so many the user is told that the process can be ended at once
)

// call is a function of a job that the engine has called and that has not returned.
type call struct {
	is       string // the goroutine, and the call with its arguments
	function string // the innermost function of an exercise in it
	at       string // file:line
}

// endIfStuck ends the process, once it has been interrupted, if a function of the job does not return.
// Otherwise it goes on looking: the command ends by itself, and the process with it.
func endIfStuck(stderr io.Writer, end func(code int)) {
	seen := map[string]int{} // looks in a row, by call
	for looks := 1; ; looks++ {
		time.Sleep(stuckLook)
		if looks == slowLooks && isTerminal(stderr) {
			fmt.Fprintln(stderr, "lab: still tidying up; another Ctrl-C ends this at once, and may leave files behind")
		}
		now := map[string]int{}
		for _, c := range callsIn(allStacks()) {
			now[c.is] = seen[c.is] + 1
			if now[c.is] == stuckLooks {
				fmt.Fprintf(stderr, "lab: interrupted, but the job does not stop: for a second it has been in %s, at %s\n", c.function, c.at)
				end(exitWrong)
				return
			}
		}
		seen = now
	}
}

// allStacks are the stacks of all goroutines, as a crash would print them.
func allStacks() string {
	for size := 1 << 20; ; size *= 2 {
		buf := make([]byte, size)
		if n := runtime.Stack(buf, true); n < size {
			return string(buf[:n])
		}
	}
}

// callsIn finds the calls of a job's functions in stacks. A goroutine that waits for the disk or the network,
// or is in pebble, which waits for its own goroutines at the disk, is left out: what it waits for comes, or fails.
func callsIn(stacks string) (calls []call) {
	for goroutine := range strings.SplitSeq(stacks, "\n\n") {
		lines := strings.Split(strings.TrimSpace(goroutine), "\n")
		head, _, _ := strings.Cut(lines[0], "]")
		id, state, _ := strings.Cut(head, "[")
		if strings.HasPrefix(state, "syscall") || strings.HasPrefix(state, "IO wait") {
			continue
		}
		c := call{}
		for i := 1; i+1 < len(lines); i += 2 { // a function, and where it is; the innermost first
			switch f := lines[i]; {
			case strings.HasPrefix(f, "gatewaymeter/engine."):
				if c.function != "" {
					c.is = id + lines[i-2] + f
					calls = append(calls, c)
				}
				i = len(lines)
			case c.function == "" && strings.HasPrefix(f, "github.com/cockroachdb/pebble/"):
				i = len(lines)
			case c.function == "" && isExercise(f):
				c.function, c.at = functionOf(f), placeOf(lines[i+1])
			}
		}
	}
	return calls
}

// isExercise reports whether a function is of a lab, or stands in for one of a lab in a test of this program.
func isExercise(f string) bool {
	return strings.HasPrefix(f, "gatewaymeter/labs/") || strings.HasPrefix(f, "gatewaymeter/cmd/lab.breakIt")
}

// functionOf is the name of a function in a stack, less its package and arguments:
// RequestAssembler.ProcessElement for gatewaymeter/labs/03-x/solution.(*RequestAssembler).ProcessElement(0x1).
func functionOf(f string) string {
	depth := 0
	for i := len(f) - 1; i >= 0; i-- { // from the end, where the arguments are
		if f[i] == ')' {
			depth++
		} else if f[i] == '(' {
			depth--
		}
		if depth == 0 {
			f = f[:i]
			break
		}
	}
	f = f[strings.LastIndexByte(f, '/')+1:]
	_, f, _ = strings.Cut(f, ".")
	return strings.NewReplacer("(*", "", ")", "", "[...]", "").Replace(f)
}

// placeOf is the file and line of a stack's second line, from the working folder if it is below that.
func placeOf(line string) string {
	place, _, _ := strings.Cut(strings.TrimSpace(line), " ")
	if wd, err := os.Getwd(); err == nil {
		if near, err := filepath.Rel(wd, place); err == nil && !strings.HasPrefix(near, "..") {
			return near
		}
	}
	return place
}
