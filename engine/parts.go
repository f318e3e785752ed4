package engine

import "gatewaymeter/stream"

// Parts are the pieces of the engine that the labs implement. Most are functions, because each
// subtask owns parts of its own. A nil part is one that the stage does not have yet: a job that needs
// it fails to build, with a message that names the lab.
type Parts struct {
	Groups       stream.Groups                                                                // lab 02
	Hash         func(key string) int32                                                       // lab 02; used by the harness, exchanges bring their own
	Backend      func(s Subtask) (stream.Backend, error)                                      // lab 03
	Operator     func() stream.OperatorStore                                                  // lab 03
	Redistribute func(mode stream.Redistribution, old [][][]byte, parallelism int) [][][]byte // lab 03
	Splits       func(log stream.Log) stream.SplitReader                                      // lab 01
	Watermarks   func() stream.SplitWatermarks                                                // lab 05
	Valve        func(inputs int) stream.Valve                                                // lab 05
	Timers       func(c *stream.Context, d stream.Domain) (stream.TimerService, error)        // lab 06
	Aligner      func(inputs int) stream.Aligner                                              // lab 07
	// Coordinator makes the checkpoint coordinator of a job with so many subtasks (lab 07).
	Coordinator func(cfg stream.Checkpointing, tasks int) stream.Coordinator
	// Match finds, in a checkpoint, the state of each operator of a job (lab 07).
	Match func(c *stream.Checkpoint, job []stream.Target, allowNonRestored bool) (map[string][]stream.OperatorSnapshot, error)
}

// Subtask says for which subtask a part is made.
type Subtask struct {
	UID         string
	Index       int // 0 to Parallelism-1
	Parallelism int
	First, Last int // the key groups that it owns, both included
	Clock       stream.Clock
}
