// Package lab06 is lab 06: what happens when nothing happens.
//
// You learn how a job acts on time that passes. You build the engine's timer service (6a, 6b, 6c, 6f),
// give the request assembler its deadline (6d) and with it close the leak of lab 03, and watch cards
// that are used too fast (6e). Then you write the test that keeps the leak closed (6.1), let hours of
// overdue timers go off in slices (6.2), see which bill a time to live loses (6.3), count what rounding
// saves (6.4), compare minute buckets with a list (6.5), and find the cleanup that an idle source stops
// (6.6).
//
// Your code goes into starter/, package timers. The chapter is docs/06-timers.md.
//
//	go tool lab test 06
package lab06
