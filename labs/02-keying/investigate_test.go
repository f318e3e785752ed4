package lab02_test

import (
	"fmt"
	"strings"
	"testing"

	"gatewaymeter/internal/kit/suite"
	"gatewaymeter/labs/02-keying/internal/wrong"
	keying "gatewaymeter/labs/02-keying/starter"
)

// Test2_1: The salted key: a test that finds it
func Test2_1(t *testing.T) {
	suite.Exercise(t, "2.1", func(t *testing.T) {
		for _, key := range wrong.Keys() {
			suite.Sub(t, key.Name, func(t *testing.T) {
				failed, messages := suite.Check(func(r *suite.Recorder) { keying.SaltTest(r, key.Of) })
				switch {
				case failed && key.Right:
					suite.Wrong(t, suite.Failure{Says: "your test refuses a key that is right", Input: "the key is " + key.Name, Got: strings.Join(messages, "\n")})
				case !failed && !key.Right:
					suite.Wrong(t, suite.Failure{Says: "your test lets a wrong key pass", Input: "the key is " + key.Name})
				}
			})
		}
	})
}

// Test2_2: Rescale 4 to 5: which key groups move
func Test2_2(t *testing.T) {
	suite.Exercise(t, "2.2", func(t *testing.T) {
		for _, c := range []struct{ max, from, to int }{
			{128, 4, 5}, {128, 5, 4}, {128, 4, 8}, {128, 4, 4}, {128, 1, 128}, {100, 7, 3}, {4096, 560, 561},
		} {
			var want []keying.Move
			for group := range c.max {
				before, after := plainOwner(group, c.from, c.max), plainOwner(group, c.to, c.max)
				if before != after {
					want = append(want, keying.Move{Group: group, From: before, To: after})
				}
			}
			got := keying.Moving(c.max, c.from, c.to)
			suite.Equal(t, fmt.Sprint(want), fmt.Sprint(got), suite.Failure{
				Says:  fmt.Sprintf("%d groups move, not %d (or others than you say)", len(want), len(got)),
				Input: fmt.Sprintf("%d groups, from %d to %d subtasks", c.max, c.from, c.to),
			})
		}
	})
}
