// Package replay runs the metering job over recorded messages in the simulated driver, and keeps such a
// run in a file that a person can read.
//
// A [Job] says everything that decides a run but the messages: the same job over the same messages does
// the same, step by step. [Job.Run] holds what comes out against the oracle. [Traffic] is where messages
// mostly come from. A [Recording] is a job with its messages and the bill that is right; it is written
// as a timeline (see package internal/kit/timeline), one line a message.
//
// It leaves finding out which messages matter to package reduce, and real brokers to package pipeline.
package replay
