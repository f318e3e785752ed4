package engine

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"gatewaymeter/stream"
)

// Options are how a job is started.
type Options struct {
	Capacity int                           // packets an input channel holds; 0: DefaultCapacity
	Restore  map[string][]OperatorSnapshot // the state to start from, by uid; nil: none
	Tick     time.Duration                 // how often tasks look at the clock; 0: DefaultTick

	Checkpoints  *Checkpoints           // nil: none are taken
	OnCheckpoint func(CheckpointReport) // told of each that has ended; may be nil
}

// DefaultTick is how often tasks are told the processing time.
const DefaultTick = 20 * time.Millisecond

// Execution is a running job. Its methods may be called from any goroutine.
type Execution struct {
	job     *Job
	tasks   []*Task
	inboxes []*inbox
	cancel  context.CancelCauseFunc
	ended   chan struct{}
	err     error

	background sync.WaitGroup          // work and the clock
	broken     atomic.Pointer[Failure] // of the work, if it panicked
	co         *liveCoordination       // nil without checkpoints
}

// Start runs the job: a goroutine a subtask, until all input has ended, a function fails or ctx is
// cancelled. An error in the graph, or in a function's Open, is returned at once.
func (j *Job) Start(ctx context.Context, o Options) (*Execution, error) {
	tasks, err := j.instantiate(o.Restore)
	if err != nil {
		return nil, err
	}
	if o.Capacity == 0 {
		o.Capacity = DefaultCapacity
	}
	if o.Tick == 0 {
		o.Tick = DefaultTick
	}
	e := &Execution{job: j, tasks: tasks, ended: make(chan struct{})}
	for _, t := range tasks {
		e.inboxes = append(e.inboxes, newInbox(len(t.inputs), o.Capacity))
	}
	if o.Checkpoints != nil {
		c, err := newCoordination(j, o.Checkpoints, len(tasks))
		if err != nil {
			return nil, errors.Join(err, closeAll(tasks))
		}
		e.co = newLiveCoordination(e, c, o.OnCheckpoint)
	}
	ctx, e.cancel = context.WithCancelCause(ctx)
	go e.run(ctx, o.Tick)
	return e, nil
}

// Run starts the job and waits for its end.
func (j *Job) Run(ctx context.Context, o Options) (*Result, error) {
	e, err := j.Start(ctx, o)
	if err != nil {
		return nil, err
	}
	return e.Wait()
}

// Cancel stops the job; Wait then gives the cause.
func (e *Execution) Cancel(cause error) { e.cancel(cause) }

// Wait waits until every task has stopped and been closed. The result is what the tasks had come to,
// also after a failure.
func (e *Execution) Wait() (*Result, error) {
	<-e.ended
	return newResult(e.tasks), e.err
}

// Name is the job's.
func (e *Execution) Name() string { return e.job.Name }

// Done is closed when the job is over.
func (e *Execution) Done() <-chan struct{} { return e.ended }

// Metrics is every subtask's latest figures, in the order of their tasks.
func (e *Execution) Metrics() []Metrics {
	all := make([]Metrics, len(e.tasks))
	for i, t := range e.tasks {
		all[i] = t.Metrics()
		all[i].Task, all[i].Subtask = t.Name, t.Subtask
		all[i].Backlog = e.inboxes[i].backlog()
	}
	return all
}

// run is the life of the job: all tasks, then their close.
func (e *Execution) run(ctx context.Context, tick time.Duration) {
	defer close(e.ended)
	clock, stopClock := context.WithCancel(ctx) // of what runs beside the tasks
	defer stopClock()
	var tasks sync.WaitGroup
	for i := range e.tasks {
		tasks.Go(func() {
			if err := e.task(ctx, clock, i); err != nil {
				e.cancel(err) // the first failure is the cause; the others stop because of it
			}
		})
	}
	stop := context.AfterFunc(ctx, func() {
		for _, b := range e.inboxes {
			b.close()
		}
	})
	e.background.Go(func() { e.ticks(clock, tick) })
	if e.co != nil {
		e.beside(func() { e.co.run(clock) })
	}
	tasks.Wait()
	stopClock()
	e.err = context.Cause(ctx)
	e.background.Wait()
	if f := e.broken.Load(); f != nil && e.err == nil {
		e.err = f // the tasks were done before
	}
	if e.co != nil {
		e.co.close()
	}
	for _, t := range e.tasks {
		if err := t.publishLast(); e.err == nil {
			e.err = err // else it is known already what ended the job
		}
	}
	e.err = errors.Join(e.err, closeAll(e.tasks))
	stop()
	e.cancel(nil)
}

// beside does work beside the tasks. The coordinator and the store are made of others' code too: a panic of
// theirs ends the job, as one of a task does, and not the process.
func (e *Execution) beside(work func()) {
	e.background.Go(func() {
		defer func() {
			if v := recover(); v != nil {
				f := &Failure{}
				f.panicked(v)
				e.broken.CompareAndSwap(nil, f)
				e.cancel(f)
			}
		}()
		work()
	})
}

// ticks tells every task with processing timers the time.
func (e *Execution) ticks(ctx context.Context, every time.Duration) {
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		now := e.job.clock.Now()
		for i, t := range e.tasks {
			if t.head.self().ctx.ProcessingTimers != nil {
				e.inboxes[i].tick(func(t *Task) error { return t.ProcessingTime(now) })
			}
		}
	}
}

// task is the goroutine of one task.
func (e *Execution) task(ctx, background context.Context, id int) error {
	t, box := e.tasks[id], e.inboxes[id]
	if t.IsSource() {
		return e.source(ctx, background, t, box)
	}
	for !t.Done() {
		next, found, closed := box.take(t.Blocked(), false)
		if !found && !closed { // nothing to do: let go of what was gathered, then wait
			t.Flush()
			if !e.deliver(t) {
				return nil
			}
			next, found, closed = box.take(t.Blocked(), true)
		}
		if closed || !found {
			return nil
		}
		if ok, err := e.handle(background, t, next); !ok {
			return err
		}
	}
	return nil
}

// handle hands a task what was taken from its inbox, and settles what that left behind. It reports
// false when the task is to stop, with the error if that is why.
func (e *Execution) handle(ctx context.Context, t *Task, n taken) (bool, error) {
	var err error
	if n.event != nil {
		err = n.event(t)
	} else {
		err = t.Handle(n.input, n.packet)
	}
	if err != nil {
		return false, err
	}
	return e.settle(ctx, t)
}

// source is the goroutine of a source's task.
func (e *Execution) source(ctx, background context.Context, t *Task, box *inbox) error {
	polling := true
	for !t.Done() {
		// Completed work and triggers come first; when all is read, they are all there is to wait for.
		next, found, closed := box.take(nil, !polling)
		if closed {
			return nil
		}
		if found {
			if ok, err := e.handle(background, t, next); !ok {
				return err
			}
			continue
		}
		progress, err := t.Poll(t.batch)
		if err != nil {
			return err
		}
		if progress == stream.Waiting {
			t.Flush()
		}
		polling = progress != stream.Ended
		if ok, err := e.settle(background, t); !ok {
			return err
		}
		if progress == stream.Waiting && !e.await(ctx, t) {
			return nil
		}
	}
	return nil
}

// sourceIdle bounds how long a source without data sleeps, so that it can emit watermarks and hear of
// triggers meanwhile.
const sourceIdle = 20 * time.Millisecond

// await waits until a source may have data.
func (e *Execution) await(ctx context.Context, t *Task) bool {
	timer := time.NewTimer(sourceIdle)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-t.Ready():
	case <-timer.C:
	}
	return true
}

// settle does all that a call has left behind: sends, runs work, and goes on with slices.
func (e *Execution) settle(ctx context.Context, t *Task) (bool, error) {
	for {
		if !e.deliver(t) {
			return false, nil
		}
		for _, w := range t.TakeWork() {
			e.background.Go(func() {
				err := w.Do()
				e.inboxes[t.ID].event(func(t *Task) error { return t.Completed(w, err) })
			})
		}
		if e.co != nil {
			if err := e.co.post(ctx, t); err != nil {
				return false, err
			}
		}
		if !t.More() {
			return true, nil
		}
		if err := t.Continue(); err != nil {
			return false, err
		}
	}
}

// deliver sends what stands in the outbox; this is where a task waits for a slower one.
func (e *Execution) deliver(t *Task) bool {
	for i, s := range t.Outbox {
		if !e.inboxes[s.To].put(s.Input, s.Packet) {
			return false
		}
		t.Outbox[i].Packet = nil
	}
	t.Outbox = t.Outbox[:0]
	return true
}
