// Package anatomy takes checkpoints on disk apart: what is in them, how each state is removed, whether
// every file is as it was written, and which checkpoint a job would take.
//
// It reads only. It promises that a damaged checkpoint is shown as far as it can be read, with the file
// and what is wrong with it, and that the checkpoint it names as the one to start from is the one that
// a restore takes: it asks the same store. It needs no job: operators, states and what they say of
// themselves are in the checkpoint. It leaves the files to lab 07's store, and printing to cmd/lab.
package anatomy
