package stream

// Aligner decides when a task has seen a checkpoint's barrier on all its inputs, and which inputs
// must wait meanwhile (Flink: SingleCheckpointBarrierHandler). Lab 07 implements it.
type Aligner interface {
	// Barrier is called for a barrier on an input that is not blocked; End when an input ends.
	Barrier(input int, checkpoint int64) Alignment
	End(input int) Alignment
	// Cancel gives a checkpoint up, because another subtask failed to take it.
	Cancel(checkpoint int64) Alignment
	// Blocked says of each input whether it must not be read now. The slice is the aligner's.
	Blocked() []bool
}

// Alignment is what a barrier came to; zero fields: nothing.
type Alignment struct {
	Complete int64 // take the snapshot of this checkpoint now
	Aborted  int64 // this checkpoint was pending and is given up
}
