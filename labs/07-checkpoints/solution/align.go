package checkpoints

import "gatewaymeter/stream"

// NewAligner makes the aligner of a task with that many inputs: exactly-once alignment, as Flink's
// SingleCheckpointBarrierHandler does it.
func NewAligner(inputs int) stream.Aligner {
	return newAligner(inputs, true)
}

// NewAlignerWithoutFinished makes one that cannot complete a checkpoint once an input has ended
// (Flink: execution.checkpointing.checkpoints-after-tasks-finish off): an end gives it up.
func NewAlignerWithoutFinished(inputs int) stream.Aligner {
	return newAligner(inputs, false)
}

func newAligner(inputs int, afterFinish bool) *aligner {
	return &aligner{blocked: make([]bool, inputs), arrived: make([]bool, inputs), ended: make([]bool, inputs), open: inputs, afterFinish: afterFinish}
}

// aligner is the state of a task's alignment.
type aligner struct {
	latest      int64  // the newest checkpoint heard of
	pending     bool   // it waits for barriers
	arrived     []bool // inputs whose barrier of it has come
	blocked     []bool // the same, as long as it is pending
	missing     int    // open inputs whose barrier has not come
	ended       []bool
	open        int // inputs that have not ended
	afterFinish bool
}

// Barrier handles a checkpoint's barrier on an input that is not blocked.
//
// The first barrier of a newer checkpoint makes that one pending; if another still was, it is aborted
// and its inputs flow on. A barrier blocks its input until the last one has come: what follows it
// belongs to the next checkpoint. A barrier of an older checkpoint, or of one that is not pending any
// more, does nothing.
func (a *aligner) Barrier(input int, checkpoint int64) (out stream.Alignment) {
	//lab:begin 7a
	if checkpoint > a.latest {
		out.Aborted = a.abort()
		a.start(checkpoint)
	}
	if checkpoint < a.latest || !a.pending {
		return out
	}
	a.arrived[input], a.blocked[input] = true, true
	a.missing--
	out.Complete = a.complete()
	return out
	//lab:end
}

// End handles the end of an input: it counts as the barrier of the pending checkpoint, and later ones
// do not wait for it. (Without checkpoints after the end of a task, it aborts the pending one.)
func (a *aligner) End(input int) (out stream.Alignment) {
	//lab:begin 7a
	a.ended[input] = true
	a.open--
	if !a.pending {
		return out
	}
	if !a.afterFinish {
		out.Aborted = a.abort()
		return out
	}
	if !a.arrived[input] {
		a.missing--
	}
	out.Complete = a.complete()
	return out
	//lab:end
}

// Cancel gives a checkpoint up: its inputs flow on, and barriers of it that still come do nothing. One
// that has not been heard of yet is given up beforehand, and so is an older one that is pending. Aborted
// is the number that was cancelled; one that is over already, or older than the newest, is left alone.
func (a *aligner) Cancel(checkpoint int64) (out stream.Alignment) {
	//lab:begin 7a
	switch {
	case checkpoint > a.latest:
		a.abort()
		a.latest = checkpoint
		out.Aborted = checkpoint
	case checkpoint == a.latest:
		out.Aborted = a.abort()
	}
	return out
	//lab:end
}

// Blocked implements stream.Aligner.
func (a *aligner) Blocked() []bool { return a.blocked }

//lab:begin 7a

// start makes a checkpoint pending: every open input is waited for.
func (a *aligner) start(checkpoint int64) {
	a.latest, a.pending, a.missing = checkpoint, true, a.open
}

// complete ends the pending checkpoint if no barrier is missing.
func (a *aligner) complete() int64 {
	if a.missing > 0 {
		return 0
	}
	a.release()
	return a.latest
}

// abort gives the pending checkpoint up, if there is one.
func (a *aligner) abort() int64 {
	if !a.pending {
		return 0
	}
	a.release()
	return a.latest
}

// release lets all inputs flow again.
func (a *aligner) release() {
	a.pending = false
	clear(a.arrived)
	clear(a.blocked)
}

//lab:end
