// Package work is the benchmark's work: the input that every peer runs on, and the sums that it must
// come to. The text that defines both is ../WORK.md, bit for bit; this is it in Go.
//
// An [Events] gives the input event by event, made up when it is asked for. [Sums] is what the sinks
// add up, whatever the order of their input, and [Expected] is what it must be for the sizes that
// WORK.md has a line for. Nothing here is safe for concurrent use, but every value stands alone.
//
// It leaves the job to others: package limit has it as a loop written by hand, package bench on our
// engine, and flink on Flink.
package work
