// Package reduce shrinks the input of a run that fails to the few messages that make it fail.
//
// It is delta debugging (Zeller and Hildebrandt, Simplifying and Isolating Failure-Inducing Input,
// 2002) over the messages of a run in the simulated driver, which does the same every time. What it
// promises: the messages that are left are some of those that were there, in their order; they follow
// the generator's rules if the input did; the run over them fails in the same way (see
// replay.Outcome.Way); and none of them can be left out alone.
//
// Where a failure hangs on the order in which tasks run, it tries a smaller input under several seeds of
// the scheduler, and keeps the one that fails.
//
// It leaves running to package replay.
package reduce
