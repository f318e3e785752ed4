package engine

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Plan is the job as it will run: tasks, and the channels between them.
type Plan struct {
	Job   string     `json:"job"`
	Tasks []PlanTask `json:"tasks"`
}

// PlanTask is one chain of operators.
type PlanTask struct {
	Name        string         `json:"name"`
	Parallelism int            `json:"parallelism"`
	Operators   []PlanOperator `json:"operators"`
	Inputs      []PlanInput    `json:"inputs"`
}

// PlanOperator is one operator of a chain.
type PlanOperator struct {
	UID   string `json:"uid"`
	Kind  string `json:"kind"`
	Keyed bool   `json:"keyed"`
}

// PlanInput is one stream that a task reads.
type PlanInput struct {
	From     string `json:"from"`           // the uid of the operator
	Side     string `json:"side,omitempty"` // the side output
	Dispatch string `json:"dispatch"`       // hash, forward, rebalance or broadcast
	Channels int    `json:"channels"`       // into each subtask
}

// Plan describes the job. It needs no run.
func (j *Job) Plan() Plan {
	p := Plan{Job: j.Name}
	for _, v := range j.vertices() {
		t := PlanTask{Name: v.name(), Parallelism: v.parallelism, Inputs: []PlanInput{}}
		for _, n := range v.chain {
			t.Operators = append(t.Operators, PlanOperator{UID: n.uid, Kind: n.kind, Keyed: n.keyed})
		}
		for _, c := range v.chain[0].inputs {
			t.Inputs = append(t.Inputs, PlanInput{From: c.from.uid, Side: c.side, Dispatch: c.describe(), Channels: len(c.senders(0))})
		}
		p.Tasks = append(p.Tasks, t)
	}
	return p
}

func (c *connection) describe() string {
	switch {
	case c.dispatch == hashing:
		return "hash"
	case c.dispatch == broadcasting:
		return "broadcast"
	case len(c.senders(0)) == 1 && c.from.job.parallelismOf(c.from) == c.from.job.parallelismOf(c.to):
		return "forward"
	}
	return "rebalance"
}

// JSON is the plan as one indented JSON object.
func (p Plan) JSON() string {
	b, err := json.MarshalIndent(p, "", "  ")
	if err != nil {
		panic(err) // strings, numbers and bools only
	}
	return string(b)
}

// String draws the plan, a task a line, with what it reads below.
func (p Plan) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "job %q\n", p.Job)
	for _, t := range p.Tasks {
		fmt.Fprintf(&b, "  %s  ×%d\n", t.Name, t.Parallelism)
		for _, in := range t.Inputs {
			side := ""
			if in.Side != "" {
				side = " (side output " + in.Side + ")"
			}
			fmt.Fprintf(&b, "    ◄─ %s ─ %s%s, %d channels into each subtask\n", in.Dispatch, in.From, side, in.Channels)
		}
	}
	return b.String()
}
