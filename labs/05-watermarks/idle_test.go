package lab05_test

import (
	"fmt"
	"testing"

	"gatewaymeter/internal/kit/suite"
	"gatewaymeter/internal/kit/timeline"
	watermarks "gatewaymeter/labs/05-watermarks/starter"
	"gatewaymeter/stream"
)

// Test5c: Idleness (30 min)
func Test5c(t *testing.T) {
	suite.Exercise(t, "5c", func(t *testing.T) {
		suite.Sub(t, "the timer alone", idleTimer)
		timeline.Play(t, "testdata/idle.txt", playSplits)
	})
}

// idleTimer goes through the timer's rules one by one, with a timeout of 10 ms.
func idleTimer(t *testing.T) {
	timer := watermarks.NewIdleTimer(10)
	var past []string
	probe := func(now stream.Time, want bool, says string) {
		t.Helper()
		got := timer.Probe(now)
		past = append(past, fmt.Sprintf("probe at %s: idle %v", clock(now), got))
		suite.Equal(t, want, got, suite.Failure{Says: says, Input: "Probe(" + clock(now) + ")", Trace: past})
	}
	element := func() {
		timer.Activity()
		past = append(past, "element")
	}
	probe(1000, false, "the first probe without an element only starts the clock")
	probe(1010, false, "just the timeout is not more than the timeout")
	probe(1011, true, "more than the timeout has passed since the first probe without an element")
	probe(1012, true, "it stays idle until there is an element")
	element()
	probe(1013, false, "there was an element since the last probe")
	probe(1100, false, "the element made the clock start anew: this is the first probe without one")
	element()
	probe(1105, false, "there was an element since the last probe")
	probe(1106, false, "the clock starts here")
	probe(1116, false, "the clock started at the first probe without an element, not at the element's own")
	probe(1117, true, "more than the timeout has passed")
	element()
	probe(1118, false, "an element")
	probe(1119, false, "the clock starts here")
	probe(100, false, "the clock was set back: time starts anew")
	probe(110, false, "just the timeout after the clock was set back")
	probe(111, true, "more than the timeout after the clock was set back")
}
