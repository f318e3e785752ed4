// Package lab01 is lab 01: from bytes in a log to events, without losing one.
//
// You learn what a consumer owes to the messages it reads. You decode and judge them (1a, 1b), keep the
// broken ones with their reason and their place (1c), read partitions in order and remember where you
// are (1d), and measure how far event time runs ahead of itself (1e). Then you make a consumer see a
// message twice, and never, by where it starts (1.1), and pin down what "in order" means (1.2).
//
// Your code goes into starter/, package events. The chapter is docs/01-events.md.
//
//	go tool lab test 01
package lab01
