package engine

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync/atomic"
	"time"

	"gatewaymeter/stream"
)

// CheckpointReport is what is told of a checkpoint when it has ended.
type CheckpointReport struct {
	ID        int64
	Err       error         // why it was given up; nil: it is complete
	Duration  time.Duration // from the trigger to the manifest
	Alignment time.Duration // the longest that a task waited for the last barrier after the first
	Stopped   time.Duration // the longest that a task stood still to copy its state

	stream.CheckpointSize // meaningless if it was given up
}

// liveCoordination is the coordinator's goroutine and its mailbox.
type liveCoordination struct {
	*coordination
	e       *Execution
	mail    chan func(now stream.Time) stream.Decision
	written []chan struct{} // for each task: closed when its latest part is stored
	report  func(CheckpointReport)

	completedAny atomic.Bool  // a checkpoint has been completed
	stored       atomic.Int64 // the latest whose manifest is in place; the coordinator may not know yet

	started map[int64]time.Time         // by the coordinator's goroutine only
	reports map[int64]*CheckpointReport // likewise: of those that have not ended
	aborted []int64                     // likewise
}

// coordinatorTick is how often the coordinator looks at the clock.
const coordinatorTick = 10 * time.Millisecond

func newLiveCoordination(e *Execution, c *coordination, report func(CheckpointReport)) *liveCoordination {
	if report == nil {
		report = func(CheckpointReport) {}
	}
	return &liveCoordination{
		coordination: c, e: e, report: report,
		mail:    make(chan func(stream.Time) stream.Decision, 64),
		written: make([]chan struct{}, len(e.tasks)),
		started: map[int64]time.Time{}, reports: map[int64]*CheckpointReport{},
	}
}

// run is the coordinator's goroutine, until the job is over.
func (c *liveCoordination) run(ctx context.Context) {
	ticker := time.NewTicker(coordinatorTick)
	defer ticker.Stop()
	for ctx.Err() == nil { // asked first: select takes any that is ready, and nothing may begin any more
		now := c.e.job.clock.Now()
		select {
		case <-ctx.Done():
			return
		case event := <-c.mail:
			c.decide(ctx, event(now))
		case <-ticker.C:
			c.decide(ctx, c.coordinator.Tick(now))
		}
	}
}

// send hands the coordinator an event.
func (c *liveCoordination) send(ctx context.Context, event func(now stream.Time) stream.Decision) {
	select {
	case c.mail <- event:
	case <-ctx.Done():
	}
}

// post stores, in the background, what a task has acknowledged, and the state of a task that is done.
// A task's parts are stored in order, so that its end does not overtake its part of a checkpoint.
// Called by the task's goroutine.
func (c *liveCoordination) post(ctx context.Context, t *Task) error {
	for _, a := range t.TakeAcks() {
		c.storePart(ctx, t.ID, a.Checkpoint, a.Operators, func(now stream.Time) stream.Decision {
			if r := c.reports[a.Checkpoint]; r != nil {
				r.Alignment = max(r.Alignment, duration(a.Alignment))
				r.Stopped = max(r.Stopped, duration(a.Stopped))
			}
			return c.coordinator.Ack(a.Checkpoint, t.ID, now)
		})
	}
	if !t.Done() || t.reported {
		return nil
	}
	t.reported = true
	parts, err := t.FinalState()
	if err == nil {
		c.storePart(ctx, t.ID, stream.FinalPart, parts, func(now stream.Time) stream.Decision {
			return c.coordinator.Ended(t.ID, now)
		})
	}
	return err
}

func (c *liveCoordination) storePart(ctx context.Context, task int, checkpoint int64, parts []OperatorSnapshot, then func(stream.Time) stream.Decision) {
	before, done := c.written[task], make(chan struct{})
	c.written[task] = done
	c.e.beside(func() {
		defer close(done)
		if before != nil {
			<-before
		}
		if err := c.part(checkpoint, parts); err != nil {
			c.send(ctx, func(now stream.Time) stream.Decision {
				if r := c.reports[checkpoint]; r != nil {
					r.Err = err
				}
				return c.coordinator.Decline(checkpoint, task, err, now)
			})
			return
		}
		c.send(ctx, then)
	})
}

// decide does what the coordinator has decided.
func (c *liveCoordination) decide(ctx context.Context, d stream.Decision) {
	if d.Abort != 0 {
		c.givenUp(d.Abort, d.Fail)
		c.aborted = append(c.aborted, d.Abort)
		c.toAll(func(t *Task) error { return t.Cancel(d.Abort) }, false)
		c.e.beside(func() { _ = c.store.Discard(d.Abort) }) // what is left over goes with the next checkpoint
	}
	if d.Fail != nil {
		c.e.cancel(d.Fail)
		return
	}
	if d.Notify != 0 {
		c.completedAny.Store(true)
		c.ended(d.Notify)
		c.toAll(func(t *Task) error { return t.Notify(d.Notify) }, false)
	}
	if d.Complete != 0 {
		c.e.beside(func() {
			err := c.complete(d.Complete, c.e.job.clock.Now())
			if err == nil {
				c.stored.Store(d.Complete)
			}
			size := c.store.Size(d.Complete)
			c.send(ctx, func(now stream.Time) stream.Decision {
				if r := c.reports[d.Complete]; r != nil {
					r.CheckpointSize, r.Err = size, err
				}
				return c.coordinator.Stored(d.Complete, err, now)
			})
		})
	}
	if d.Trigger != 0 {
		c.started[d.Trigger], c.reports[d.Trigger] = time.Now(), &CheckpointReport{ID: d.Trigger}
		c.toAll(func(t *Task) error {
			return t.Trigger(stream.Control{Kind: stream.Barrier, Checkpoint: d.Trigger})
		}, true)
	}
}

// close ends the coordination of a job that is over, when nothing is being stored any more. What is left
// of a checkpoint that cannot become complete goes (Flink: CheckpointCoordinator.shutdown): the pending
// one's, and parts that came after theirs had been given up.
func (c *liveCoordination) close() {
	left := c.aborted
	for _, id := range slices.Sorted(maps.Keys(c.reports)) {
		if c.stored.Load() != id {
			left = append(left, id)
			continue
		}
		c.completedAny.Store(true) // it was complete, and the job over before the coordinator heard of it
		c.reports[id].CheckpointSize = c.store.Size(id)
		c.ended(id)
	}
	for _, id := range left {
		_ = c.store.Discard(id) // what stays is of no use to anybody, and no harm: it has no manifest
	}
}

// givenUp reports a checkpoint that is not to be. The coordinator says why only if the job fails too.
func (c *liveCoordination) givenUp(id int64, fails error) {
	r := c.reports[id]
	switch {
	case r == nil:
		return
	case fails != nil:
		r.Err = fails
	case r.Err == nil:
		r.Err = errors.New("it took longer than its timeout")
	}
	c.ended(id)
}

// ended reports a checkpoint.
func (c *liveCoordination) ended(id int64) {
	r := c.reports[id]
	if r == nil {
		return
	}
	r.Duration = time.Since(c.started[id])
	c.report(*r)
	delete(c.started, id)
	delete(c.reports, id)
}

func duration(t stream.Time) time.Duration { return time.Duration(t) * time.Millisecond }

func (c *liveCoordination) toAll(f func(*Task) error, sourcesOnly bool) {
	for i, t := range c.e.tasks {
		if t.IsSource() || !sourcesOnly {
			c.e.inboxes[i].event(f)
		}
	}
}
