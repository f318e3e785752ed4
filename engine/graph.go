package engine

import (
	"errors"
	"fmt"
	"sync"

	"gatewaymeter/stream"
)

// Job is a graph of operators and the parts that run it. It is built once, by From, Process, KeyBy
// and the others, and can then be started any number of times. Building is not safe for concurrent
// use.
type Job struct {
	Name        string
	Parts       Parts
	Parallelism int // of every operator that does not say otherwise; at least 1
	// Warn is told what will be regretted later and is no mistake yet: state without a uid. nil: the log.
	Warn func(message string)

	warned *sync.Map // uids of which Warn has been told
	batch  int       // records a packet, at most about twice that
	clock  stream.Clock
	trace  func(stream.Step)
	probe  probe // of the simulated driver
	nodes  []*node
	errs   []error
}

// DefaultBatch is the number of records that a packet gathers before it is sent (contracts: batches
// near 200 set most of the distance to a hand-written loop).
const DefaultBatch = 256

// NewJob starts an empty graph.
func NewJob(name string, parts Parts, parallelism int) *Job {
	j := &Job{Name: name, Parts: parts, Parallelism: parallelism, batch: DefaultBatch, clock: SystemClock{}, warned: new(sync.Map)}
	if parallelism < 1 {
		j.fail(fmt.Errorf("parallelism %d: it must be at least 1", parallelism))
	}
	return j
}

// SetTrace records every step of every operator; call it before the job is started. The function is
// called from all tasks' goroutines.
func (j *Job) SetTrace(f func(stream.Step)) { j.trace = f }

// fail remembers a mistake in the graph; Validate and Start report all of them.
func (j *Job) fail(err error) { j.errs = append(j.errs, err) }

// Validate says what is wrong with the graph: a doubled uid, a part that this stage of the
// engine does not have.
func (j *Job) Validate() error {
	errs := j.errs
	seen := map[string]bool{}
	for _, n := range j.nodes {
		if seen[n.uid] {
			errs = append(errs, fmt.Errorf("uid %q is used twice: on restore both would claim the same state", n.uid))
		}
		seen[n.uid] = true
		if n.keyed && j.Parts.Backend == nil {
			errs = append(errs, fmt.Errorf("operator %q is keyed, but the engine has no backend (lab 03)", n.uid))
		}
		if n.keyed && j.Parts.Groups == nil {
			errs = append(errs, fmt.Errorf("operator %q is keyed, but the engine has no key groups (lab 02)", n.uid))
		} else if n.keyed && j.parallelismOf(n) > j.Parts.Groups.Max() {
			errs = append(errs, fmt.Errorf("operator %q has parallelism %d, more than the job's %d key groups: some subtasks would own no key",
				n.uid, j.parallelismOf(n), j.Parts.Groups.Max()))
		}
	}
	return errors.Join(errs...)
}

func (j *Job) parallelismOf(n *node) int {
	if n.parallelism > 0 {
		return n.parallelism
	}
	return j.Parallelism
}

// node is one operator of the graph.
type node struct {
	job         *Job
	uid         string
	generated   bool   // it was given no uid
	kind        string // source, keyed, function, broadcast, sink
	parallelism int    // 0: the job's
	keyed       bool
	inputs      []*connection
	make        func(b *base) operator // the typed operator of one subtask
}

// connection is a stream from one operator to an input of another.
type connection struct {
	from, to *node
	side     string // the side output it reads; empty for the main one
	dispatch dispatch
	// attach hangs a receiver behind the sender's output; newEdge makes one that leads to other
	// tasks. Both know the element's type, which nothing else here does.
	attach  func(from operator, r any)
	newEdge func(t *Task, to []address, parallelism int) edge
}

// dispatch is how a connection distributes its records over the receiving subtasks.
type dispatch uint8

const (
	forwarding dispatch = iota
	hashing
	broadcasting
)

// chained reports whether the connection is a plain call inside one task: nothing is redistributed,
// both sides have as many subtasks, and the receiver has no other input.
func (c *connection) chained() bool {
	return c.dispatch == forwarding && len(c.to.inputs) == 1 && !c.to.keyed &&
		c.from.job.parallelismOf(c.from) == c.from.job.parallelismOf(c.to)
}
