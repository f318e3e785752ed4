package engine

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
)

// CrashPoint is a moment at which the simulated driver kills the worker: before or after the n-th
// time that a task does something. It prints and parses as
//
//	after packet at assemble, n=12
//
// What is one of poll (of a source), packet, work (a flush has ended) and clock.
type CrashPoint struct {
	After bool
	What  string
	At    string // the uid of the task's first operator; empty for clock
	N     int    // counted from 1
}

func (p CrashPoint) String() string {
	when := "before"
	if p.After {
		when = "after"
	}
	if p.At == "" {
		return fmt.Sprintf("%s %s, n=%d", when, p.What, p.N)
	}
	return fmt.Sprintf("%s %s at %s, n=%d", when, p.What, p.At, p.N)
}

var crashPoint = regexp.MustCompile(`^(before|after) (poll|packet|work|clock)(?: at ([\w-]+))?, n=([1-9]\d*)$`)

// ParseCrashPoint reads what String prints.
func ParseCrashPoint(s string) (CrashPoint, error) {
	m := crashPoint.FindStringSubmatch(s)
	if m == nil {
		return CrashPoint{}, fmt.Errorf("%q is no crash point: write it as %q", s, CrashPoint{After: true, What: "packet", At: "assemble", N: 12})
	}
	n, err := strconv.Atoi(m[4])
	if err != nil {
		return CrashPoint{}, fmt.Errorf("%q: %w", s, err)
	}
	return CrashPoint{After: m[1] == "after", What: m[2], At: m[3], N: n}, nil
}

// ErrCrashed is what a simulation ends with at its crash point. Its tasks are gone, with everything
// that was not written outside.
var ErrCrashed = errors.New("the worker was killed")

// CrashAt has the simulation end at a point. Fired tells afterwards whether it was reached.
func (s *Simulation) CrashAt(p CrashPoint) { s.crash = &p }

// Fired reports whether the crash point was reached.
func (s *Simulation) Fired() bool { return s.fired }

// Happened counts how often each kind of thing has happened so far, at which task: what a crash point
// can name. N is the count.
func (s *Simulation) Happened() map[CrashPoint]int { return s.happened }

// count notes that something is about to happen and reports whether the worker dies before or after.
func (s *Simulation) count(c choice) (before, after bool) {
	p := CrashPoint{What: [...]string{"packet", "poll", "work", "clock"}[c.kind]}
	switch c.kind {
	case workEnds:
		p.At = s.tasks[s.works[c.task].task].head.self().ctx.UID
	case packetArrives, sourcePolled:
		p.At = s.tasks[c.task].head.self().ctx.UID
	}
	s.happened[p]++
	if s.crash == nil || s.crash.What != p.What || s.crash.At != p.At || s.crash.N != s.happened[p] {
		return false, false
	}
	s.fired = true
	return !s.crash.After, s.crash.After
}
