// Package lab02 is lab 02: which subtask a key belongs to, and why that must never be a matter of luck.
//
// You learn the arithmetic that every keyed stream stands on: from key to hash (2b) to key group (2c) to
// subtask (2d), the exchange that sends records there (2a), a check for selectors that are no functions
// (2e), and a measure of how uneven the load is (2f). Then you salt a key and watch a bill vanish (2.1),
// and find out what moves when a job grows (2.2).
//
// Your code goes into starter/, package keying. The chapter is docs/02-keying.md.
//
//	go tool lab test 02
package lab02
