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
	})
}
