// Package timers is lab 06: calls that a function asks for, at a time to come.
//
// It holds the engine's timer service ([NewService]), and the operators of the job that end by a
// timer what no event ends: [NewAssembler] abandons a request that is never completed, [NewDedupeRequest]
// forgets an event when no duplicate can follow, [NewVelocityCheck] forgets a minute when no alert
// needs it.
//
// A timer is state. It belongs to a key, it lives in the key's drawer beside the values, it is written
// down with them in a snapshot and is there again after a restore; who leaves timers behind leaks
// memory as surely as who leaves values behind.
//
// The package promises what stream.TimerService says, and Flink 2.3's results on its vectors. Firing
// order is stricter than Flink's, which leaves it open among timers of equal time: here it is time,
// key group, key, window, so that a run can be repeated. The package leaves to others what makes time
// pass: watermarks (lab 05) and clocks (package engine).
package timers
