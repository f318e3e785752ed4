// Package bench runs the benchmark's work (WORK.md) as a job on our engine, and measures it.
//
//	work.Events ─► source ─► assemble ─┬─► tenant-cost   ─► sink A
//	               (one)    by request └─► tenant-minute ─► sink B   (stage 06)
//	                                   by tenant
//
// The graph, the parts and the driver are those of `lab run`; what is missing is Kafka, decoding and
// Dedupe, because the work has none. The sinks count and add up, so that a run is right or wrong:
// [Result.Verify] says which.
//
// [Run] is one run. [Compare] runs the engine and the loop of package limit in turn, which is the only
// fair way on a machine that does something else too. The cost of state is measured by [OpenRequests].
package bench
