// Package limit is the benchmark's work as a loop written by hand: what no engine on the same hardware
// can beat by much, and what ours is measured against.
//
// It has no serialisation, no state backend and no key groups; one struct is a request's state and its
// timer at once. [Loop] runs in one goroutine. [Par2] is the same with a source goroutine and two
// partitions, which own half of the requests and half of the tenants each, as an engine at parallelism
// 2 would have it. Both run the work's two stages: in stage 03 there are no timers and no windows, and
// a request that is not completed stays open.
package limit
