package suite

import (
	"fmt"
	"runtime"
	"strings"
	"sync"

	"gatewaymeter/todo"
)

// Recorder stands in for a testing.T when the test under test is the student's: it has the methods of
// stream.TestingT and keeps what it is told. It may be used from several goroutines.
type Recorder struct {
	mu     sync.Mutex
	failed bool
	msgs   []string
}

// Helper does nothing; a recorder reports no lines.
func (r *Recorder) Helper() {}

// Errorf records a failure and goes on.
func (r *Recorder) Errorf(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failed = true
	r.msgs = append(r.msgs, strings.TrimSpace(fmt.Sprintf(format, args...)))
}

// FailNow records a failure and ends the calling goroutine, which must be that of the check.
func (r *Recorder) FailNow() {
	r.mu.Lock()
	r.failed = true
	r.mu.Unlock()
	runtime.Goexit()
}

// Check runs a student's check against a recorder, in a goroutine of its own, and returns when it
// has ended: whether it failed, and with which messages. A panic counts as a failure, with its text
// and the student's frames as the message; the panic of an unwritten exercise goes on in the caller.
//
//	failed, msgs := suite.Check(func(r *suite.Recorder) { starter.LeakTest(r, wrong.Forgets) })
func Check(check func(r *Recorder)) (failed bool, msgs []string) {
	r := &Recorder{}
	var unwritten *todo.Error
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() {
			v := recover()
			if v == nil {
				return
			}
			if e, ok := todo.Of(v); ok {
				unwritten = e
				return
			}
			r.Errorf("panic: %s%s", bound(fmt.Sprint(v)), stackText(panicFrames()))
		}()
		check(r)
	}()
	<-done
	if unwritten != nil {
		panic(unwritten)
	}
	return r.failed, r.msgs
}
