// Package lab07 is lab 07: how the invoice survives a crash anywhere.
//
// You learn what a checkpoint is. You turn the barriers of many inputs into one consistent cut (7a);
// write keyed state so that any parallelism can read it (7b), and the lists and offsets beside it (7c);
// keep files so that a power cut at any moment leaves a whole checkpoint (7d); decide when one starts,
// is complete, or is given up (7e); give each operator its state back (7f); and build a sink that may
// be told twice (7g). Then you predict crashes (7.1), see what not waiting costs (7.2) and what an
// incremental checkpoint saves (7.3), damage checkpoints (7.4), mend what late data does after a restore
// (7.5), and ask of each state how it goes (7.6).
//
// Your code goes into starter/, package checkpoints. The chapter is docs/07-checkpoints.md.
//
//	go tool lab test 07
package lab07
