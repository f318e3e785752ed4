package reduce

import (
	"context"
	"errors"
	"fmt"
	"time"

	"gatewaymeter/generator"
	"gatewaymeter/internal/replay"
	"gatewaymeter/stream"
	"gatewaymeter/todo"
)

// Config is what to reduce.
type Config struct {
	Job       replay.Job
	Maker     replay.Maker
	Messages  []generator.Message
	Bound     time.Duration // B and D of the generator's rules
	Within    time.Duration
	Schedules int // how many seeds of the scheduler to try where one run does not fail; at least 1

	// Progress is told of each smaller input. May be nil.
	Progress func(messages, runs int)
}

// Result is what is left.
type Result struct {
	Job      replay.Job // as simple as fails too: fewer subtasks, fewer partitions, heap
	Messages []generator.Message
	Outcome  *replay.Outcome // of the run over them
	Original *replay.Outcome // of the first run that failed
	Runs     int
	Unruly   error // the input broke a rule itself, so what is left need not follow them
}

// ErrMatches says that there is nothing to reduce: no run failed.
var ErrMatches = errors.New("the run matches the oracle")

// Run reduces. It returns ErrMatches if no run of the whole input fails, the context's error if it ends
// first, and an unwritten exercise or an input that cannot be judged as what they are.
func Run(ctx context.Context, cfg Config) (*Result, error) {
	r := &reduction{Config: cfg, ctx: ctx, job: cfg.Job, best: cfg.Messages}
	r.result.Unruly = generator.Check(cfg.Messages, cfg.Bound, cfg.Within)
	if err := r.first(); err != nil {
		return nil, err
	}
	r.onHeap()
	r.measure()
	r.shrink()
	r.simplify()
	r.shrink()
	return &r.result, r.finish()
}

// reduction is a reduction on its way.
type reduction struct {
	Config
	ctx    context.Context
	job    replay.Job // of the best run so far
	best   []generator.Message
	way    string // in which the first run failed, and all that count must
	tries  int    // schedules for each smaller input
	result Result
	err    error // ends the reduction
}

// first looks for a schedule under which the whole input fails.
func (r *reduction) first() error {
	r.tries = max(1, r.Schedules)
	o := r.attempt(r.job, r.best, func(o *replay.Outcome) bool { return !o.OK() })
	switch {
	case r.err != nil:
		return r.err
	case o == nil:
		return ErrMatches
	}
	r.way, r.result.Original = o.Way(), o
	return nil
}

// attempt runs a job over messages under one schedule after the other, until a run fails as wanted. It
// keeps that run as the best, and returns its outcome; nil: there was none.
func (r *reduction) attempt(job replay.Job, messages []generator.Message, wanted func(*replay.Outcome) bool) *replay.Outcome {
	first := r.job.Schedule
	in, err := job.PrepareUntil(r.ctx.Err, messages)
	if err != nil {
		r.err = err
		return nil
	}
	for i := range uint64(r.tries) {
		if r.err = r.ctx.Err(); r.err != nil {
			return nil
		}
		job.Schedule = first + i
		r.result.Runs++
		o, err := job.RunGuarded(r.Maker, in, r.stop)
		if r.err = r.ctx.Err(); r.err != nil {
			return nil
		}
		if err == nil {
			err = unwritten(o.Err)
		}
		if err != nil {
			r.err = err
			return nil
		}
		if wanted(o) {
			r.job, r.best, r.result.Outcome = job, messages, o
			if r.Progress != nil {
				r.Progress(len(messages), r.result.Runs)
			}
			return o
		}
	}
	return nil
}

// stop ends a run on its way when the reduction is over: it is told of every step.
func (r *reduction) stop(stream.Step) {
	if err := r.ctx.Err(); err != nil {
		panic(err)
	}
}

// unwritten is the error of a job that met an exercise; nil: it failed in another way, or not at all.
func unwritten(err error) error {
	if _, ok := todo.Of(err); ok {
		return err
	}
	return nil
}

// fails reports whether messages make the job fail in the same way, within the rules.
func (r *reduction) fails(messages []generator.Message) bool {
	if r.err != nil {
		return false
	}
	if r.result.Unruly == nil && generator.Check(messages, r.Bound, r.Within) != nil {
		return false
	}
	return r.attempt(r.job, messages, r.sameWay) != nil
}

func (r *reduction) sameWay(o *replay.Outcome) bool { return o.Way() == r.way }

// onHeap leaves the slower backend out, if the failure does not need it.
func (r *reduction) onHeap() {
	if job := r.job; job.Backend != "heap" {
		job.Backend = "heap"
		r.attempt(job, r.best, r.sameWay)
	}
}

// simplify looks for fewer partitions and subtasks that fail too, the fewest first.
func (r *reduction) simplify() {
	job := r.job
	for partitions := 1; partitions <= r.job.Partitions; partitions++ {
		for parallelism := 1; parallelism <= r.job.Parallelism; parallelism++ {
			if !simple(partitions, r.job.Partitions) || !simple(parallelism, r.job.Parallelism) {
				continue
			}
			job.Partitions, job.Parallelism = partitions, parallelism
			if job == r.job || r.err != nil || r.attempt(job, r.best, r.sameWay) != nil {
				return
			}
		}
	}
}

// simple are the values worth trying below a given one.
func simple(n, most int) bool { return n <= 2 || n == most }

// measure finds out whether the failure hangs on the schedule. If it does not, one run says enough about
// each smaller input.
func (r *reduction) measure() {
	const looks = 4
	schedules := r.tries
	r.tries = 1
	job := r.job
	for i := range uint64(looks) {
		r.job.Schedule = job.Schedule + i + 1
		if r.err != nil || r.attempt(r.job, r.best, r.sameWay) == nil {
			r.job, r.tries = job, schedules
			return
		}
	}
}

// shrink leaves out whole requests first, then single messages, until neither makes it smaller.
func (r *reduction) shrink() {
	for before := len(r.best) + 1; len(r.best) < before && r.err == nil; {
		before = len(r.best)
		keys := keysOf(r.best)
		whole := r.best
		ddmin(keys, func(part []string) bool { return r.fails(ofKeys(whole, part)) })
		ddmin(r.best, r.fails)
	}
}

// finish runs what is left once more, under the schedule that will be printed.
func (r *reduction) finish() error {
	r.tries = 1
	if r.err == nil && r.attempt(r.job, r.best, r.sameWay) == nil && r.err == nil {
		r.err = fmt.Errorf("a run that failed (%s) does not fail again under the same schedule: something in the job is not deterministic, such as the order of a map, a clock or a goroutine", r.way)
	}
	r.result.Job, r.result.Messages = r.job, r.best
	return r.err
}

// keysOf are the keys of messages, in the order of their first.
func keysOf(messages []generator.Message) (keys []string) {
	seen := map[string]bool{}
	for _, m := range messages {
		if k := string(m.Key); !seen[k] {
			seen[k] = true
			keys = append(keys, k)
		}
	}
	return keys
}

// ofKeys are the messages of some keys, in their order.
func ofKeys(messages []generator.Message, keys []string) (part []generator.Message) {
	wanted := map[string]bool{}
	for _, k := range keys {
		wanted[k] = true
	}
	for _, m := range messages {
		if wanted[string(m.Key)] {
			part = append(part, m)
		}
	}
	return part
}

// String is the reduction in a sentence.
func (r *Result) String() string {
	return fmt.Sprintf("%d of %d messages are enough (%d runs)", len(r.Messages), r.Original.Messages, r.Runs)
}

// Recording is what is left, to be kept.
func (r *Result) Recording() *replay.Recording {
	return &replay.Recording{
		Job: r.Job, Messages: r.Messages, Bills: replay.BillsOf(r.Outcome.Invoice),
		Notes: []string{"found: " + r.Outcome.First(), "reduced: " + r.String()},
	}
}
