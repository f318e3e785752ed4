package engine

import (
	"errors"
	"fmt"
	"strings"

	"gatewaymeter/stream"
)

// instantiate makes the tasks of a job, opened and wired, from nothing or from a snapshot. On an
// error everything that was opened is closed again.
func (j *Job) instantiate(restored map[string][]OperatorSnapshot) (tasks []*Task, err error) {
	if err := j.Validate(); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, closeAll(tasks))
			tasks = nil
		}
	}()
	vertices := j.vertices()
	first := map[*node]int{} // the ID of the first subtask of a vertex, by each of its operators
	for _, v := range vertices {
		for _, n := range v.chain {
			first[n] = len(tasks)
		}
		for subtask := range v.parallelism {
			t := &Task{ID: len(tasks), Name: v.name(), Subtask: subtask, job: j, batch: j.batch, mark: stream.NoTime, probe: j.probe}
			tasks = append(tasks, t)
			t.makeInputs(v.chain[0])
		}
	}
	for _, v := range vertices {
		for subtask := range v.parallelism {
			t := tasks[first[v.chain[0]]+subtask]
			t.metrics.senders = v.chain[0].senders(subtask, first)
			err := t.restoring(v.chain[0].uid, func() error { return t.makeChain(v, first, restored) })
			if err != nil {
				return tasks, err
			}
		}
	}
	j.warnOfUIDs(vertices, tasks, first)
	return tasks, nil
}

// makeInputs numbers a task's input channels: connection by connection, one channel for each sender
// that can reach it.
func (t *Task) makeInputs(head *node) {
	for i, c := range head.inputs {
		for range c.senders(t.Subtask) {
			t.inputs = append(t.inputs, i)
		}
	}
	t.ended = make([]bool, len(t.inputs))
	t.open = len(t.inputs)
	if parts := t.job.Parts; t.open > 0 {
		if parts.Valve != nil {
			t.valve = parts.Valve(t.open)
		}
		if parts.Aligner != nil {
			t.aligner = parts.Aligner(t.open)
		}
	}
}

// senders lists the subtasks of the sending operator that have a channel to this receiver.
func (c *connection) senders(receiver int) []int {
	p := c.from.job.parallelismOf(c.from)
	if c.dispatch == forwarding && p == c.from.job.parallelismOf(c.to) {
		return []int{receiver}
	}
	all := make([]int, p)
	for i := range all {
		all[i] = i
	}
	return all
}

// senders lists the IDs of the tasks that send to a subtask, one for each of its inputs.
func (n *node) senders(subtask int, first map[*node]int) (ids []int) {
	for _, c := range n.inputs {
		for _, s := range c.senders(subtask) {
			ids = append(ids, first[c.from]+s)
		}
	}
	return ids
}

// inputOf is the number of the channel that comes from a sender.
func (c *connection) inputOf(sender, receiver int) int {
	n := 0
	for _, before := range c.to.inputs {
		for _, s := range before.senders(receiver) {
			if before == c && s == sender {
				return n
			}
			n++
		}
	}
	panic(fmt.Sprintf("%s has no channel from subtask %d of %s: this is a fault of the engine", c.to.uid, sender, c.from.uid))
}

// makeChain makes, wires and opens the operators of a task, last first, so that nothing is emitted
// to an operator that is not open yet.
func (t *Task) makeChain(v *vertex, first map[*node]int, restored map[string][]OperatorSnapshot) error {
	made := map[*node]operator{}
	for _, n := range v.chain {
		made[n] = n.make(t.base(n, v.parallelism))
		t.chain = append(t.chain, made[n])
	}
	t.head = t.chain[0].(head)
	for _, n := range v.chain {
		for _, c := range t.job.outputsOf(n) {
			if next, ok := made[c.to]; ok {
				c.attach(made[n], next)
				continue
			}
			t.connect(c, made[n], first)
		}
	}
	for i := len(t.chain) - 1; i >= 0; i-- {
		if err := t.openOperator(v.chain[i], t.chain[i], restored[v.chain[i].uid]); err != nil {
			return err
		}
	}
	return nil
}

// restoring is step, for a task whose operators are not made yet.
func (t *Task) restoring(uid string, f func() error) (err error) {
	if t.probe == nil {
		return f()
	}
	defer survive(&err)
	t.probe(PointRestore, uid, false)
	if err := f(); err != nil {
		return err
	}
	t.probe(PointRestore, uid, true)
	return nil
}

// base is the untyped part of one operator of this subtask.
func (t *Task) base(n *node, parallelism int) *base {
	c := &stream.Context{UID: n.uid, Subtask: t.Subtask, Parallelism: parallelism,
		Time: stream.NoTime, Watermark: stream.NoTime, Clock: t.job.clock, Trace: t.job.trace}
	if t.job.Parts.Operator != nil {
		c.Operator = t.job.Parts.Operator()
	}
	return &base{ctx: c, task: t, sides: map[string]any{}}
}

// connect makes the edge of a connection that leaves the task.
func (t *Task) connect(c *connection, from operator, first map[*node]int) {
	parallelism := t.job.parallelismOf(c.to)
	var to []address
	for receiver := range parallelism {
		if c.dispatch == forwarding && len(c.senders(receiver)) == 1 && receiver != t.Subtask {
			continue
		}
		to = append(to, address{task: first[c.to] + receiver, input: c.inputOf(t.Subtask, receiver)})
	}
	e := c.newEdge(t, to, parallelism)
	t.edges = append(t.edges, e)
	c.attach(from, e)
}

func (t *Task) openOperator(n *node, o operator, restored []OperatorSnapshot) (err error) {
	defer t.guard(&err)
	t.current = o.self()
	c := o.self().ctx
	c.Restored = restored != nil
	if err := restoreOperator(c.Operator, t.job.Parts, t.Subtask, c.Parallelism, restored); err != nil {
		return err
	}
	if n.keyed {
		first, last := t.job.Parts.Groups.Range(t.Subtask, c.Parallelism)
		if err := o.self().openBackend(t.job.Parts, first, last, restored); err != nil {
			return err
		}
	}
	return o.open()
}

// outputsOf lists the connections that read an operator, in the order they were made.
func (j *Job) outputsOf(n *node) (out []*connection) {
	for _, to := range j.nodes {
		for _, c := range to.inputs {
			if c.from == n {
				out = append(out, c)
			}
		}
	}
	return out
}

// vertex is a chain of operators that become one task a subtask.
type vertex struct {
	chain       []*node
	parallelism int
}

func (v *vertex) name() string {
	uids := make([]string, len(v.chain))
	for i, n := range v.chain {
		uids[i] = n.uid
	}
	return strings.Join(uids, " -> ")
}

// vertices groups the operators into chains.
func (j *Job) vertices() (vertices []*vertex) {
	of := map[*node]*vertex{}
	for _, n := range j.nodes { // an operator is built after those that it reads
		if len(n.inputs) == 1 && n.inputs[0].chained() {
			v := of[n.inputs[0].from]
			v.chain = append(v.chain, n)
			of[n] = v
			continue
		}
		v := &vertex{chain: []*node{n}, parallelism: j.parallelismOf(n)}
		of[n] = v
		vertices = append(vertices, v)
	}
	return vertices
}
