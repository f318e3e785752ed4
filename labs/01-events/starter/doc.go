// Package events turns the messages of topic gateway-events into events, and keeps what cannot be
// turned.
//
//	partition 0  ──►┐                        ┌─► Event
//	partition 1  ──►├─ split reader ─ Decode ┤
//	partition 2  ──►┘  next offset           └─► DeadLetter: the bytes, the reasons, the place
//	                   per partition
//
// [Decode] is strict and total: every message is an event or has a list of faults, and which of the two
// it is follows from its bytes alone (the rules stand in the documentation of package oracle, which
// decodes by itself). The split reader ([NewSplitReader]) hands out every message of its partitions
// once, in offset order, and remembers where it is: those offsets are all the state a source has.
//
// It leaves to others who polls the reader (package engine), how messages get into it (a stream.Log),
// and what is done about duplicates (lab 03) and disorder (lab 05; [Disorder] measures it).
package events
