// Package livecrash kills real processes: the built `lab run`, on a broker that is a process of its own,
// again and again with SIGKILL, the broker some times too, and starts it again from its latest
// checkpoint, or the one before if that was damaged meanwhile, each time at another parallelism. At the end the invoice must be the oracle's.
//
// A kill never waits for an amount of time. It waits for a condition that a seed chooses (see Moment):
// so many checkpoints complete and so many lines written since, a checkpoint half taken, a restore begun.
// What then happens is up to the operating system, which is the point: package engine's simulated driver
// repeats a crash exactly, and this one is what it stands for.
//
// It promises that every kill it counts hit a process that was alive, had not ended its input and had a
// complete checkpoint to come back to, and that a run in which too few did so is an error. It leaves
// the processes' own checks to them: the last one reads the invoice back and holds it against the oracle,
// and the test reads it once more.
package livecrash
