package checkpoints

import (
	"fmt"

	"gatewaymeter/stream"
)

// DefaultTimeout is how long a checkpoint may take before it is given up: Flink's ten minutes.
const DefaultTimeout stream.Time = 10 * 60 * 1000

// NewCoordinator makes the coordinator of a job with so many subtasks (Flink: CheckpointCoordinator).
// There is at most one checkpoint at a time. It starts nothing when cfg.Interval is 0.
func NewCoordinator(cfg stream.Checkpointing, tasks int) stream.Coordinator {
	if cfg.Timeout == 0 {
		cfg.Timeout = DefaultTimeout
	}
	if cfg.First == 0 {
		cfg.First = 1
	}
	return &coordinator{cfg: cfg, next: cfg.First, ended: make([]bool, tasks)}
}

type coordinator struct {
	cfg    stream.Checkpointing
	next   int64  // the id of the next checkpoint
	ended  []bool // subtasks whose final state is stored
	failed int    // checkpoints that failed since the last complete one

	ticked bool        // Tick has been called
	due    stream.Time // when the next one starts, at the earliest
	idle   stream.Time // since when no checkpoint is pending

	//lab:begin 7e
	pending *pendingCheckpoint
	//lab:end
}

//lab:begin 7e

// pendingCheckpoint is one that has been triggered and is not complete.
type pendingCheckpoint struct {
	id      int64
	started stream.Time
	acked   []bool
	missing int
	storing bool // all parts are there, the manifest is being written
}

//lab:end

// Tick is called now and then. The first checkpoint starts one interval after the first Tick, the next
// ones one interval after the start of the one before, and not before the pause after its end is over.
// A pending one that is older than the timeout has failed; one whose manifest is being written has not.
// Nothing starts when every subtask has ended.
func (c *coordinator) Tick(now stream.Time) stream.Decision {
	//lab:begin 7e
	if !c.ticked {
		c.ticked, c.due = true, now+c.cfg.Interval
	}
	if p := c.pending; p != nil {
		if !p.storing && now-p.started > c.cfg.Timeout {
			return c.fail(fmt.Errorf("it took longer than %d ms, with %d of %d subtasks missing", c.cfg.Timeout, p.missing, len(c.ended)), now)
		}
		return stream.Decision{}
	}
	if c.cfg.Interval == 0 || now < c.due || now < c.idle+c.cfg.Pause {
		return stream.Decision{}
	}
	return c.start(now)
	//lab:end
}

// Ack notes that a subtask's part of a checkpoint is stored. The last one completes it. An ack of a
// checkpoint that is not pending, or a second one, changes nothing.
func (c *coordinator) Ack(checkpoint int64, task int, _ stream.Time) stream.Decision {
	//lab:begin 7e
	p := c.pending
	if p == nil || p.id != checkpoint || p.storing || p.acked[task] {
		return stream.Decision{}
	}
	p.acked[task] = true
	p.missing--
	if p.missing > 0 {
		return stream.Decision{}
	}
	p.storing = true
	return stream.Decision{Complete: p.id}
	//lab:end
}

// Ended notes that a subtask has ended and its final state is stored: that stands in for its part of
// the pending checkpoint, and of all later ones.
func (c *coordinator) Ended(task int, now stream.Time) stream.Decision {
	//lab:begin 7e
	c.ended[task] = true
	if c.pending == nil {
		return stream.Decision{}
	}
	return c.Ack(c.pending.id, task, now)
	//lab:end
}

// Decline notes that a part could not be taken or stored: the pending checkpoint has failed. A final
// part that cannot be stored fails the job, since no later checkpoint could be complete.
func (c *coordinator) Decline(checkpoint int64, task int, reason error, now stream.Time) stream.Decision {
	//lab:begin 7e
	if checkpoint == stream.FinalPart {
		return stream.Decision{Fail: fmt.Errorf("the final state of subtask %d cannot be stored: %w", task, reason)}
	}
	if c.pending == nil || c.pending.id != checkpoint {
		return stream.Decision{}
	}
	return c.fail(reason, now)
	//lab:end
}

// Stored ends a checkpoint: all tasks are told that it is complete, or it has failed.
func (c *coordinator) Stored(checkpoint int64, err error, now stream.Time) stream.Decision {
	//lab:begin 7e
	if c.pending == nil || c.pending.id != checkpoint {
		return stream.Decision{}
	}
	if err != nil {
		return c.fail(err, now)
	}
	c.pending, c.failed, c.idle = nil, 0, now
	return stream.Decision{Notify: checkpoint}
	//lab:end
}

//lab:begin 7e

// start triggers the next checkpoint, if any subtask is left to take part.
func (c *coordinator) start(now stream.Time) stream.Decision {
	p := &pendingCheckpoint{id: c.next, started: now, acked: make([]bool, len(c.ended))}
	for task, ended := range c.ended {
		p.acked[task] = ended
		if !ended {
			p.missing++
		}
	}
	if p.missing == 0 {
		return stream.Decision{}
	}
	c.pending, c.due = p, now+c.cfg.Interval
	c.next++
	return stream.Decision{Trigger: p.id}
}

// fail gives the pending checkpoint up, and the job with it when that has happened too often.
func (c *coordinator) fail(reason error, now stream.Time) stream.Decision {
	d := stream.Decision{Abort: c.pending.id}
	c.pending, c.idle = nil, now
	c.failed++
	if c.failed > c.cfg.Tolerate {
		d.Fail = fmt.Errorf("checkpoint %d failed, and %d failures in a row are tolerated: %w", d.Abort, c.cfg.Tolerate, reason)
	}
	return d
}

//lab:end
