package lab04_test

import (
	"testing"

	"gatewaymeter/internal/kit/suite"
	ours "gatewaymeter/labs/04-windows/solution"
	"gatewaymeter/stream"
)

// Test4d: Window operator: add, trigger, fire (30 min)
func Test4d(t *testing.T) {
	suite.Exercise(t, "4d", func(t *testing.T) {
		// Windows that are kept for ever: cleaning up is exercise 4e.
		of := func(t *testing.T) set { return set{assigner: tumbling(t, 10*unit), retention: ours.Forever} }

		suite.Sub(t, "a window fires when the watermark reaches its last instant", func(t *testing.T) {
			play(t, of(t),
				add("k", "a", 15).leaves(1, 1),
				mark(18).or("the window [10ms, 20ms) fired before the watermark had reached 19ms: an element @19ms could still come"),
				mark(19).gives("k [10ms, 20ms) <a> @19ms").or("the window [10ms, 20ms) must fire at the watermark 19ms, its last instant, stamped with it"),
				mark(20).or("a window fires once, unless a late element corrects it"),
			)
		})
		suite.Sub(t, "elements are folded, not kept, and in the order they came", func(t *testing.T) {
			play(t, of(t),
				add("k", "a", 15), add("k", "b", 11), add("k", "c", 19).leaves(1, 1).or("one window must have one entry and one timer, however many elements"),
				mark(30).gives("k [10ms, 20ms) <abc> @19ms").or("all elements of the window must be in its result, folded by the aggregate from Create on"),
			)
		})
		suite.Sub(t, "each key and each window has its own", func(t *testing.T) {
			play(t, of(t),
				add("k", "a", 5), add("l", "b", 5), add("k", "c", 15), add("k", "d", 7).leaves(3, 3),
				mark(9).gives("k [0ms, 10ms) <ad> @9ms", "l [0ms, 10ms) <b> @9ms"),
				mark(19).gives("k [10ms, 20ms) <c> @19ms"),
			)
		})
		suite.Sub(t, "windows that overlap do not share timers or state", func(t *testing.T) {
			play(t, set{assigner: sliding(t, 10*unit, 5*unit), retention: ours.Forever},
				add("k", "a", 7).leaves(2, 2),
				add("k", "b", 12).leaves(3, 3),
				mark(20).gives("k [0ms, 10ms) <a> @9ms", "k [5ms, 15ms) <ab> @14ms", "k [10ms, 20ms) <b> @19ms"),
			)
		})
		suite.Sub(t, "an element of a window that has fired fires it again at once", func(t *testing.T) {
			play(t, of(t),
				add("k", "a", 5),
				mark(12).gives("k [0ms, 10ms) <a> @9ms"),
				add("k", "b", 6).gives("k [0ms, 10ms) <ab> @9ms").or("a late element must correct its window at once, and the correction holds all elements: a firing does not empty the window").leaves(1, 0),
				mark(13).or("the correction has been emitted already: no timer may be left to emit it again"),
			)
		})
		suite.Sub(t, "at the very last instant it is late already", func(t *testing.T) {
			play(t, of(t),
				mark(9),
				add("k", "a", 5).gives("k [0ms, 10ms) <a> @9ms").or("the watermark 9ms says that no element at or below 9ms follows: the window is over").leaves(1, 0),
			)
		})
		suite.Sub(t, "a late element of several windows", func(t *testing.T) {
			play(t, set{assigner: sliding(t, 10*unit, 5*unit), retention: ours.Forever},
				mark(9),
				add("k", "a", 7).gives("k [0ms, 10ms) <a> @9ms").or("only the window that is over fires at once").leaves(2, 1),
				mark(14).gives("k [5ms, 15ms) <a> @14ms"),
			)
		})
		suite.Sub(t, "a timer of a window without state fires nothing (FLINK-5363)", func(t *testing.T) {
			window := stream.Window{Start: 0, End: 10}
			stray := beat{what: "a timer for [0ms, 10ms), of which key k has no state", do: func(h *drive) {
				h.Context().SetKey(0, "k")
				h.Context().RegisterWindowTimer(window.MaxTimestamp(), window)
			}}
			play(t, of(t), stray, mark(9).or("a window without state must fire nothing, and its timer must not stop the job").leaves(0, 0))
		})
		suite.Sub(t, "firing leaves the element's own time alone", func(t *testing.T) {
			h := newHarness(t, of(t))
			h.ProcessWatermark(100)
			h.ProcessElement(letter{"k", "a"}, 5)
			suite.Equal(t, stream.Time(5), h.Context().Time, suite.Failure{
				Says:  "after a firing, Context.Time must be the element's time again: what else becomes of the element is stamped with it",
				Input: "element a of key k @5ms, watermark 100ms",
			})
		})
	})
}
