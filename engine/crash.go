package engine

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// The steps before and after which the simulated driver can kill the worker.
const (
	PointRestore  = "restore"
	PointRead     = "read"
	PointProcess  = "process"
	PointEmit     = "emit"
	PointTimer    = "timer"
	PointBarrier  = "barrier"
	PointAlign    = "alignment"
	PointSnapshot = "snapshot"
	PointFlush    = "flush"
	PointAck      = "acknowledge"
	PointComplete = "complete"
	PointNotify   = "notify"
)

// CrashTable is every crash point, in the order in which an element and then a checkpoint meets them,
// and what the step is. The page docs/crash-points.md is made from it.
var CrashTable = []struct{ Name, Step string }{
	{PointRestore, "a subtask is made, its state restored, its functions opened"},
	{PointRead, "a source is polled: it reads, decodes and sends"},
	{PointProcess, "a task processes the records of one packet"},
	{PointEmit, "a packet leaves a task's outbox for another task's inbox"},
	{PointTimer, "a timer fires"},
	{PointBarrier, "a barrier arrives at one input of a task"},
	{PointAlign, "the last barrier has arrived: the task's alignment is complete"},
	{PointSnapshot, "a task forwards the barrier and copies its state"},
	{PointFlush, "a sink's flush, after which its writes are safe outside"},
	{PointAck, "a subtask's part is stored, and the coordinator hears of it"},
	{PointComplete, "the manifest is written: from here on the checkpoint exists"},
	{PointNotify, "a task is told that the checkpoint is complete"},
}

// CrashPoint is a moment at which the simulated driver kills the worker: before or after the n-th
// time that a step happens at an operator's task. It prints and parses as
//
//	after snapshot at assemble, n=2
//
// See CrashTable for the steps. Without an operator it is the n-th time at any: "before complete, n=1".
type CrashPoint struct {
	After bool
	What  string
	At    string // the uid of the task's first operator; empty: any
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

var crashPoint = regexp.MustCompile(`^(before|after) (\w+)(?: at ([\w-]+))?, n=([1-9]\d{0,8})$`)

// ParseCrashPoint reads what String prints.
func ParseCrashPoint(s string) (CrashPoint, error) {
	m := crashPoint.FindStringSubmatch(s)
	if m == nil {
		return CrashPoint{}, fmt.Errorf("%q is no crash point: write it as %q", s, CrashPoint{After: true, What: PointProcess, At: "assemble", N: 12})
	}
	n, err := strconv.Atoi(m[4])
	if err != nil {
		return CrashPoint{}, fmt.Errorf("%q: %w", s, err)
	}
	var names []string
	for _, row := range CrashTable {
		if row.Name == m[2] {
			return CrashPoint{After: m[1] == "after", What: m[2], At: m[3], N: n}, nil
		}
		names = append(names, row.Name)
	}
	return CrashPoint{}, fmt.Errorf("%q: there is no step %q; the steps are %s", s, m[2], strings.Join(names, ", "))
}

// ErrCrashed is what a simulation ends with at its crash point. Its tasks are gone, with everything
// that was not written outside.
var ErrCrashed = errors.New("the worker was killed")

// crash watches for a crash point and counts what happens on the way.
type crash struct {
	at       *CrashPoint // nil: none
	armed    func() bool // see Simulation.CrashWhen
	fired    bool
	where    CrashPoint         // where it fired
	happened map[CrashPoint]int // by step and operator, and by step alone; N and After empty
}

// probe implements probe: it panics with killed at the point.
func (c *crash) probe(what, uid string, after bool) {
	p := CrashPoint{What: what, At: uid}
	if !after {
		c.happened[p]++
		if uid != "" {
			c.happened[CrashPoint{What: what}]++
		}
	}
	if c.at == nil || c.fired || c.at.What != what || c.at.After != after || !c.here(p) {
		return
	}
	c.fired = true
	c.where = CrashPoint{After: after, What: what, At: uid, N: c.happened[p]}
	panic(killed{})
}

// here compares operator and count with the point that is looked for, or asks whether it is time.
func (c *crash) here(p CrashPoint) bool {
	if c.armed != nil {
		return c.armed()
	}
	if c.at.At == "" {
		p.At = ""
	}
	return c.at.At == p.At && c.at.N == c.happened[p]
}

// survive turns a kill outside a task into ErrCrashed. Deferred.
func survive(err *error) {
	switch v := recover().(type) {
	case nil:
	case killed:
		*err = ErrCrashed
	default:
		panic(v)
	}
}
