package stream

import "fmt"

// Aligner decides when a task has seen a checkpoint's barrier on all its inputs, and which inputs
// must wait meanwhile (Flink: SingleCheckpointBarrierHandler). Lab 07 implements it.
type Aligner interface {
	// Barrier is called for a barrier on an input that is not blocked; End when an input ends.
	Barrier(input int, checkpoint int64) Alignment
	End(input int) Alignment
	// Cancel gives a checkpoint up, because the coordinator has.
	Cancel(checkpoint int64) Alignment
	// Blocked says of each input whether it must not be read now. The slice is the aligner's.
	Blocked() []bool
}

// Alignment is what a barrier came to; zero fields: nothing.
type Alignment struct {
	Complete int64 // take the snapshot of this checkpoint now
	Aborted  int64 // this checkpoint is given up: it was pending, or has been cancelled
}

// Coordinator decides when checkpoints start, when one is complete, and when it is given up (Flink:
// CheckpointCoordinator). It is a state machine without a clock or a goroutine: a driver tells it what
// has happened, and does what it answers. Lab 07 implements it.
type Coordinator interface {
	// Tick is called now and then. It may start a checkpoint, or give one up that takes too long.
	Tick(now Time) Decision
	// Ack: a subtask has taken its part of a checkpoint, and its part is stored.
	Ack(checkpoint int64, task int, now Time) Decision
	// Ended: a subtask has ended; its final state is part of every later checkpoint.
	Ended(task int, now Time) Decision
	// Decline: a subtask, or the store, could not do its part.
	Decline(checkpoint int64, task int, reason error, now Time) Decision
	// Stored: the checkpoint's manifest is in place (err nil), or could not be written.
	Stored(checkpoint int64, err error, now Time) Decision
}

// Decision is what a coordinator wants done; zero fields: nothing. At most one of each.
type Decision struct {
	Trigger  int64 // inject this checkpoint's barriers at every source that has not ended
	Complete int64 // all parts are there: write the manifest, then call Stored
	Notify   int64 // the manifest is in place: tell every task
	Abort    int64 // give this checkpoint up, at every task and in the store
	Fail     error // the job fails: more checkpoints have failed than are tolerated
}

func (d Decision) String() string {
	switch {
	case d.Fail != nil:
		return fmt.Sprintf("fail: %v", d.Fail)
	case d.Abort != 0:
		return fmt.Sprintf("abort %d", d.Abort)
	case d.Notify != 0:
		return fmt.Sprintf("notify %d", d.Notify)
	case d.Complete != 0:
		return fmt.Sprintf("complete %d", d.Complete)
	case d.Trigger != 0:
		return fmt.Sprintf("trigger %d", d.Trigger)
	}
	return "nothing"
}

// Checkpointing says how often and how patiently.
type Checkpointing struct {
	Interval Time  // between two starts; 0: never by itself
	Pause    Time  // at least this long after one has ended before the next starts
	Timeout  Time  // an older one is given up; Flink's default is ten minutes
	Tolerate int   // failed checkpoints in a row before the job fails; Flink's default is 0
	First    int64 // the id of the first checkpoint; after a restore, one more than the restored one's
}

// Target is an operator that a job wants to restore.
type Target struct {
	UID       string
	MaxGroups int // the job's number of key groups; 0 if the operator has no keyed state
}

// CheckpointSize is what a checkpoint comes to, in bytes of files.
type CheckpointSize struct {
	Bytes   int64 // full: all files that it names
	Written int64 // incremental: those of them that no checkpoint before it has named
}

// FinalPart is the checkpoint number under which a subtask that has ended stores its state: it belongs
// to every later checkpoint of the run.
const FinalPart int64 = 0

// CheckpointStore keeps checkpoints in a directory. Lab 07 implements it. Part and Complete may be
// called from several goroutines, for different subtasks.
//
// A checkpoint exists when its manifest has been renamed into place, and not before: whatever is
// interrupted, at any file operation, leaves the checkpoints before it as they were.
type CheckpointStore interface {
	// Part stores one operator's part of a checkpoint that is being taken, or with FinalPart its state
	// at its end.
	Part(checkpoint int64, s OperatorSnapshot) error
	// Complete writes the manifest, for the parts stored so far and the final parts of subtasks that
	// ended earlier, and then removes checkpoints that are no longer retained.
	Complete(c Checkpoint) error
	// Size is what a checkpoint that has just been completed came to; zero for any other.
	Size(checkpoint int64) CheckpointSize
	// Next is the first number that no checkpoint in the directory has, complete or not.
	Next() (int64, error)
	// Discard removes what was stored of a checkpoint that is given up.
	Discard(checkpoint int64) error
	// Latest is the newest checkpoint that is whole. Damaged ones are skipped, each with an error in
	// refused that names the file and what is wrong. No checkpoint at all is nil and no error.
	Latest() (c *Checkpoint, refused []error, err error)
}

// CompleteListener is a function that is told when a checkpoint is complete (Flink:
// CheckpointListener).
type CompleteListener interface {
	CheckpointComplete(checkpoint int64) error
}
