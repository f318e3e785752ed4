package lab04_test

import (
	"testing"

	"gatewaymeter/internal/kit/suite"
	windows "gatewaymeter/labs/04-windows/starter"
	"gatewaymeter/stream"
)

// Test4d: Window operator: add, trigger, fire (30 min)
func Test4d(t *testing.T) {
	suite.Exercise(t, "4d", func(t *testing.T) {
		play(t, "operator.txt", given)
		suite.Sub(t, "firing leaves the element's own time alone", func(t *testing.T) {
			h := setting{assigner: tumbling(t, 10*unit), retention: windows.Forever}.open(t)
			h.ProcessWatermark(100)
			h.ProcessElement(letter{"k", "a"}, 5)
			suite.Equal(t, stream.Time(5), h.Context().Time, suite.Failure{
				Says:  "after a firing, Context.Time must be the element's time again: what else becomes of the element is stamped with it",
				Input: "element a of key k @5ms, watermark 100ms", Of: h, Key: "k",
			})
		})
		suite.Sub(t, "a window counts as open once, however many elements it has", func(t *testing.T) {
			h := setting{assigner: tumbling(t, 10*unit), retention: windows.Forever}.open(t)
			for _, at := range []stream.Time{5, 7, 15, 9} {
				h.ProcessElement(letter{"k", "a"}, at)
			}
			suite.Equal(t, int64(2), h.Counter(windows.CountOpen), suite.Failure{
				Says:  "add must say of each element whether it is its window's first: the counter of open windows goes by that",
				Input: "elements of key k @5ms, @7ms, @15ms and @9ms in windows of 10ms (counter open_windows)", Of: h, Key: "k",
			})
		})
	})
}
