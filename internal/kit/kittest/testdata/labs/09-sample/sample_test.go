package lab09_test

import (
	"fmt"
	"testing"

	"gatewaymeter/internal/kit/suite"
	sample "gatewaymeter/labs/09-sample/starter"
)

// Test9a: Twice a number (10 min)
func Test9a(t *testing.T) {
	suite.Exercise(t, "9a", func(t *testing.T) {
		suite.Sub(t, "of two", func(t *testing.T) {
			suite.Equal(t, 4, sample.Double(2), suite.Failure{Says: "the double of 2 is wrong", Input: "Double(2)"})
		})
		suite.Sub(t, "of nothing", func(t *testing.T) {
			suite.Equal(t, 0, sample.Double(0), suite.Failure{Says: "the double of 0 is wrong", Input: "Double(0)"})
		})
	})
}

// Test9b: Words with commas (15 min)
func Test9b(t *testing.T) {
	suite.Exercise(t, "9b", func(t *testing.T) {
		suite.Equal(t, "a,b", sample.Join("a", "b"), suite.Failure{Says: "the words are not joined", Input: `Join("a", "b")`})
	})
}

// Test9c: A word twice (5 min, optional)
func Test9c(t *testing.T) {
	suite.Exercise(t, "9c", func(t *testing.T) {
		suite.Equal(t, "a,a", sample.Twice("a"), suite.Failure{Says: "the word does not stand twice", Input: `Twice("a")`})
	})
}

// Test9_1: Write the test of Double
func Test9_1(t *testing.T) {
	suite.Exercise(t, "9.1", func(t *testing.T) {
		failed, msgs := suite.Check(func(r *suite.Recorder) { sample.CheckDouble(r, func(n int) int { return n * 2 }) })
		if failed {
			suite.Wrong(t, suite.Failure{Says: "your test fails on a right Double", Got: fmt.Sprint(msgs)})
		}
		if failed, _ = suite.Check(func(r *suite.Recorder) { sample.CheckDouble(r, func(n int) int { return n }) }); !failed {
			suite.Wrong(t, suite.Failure{Says: "your test passes on a Double that returns its argument"})
		}
	})
}

// TestScenario: All of it
func TestScenario(t *testing.T) {
	suite.Exercise(t, "scenario", func(t *testing.T) {
		t.Logf("on broker %s", suite.Broker())
		suite.Equal(t, "4,4", sample.Twice(fmt.Sprint(sample.Double(2))), suite.Failure{Says: "the parts do not work together"})
	})
}
