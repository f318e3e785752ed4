// Package watermarks is lab 05: how far event time has come.
//
// It holds the two parts of the engine that decide it. [NewSplits] stands in a source: it looks at
// the timestamps that a subtask reads from each of its splits and makes one watermark of them, the
// least of what [Bounded] says of each split. [NewValve] stands before every other task: it makes one
// watermark of those that arrive on the task's inputs.
//
// Both answer the same question in the same way: time has come as far as the one that is furthest
// behind. And both need the same exception: who has nothing to say for now must not be waited for.
// That is idleness ([IdleTimer]), and most bugs of this topic are in when it begins and ends.
//
// The package promises that no watermark ever falls, and Flink 2.3's rules in every corner; its
// vectors decide. It leaves to others when to ask a source ([Periodic] shows how Flink does it), what
// a watermark sets off (labs 04 and 06), and how it gets from task to task (package engine).
package watermarks
