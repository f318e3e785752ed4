// Package engine runs a graph of operators as parallel tasks: the job.
//
//	From ──► Process ──► KeyBy ──► ProcessKeyed ──► KeyBy ──► ProcessKeyed ──► SinkTo
//	└──── one task ────┘          └── one task ──┘          └────── one task ──────┘
//
// It promises:
//
//   - Operators between two exchanges are chained into one task, and a task is a state machine
//     ([Task]): it handles one packet from one input, leaves what it sends in its outbox, never
//     blocks, never starts a goroutine and never reads the wall clock.
//   - Two drivers run the same tasks. [Job.Start] gives each a goroutine and a bounded inbox, so that
//     a slow task slows its senders down. [NewSimulation] runs all of them in one goroutine, in an
//     order that a seed chooses: the same seed gives the same run, step by step.
//   - An error or a panic of a function fails the job, with the operator's uid, the subtask, the key
//     and the element in the message ([Failure]); cancelling leaves no goroutine behind.
//
// It leaves to the labs what a student is to build: backends, exchanges, valves, timers, alignment.
// They arrive as [Parts]; the engine knows the contracts of package stream only and imports no lab.
//
// # File map
//
//	graph.go      what a job is made of: nodes and connections
//	build.go      From, KeyBy, Process, ... : the typed side of the graph
//	plan.go       chaining; the graph as text and JSON
//	instance.go   from the plan to tasks: operators, edges, channels
//	task.go       the state machine; control.go its control elements
//	operator.go keyed.go function.go broadcast.go source.go sink.go   the operators
//	edge.go       batches to other tasks; output.go from a function to whatever follows it
//	inbox.go live.go   goroutines and channels: nowhere else
//	simulated.go  the seeded scheduler
//	snapshot.go   state out of and into an operator
package engine
