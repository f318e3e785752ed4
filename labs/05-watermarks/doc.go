// Package lab05 is lab 05: what time it is, when nobody knows for certain.
//
// You learn how event time advances. You make the watermark of one partition (5a), of several that
// advance at their own pace (5b), and leave out those that have fallen silent (5c); you combine the
// watermarks that reach a task over many channels (5d), and make the fast wait for the slow (5e).
// Then you find out which partition holds an invoice back (5.1), choose a bound from what was measured
// (5.2), and keep a traffic jam from passing for silence (5.3).
//
// Your code goes into starter/, package watermarks. The chapter is docs/05-watermarks.md.
//
//	go tool lab test 05
package lab05
