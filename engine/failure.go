package engine

import (
	"errors"
	"fmt"
	"runtime/debug"
	"strings"

	"gatewaymeter/stream"
	"gatewaymeter/todo"
)

// Failure is why a job failed: which operator, where, and what it was doing.
type Failure struct {
	UID     string // empty: it was beside the operators, where checkpoints are taken
	Subtask int
	Key     string // the key that was current; empty if none
	Element string // the element or timer that was being handled
	Err     error
	Stack   string // of a panic; empty for an error
}

func (f *Failure) Error() string {
	var b strings.Builder
	if f.UID == "" {
		b.WriteString("beside the operators")
	} else {
		fmt.Fprintf(&b, "operator %q, subtask %d", f.UID, f.Subtask)
	}
	if f.Key != "" {
		fmt.Fprintf(&b, ", key %q", f.Key)
	}
	if f.Element != "" {
		fmt.Fprintf(&b, ", while it handled %s", f.Element)
	}
	fmt.Fprintf(&b, ": %v", f.Err)
	if f.Stack != "" {
		fmt.Fprintf(&b, "\n%s", f.Stack)
	}
	return b.String()
}

func (f *Failure) Unwrap() error { return f.Err }

// abort carries an error through a function that cannot return one: Collect, in a chain.
type abort struct{ err error }

// guard turns a panic into an error. Deferred by every entry point of a task.
func (t *Task) guard(err *error) {
	v := recover()
	if v == nil && *err == nil {
		return
	}
	if _, dead := v.(killed); dead {
		*err = ErrCrashed
		return
	}
	if errors.Is(*err, ErrCrashed) {
		return
	}
	f := &Failure{Subtask: t.Subtask, Err: *err}
	switch v := v.(type) {
	case nil:
	case abort:
		f.Err = v.err
	case *stream.StateError:
		f.Err = v
	default:
		f.panicked(v)
	}
	if t.current != nil {
		f.UID = t.current.ctx.UID
		f.Key = currentKey(t.current.ctx)
	}
	if t.head != nil {
		f.Element = t.head.handling()
	}
	*err = f
}

// panicked takes note of a recovered panic: that of an unwritten exercise is told as it is.
func (f *Failure) panicked(v any) {
	if unwritten, ok := todo.Of(v); ok {
		f.Err = unwritten
		return
	}
	f.Err, f.Stack = fmt.Errorf("panic: %v", v), trimStack(debug.Stack())
	if e, ok := v.(error); ok {
		f.Err = fmt.Errorf("panic: %w", e)
	}
}

func currentKey(c *stream.Context) (key string) {
	if c.Backend == nil {
		return ""
	}
	defer func() { _ = recover() }() // no key is current: nothing to tell
	return c.Key()
}

// trimStack cuts the frames of the runtime and of guard itself off a panic's stack.
func trimStack(stack []byte) string {
	s := string(stack)
	if i := strings.LastIndex(s, "panic("); i >= 0 {
		if j := strings.Index(s[i:], "\n"); j >= 0 {
			s = s[i+j+1:]
			if k := strings.Index(s, "\n"); k >= 0 {
				s = s[k+1:] // the file line of panic itself
			}
		}
	}
	lines := strings.Split(s, "\n")
	return strings.Join(lines[:min(len(lines), calledBy(lines), 20)], "\n")
}

// calledBy is how many lines of a stack come before the engine's own, which called the function that
// panicked: how it did so is nobody's fault. Where the engine itself panicked it is all of them.
func calledBy(lines []string) int {
	const ours = "gatewaymeter/engine."
	if strings.HasPrefix(lines[0], ours) {
		return len(lines)
	}
	for i, l := range lines {
		if strings.HasPrefix(l, ours) {
			return i
		}
	}
	return len(lines)
}
