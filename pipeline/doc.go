// Package pipeline is GatewayMeter put together: the parts of the labs, the runtime of package
// engine, and Kafka at both ends (Flink: build_job).
//
//	gateway-events ─► source ─► dedupe ─► assemble ─► tenant-cost   ─► tenant-totals   (stage 03)
//	                    │      by request  by request ─► tenant-minute ─► invoice      (from 04)
//	                    ▼                       │           ├─► late
//	               dead-letters                 │           └─► unpriced
//	card-transactions ─► card-source ─► velocity-check ─► alerts                       (from 06)
//
// [Build] takes every part and function as a value whose type mentions only the packages stream,
// gateway and engine; [Ours] fills them from the labs' solutions, a lab's scenario puts the student's
// in their place. [Run] does what `lab run` shows: traffic into a topic, the job over it, the output
// read back by a plain consumer, and the oracle's verdict. [Simulate] is the same job over recorded
// partitions, without a broker.
//
// It leaves the meaning of each operator to the labs and the truth to package oracle.
package pipeline
