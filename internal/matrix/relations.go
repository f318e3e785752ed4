package matrix

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"gatewaymeter/gateway"
	"gatewaymeter/generator"
	"gatewaymeter/internal/replay"
	"gatewaymeter/oracle"
)

// Relation is a change of a run of which it is known what it does to the bill, from the two runs alone:
// no oracle is asked. (Chen, Cheung and Yiu, Metamorphic Testing, 1998.)
type Relation struct {
	Name string // what is done
	Says string // what must come of it

	// change makes other messages of a run's, and says what the other run must come to.
	change func(messages []generator.Message, seed uint64) ([]generator.Message, expectation)
	job    func(replay.Job) replay.Job // nil: the same
}

// expectation is how a changed run's bill follows from the first one's.
type expectation struct {
	line   func(billLine) billLine  // of each line; nil: it stays
	counts func(*oracle.Counts)     // nil: they stay
	ours   func(tenant string) bool // which lines count in the changed run; nil: all
	other  bool                     // counts are not compared
}

// billLine is one line of a bill: a tenant's total, or from stage 04 its minute.
type billLine struct {
	tenant   string
	start    int64
	requests int64
	sum      gateway.NanoUSD
}

// CheckSeed is Check for a small input of a seed, at a stage, with few subtasks and partitions by turns.
func (r Relation) CheckSeed(maker replay.Maker, stage int, seed uint64, dir string) error {
	job := replay.Job{Stage: stage, Parallelism: 1 + int(seed%3), Partitions: 1 + int(seed%2), Backend: "heap", Schedule: seed}
	return r.Check(maker, job, replay.DefaultTraffic(200, seed), dir)
}

// Check runs the job over both inputs and says what does not follow. The changed input is then kept in
// the folder dir, and the error says how to reduce it.
func (r Relation) Check(maker replay.Maker, job replay.Job, traffic replay.Traffic, dir string) error {
	messages, _ := traffic.Messages()
	changed, want := r.change(messages, traffic.Seed)
	p := traffic.Params()
	if err := generator.Check(changed, p.Bound, p.DuplicateWithin); err != nil {
		return fmt.Errorf("%s: the changed input is none: %w", r.Name, err)
	}
	before, err := run(maker, job, messages)
	if err != nil {
		return fmt.Errorf("%s, before it: %w\nreduce: %s", r.Name, err, traffic.Reduce(job))
	}
	if r.job != nil {
		job = r.job(job)
	}
	after, err := run(maker, job, changed)
	if err == nil {
		err = want.compare(before, after)
	}
	if err != nil {
		return fmt.Errorf("%s: %s, but %w\nreduce: %s", r.Name, r.Says, err, keep(changed, job, dir))
	}
	return nil
}

// keep writes an input to a file, and returns the command that reduces it.
func keep(messages []generator.Message, j replay.Job, dir string) string {
	path := filepath.Join(dir, fmt.Sprintf("stage-%02d-schedule-%d.jsonl", j.Stage, j.Schedule))
	if err := generator.WriteFile(path, slices.Values(messages)); err != nil {
		return err.Error()
	}
	return fmt.Sprintf("go tool lab reduce %s --stage %02d --parallelism %d --partitions %d --backend %s --schedule %d",
		path, j.Stage, j.Parallelism, j.Partitions, j.Backend, j.Schedule)
}

func run(maker replay.Maker, job replay.Job, messages []generator.Message) (*replay.Outcome, error) {
	o, err := job.RunMessages(maker, messages)
	if err == nil {
		err = o.Err
	}
	return o, err
}

// compare holds the changed run against what must come of the first.
func (e expectation) compare(before, after *replay.Outcome) error {
	want, got := billOf(before), billOf(after)
	if e.ours != nil {
		got = slices.DeleteFunc(got, func(l billLine) bool { return !e.ours(l.tenant) })
	}
	if e.line != nil {
		for i, l := range want {
			want[i] = e.line(l)
		}
	}
	for i := range max(len(want), len(got)) {
		switch {
		case i >= len(got):
			return fmt.Errorf("the line %v is missing", want[i])
		case i >= len(want):
			return fmt.Errorf("there is the line %v", got[i])
		case want[i] != got[i]:
			return fmt.Errorf("there is the line %v where %v should be", got[i], want[i])
		}
	}
	counts := before.Counts
	if e.counts != nil {
		e.counts(&counts)
	}
	if !e.other && counts != after.Counts {
		return fmt.Errorf("the counts are %+v where %+v should be", after.Counts, counts)
	}
	return nil
}

// billOf is a run's bill, sorted: of each tenant or window, the line that stands.
func billOf(o *replay.Outcome) (lines []billLine) {
	at := map[[2]any]int{}
	put := func(l billLine) {
		id := [2]any{l.tenant, l.start}
		i, seen := at[id]
		if !seen {
			i = len(lines)
			at[id] = i
			lines = append(lines, l)
		}
		if l.requests >= lines[i].requests { // totals of a tenant only grow, and a window's too
			lines[i] = l
		}
	}
	for _, t := range o.Output.Totals {
		put(billLine{t.TenantID, 0, t.Seq, t.Total})
	}
	for _, w := range o.Output.Invoice {
		put(billLine{w.TenantID, w.Start, w.Requests, w.Sum})
	}
	slices.SortFunc(lines, func(a, b billLine) int {
		if c := strings.Compare(a.tenant, b.tenant); c != 0 {
			return c
		}
		return int(a.start/60_000 - b.start/60_000)
	})
	return lines
}

func (l billLine) String() string {
	return fmt.Sprintf("%s, %s: %d requests, %v", l.tenant, time.UnixMilli(l.start).UTC().Format("15:04"), l.requests, l.sum)
}
