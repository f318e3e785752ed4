// Package container starts a real Kafka in Docker: image apache/kafka:4.3.1, one node, on loopback.
// Its [Start] is a broker.Starter; pass it to broker.Open as Options.Container. It is a package of its
// own because linking Docker's client costs seconds, and only those who want a container should pay.
//
// It promises that the broker is up when Start returns, that it listens on this machine only, that
// Stop removes the container, and that a missing Docker is an error within Patience that says what to
// do. It prints nothing. It leaves topics and clients to package broker.
package container
