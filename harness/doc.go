// Package harness drives one operator by hand, so that a test says what happens, in which order, and
// sees what came of it (Flink: KeyedOneInputStreamOperatorTestHarness).
//
//	h := harness.NewKeyed(t, parts, byRequest, timers.NewAssembler())
//	h.ProcessElement(started("r-1"), 0)
//	h.ProcessWatermark(5 * minute)
//	require.Equal(t, "abandoned", h.Values()[0].Status)
//	require.Zero(t, h.Entries("open"))
//
// It promises that the operator is the engine's own, on the backend, timers and operator state of the
// parts that it is given; that Snapshot writes every entry through its codec, so that a state which
// does not serialise fails there; and that a snapshot can be restored at another parallelism
// ([From], [At]). It leaves chains, channels and drivers to package engine: one operator, no more.
//
// With [Inputs] the operator has several channels, and the parts' valve and aligner stand before it, as
// in a job; a [Source] is polled.
//
// [WithTrace] records what happens inside: every element, change of state, timer and emission (package
// stream/trace writes it as JSON). A failure of the operator ends the test at once, with the last steps
// of the key that failed, unless [AllowFailure] is given.
package harness
