// Package broker is a Kafka to talk to: one in this process, one in a container, or one at an address.
//
//	b, err := broker.Open(ctx, "embedded", broker.Options{})     // nothing to install
//	b, err := broker.Open(ctx, "localhost:9092", broker.Options{})
//	b, err := broker.Open(ctx, "container", broker.Options{Container: container.Start})
//
// A [Broker] makes topics and says where logs end. A [Producer] writes, a [Log] reads one topic as it
// grows, [Broker.ReadAll] reads one topic as it stands. An [Embedded] broker can also be made to fail
// on purpose ([Embedded.Inject]).
//
// # What it promises
//
//  1. The client is the same wherever the broker is, so what holds on the embedded broker is held to
//     on a real one: package brokertest is one suite for all of them.
//  2. Who calls chooses the partition, of every message and of every read. There are no consumer
//     groups that share partitions out: the engine owns its offsets, because they belong in its
//     checkpoints. [Broker.CommitOffsets] tells Kafka's tools of them, and no start reads that.
//  3. No message is lost without an error. A producer that gives up says how many messages of which
//     partitions were not acknowledged; a log that cannot be read says at which offset.
//  4. Nothing hangs. A broker that does not answer is an error once Options.Patience has passed, and
//     the error says what was tried and what to do about it.
//
// # What it leaves to others
//
// Which topics a job has (package gateway), what the bytes mean (lab 01), which subtask reads which
// partition (lab 02), and when to flush before a checkpoint (package engine). Transactions come with
// lab 08. Docker is known to package container only, which costs seconds to link.
package broker
