package suite

import (
	"fmt"
	"testing"
)

// Step is what a test is at when it plays a script on the student's code.
type Step struct {
	File  string   // of the script, as seen from the test's folder
	Line  int      // in that file, from 1
	Scene string   // the title
	Input string   // the step's text
	Why   string   // the reason that the script gives for it; may be empty
	Past  []string // the steps before it, oldest first
}

// During runs a step. Whatever ends the test in it says which step it was: a panic of the student, a
// failed check of this package, and what knows nothing of scenes, such as an operator's error in a
// harness or testify's require, which gets a verdict that refers to the text above it. A step that
// meets an unwritten body is a TODO as ever.
func During(t *testing.T, s Step, run func()) {
	t.Helper()
	e := exerciseOf(t)
	if e == nil {
		run()
		return
	}
	book.Lock()
	e.step = &s
	said := e.said
	book.Unlock()
	failed := t.Failed()
	defer func() { // a panic goes on to recoverIn, which needs the step and lets go of it
		t.Helper()
		if t.Failed() && !failed && !hasSaid(e, said) {
			say(t, OutcomeWrong, fmt.Sprintf("WRONG %s: %s%s", e.id, SeeAbove, stepText(t)))
		}
	}()
	run()
	takeStep(t)
}

// SeeAbove is the whole of a verdict whose reason is what the test printed before.
const SeeAbove = "see the failed check above"

func hasSaid(e *exercise, before int) bool {
	book.Lock()
	defer book.Unlock()
	return e.said > before
}

// takeStep ends the step that t is in, and returns it; nil if there is none.
func takeStep(t testing.TB) *Step {
	e := exerciseOf(t)
	if e == nil {
		return nil
	}
	book.Lock()
	defer book.Unlock()
	s := e.step
	e.step = nil
	return s
}

// currentStep is the step that t is in; nil if there is none.
func currentStep(t testing.TB) *Step {
	e := exerciseOf(t)
	if e == nil {
		return nil
	}
	book.Lock()
	defer book.Unlock()
	return e.step
}

// stepText is what a message says of the step that t is in, beneath its first lines; empty if it is in
// none. The steps before it are not in it.
func stepText(t testing.TB) string {
	s := currentStep(t)
	if s == nil {
		return ""
	}
	return Failure{Input: s.Input, step: s}.fields(idOf(t), labDir())
}

// text is the step's place and reason.
func (s *Step) text() string {
	if s == nil {
		return ""
	}
	text := fmt.Sprintf("%s:%d (%s)", relative(s.File), s.Line, s.Scene)
	if s.Why != "" {
		text += ": " + s.Why
	}
	return bound(text)
}
