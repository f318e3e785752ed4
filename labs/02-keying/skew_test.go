package lab02_test

import (
	"fmt"
	"math"
	"testing"

	"gatewaymeter/internal/kit/suite"
	solution "gatewaymeter/labs/02-keying/solution"
	keying "gatewaymeter/labs/02-keying/starter"
)

// letters puts the keys "a", "b", ... into the groups 0, 1, ..., of which there are four.
type letters struct{}

func (letters) Max() int                         { return 4 }
func (letters) Of(hash int32) int                { return int(hash-'a') % 4 }
func (letters) Owner(group, parallelism int) int { return group * parallelism / 4 }
func (letters) Range(subtask, parallelism int) (int, int) {
	return solution.Range(subtask, parallelism, 4)
}

// Test2f: Skew: the hottest keys, the busiest subtask, the share of each (20 min, optional)
func Test2f(t *testing.T) {
	suite.Exercise(t, "2f", func(t *testing.T) {
		suite.Needs(t, "2b", func() { keying.HashString("a") })
		const traffic = "aabacadbca" // a: 5, b: 2, c: 2, d: 1
		measure := func(parallelism int, traffic string) *keying.Skew {
			s := keying.NewSkew(letters{}, parallelism)
			for _, key := range traffic {
				s.Add(string(key))
			}
			return s
		}
		suite.Sub(t, "the hottest keys come first", func(t *testing.T) {
			want := []keying.KeyLoad{
				{Key: "a", Group: 0, Subtask: 0, Records: 5, Share: 0.5}, {Key: "b", Group: 1, Subtask: 0, Records: 2, Share: 0.2},
				{Key: "c", Group: 2, Subtask: 1, Records: 2, Share: 0.2}, {Key: "d", Group: 3, Subtask: 1, Records: 1, Share: 0.1},
			}
			for _, n := range []int{4, 2, 100, 0} {
				got := measure(2, traffic).Hottest(n)
				suite.Equal(t, fmt.Sprint(want[:min(n, 4)]), fmt.Sprint(got), suite.Failure{
					Says: "most records first, among equals the lesser key; with its group, its subtask and its share of all records", Input: fmt.Sprintf("%s, Hottest(%d)", traffic, n),
				})
			}
		})
		suite.Sub(t, "the busiest subtask has the most records, not the most keys", func(t *testing.T) {
			got := measure(4, "bcdaaaabcd").Busiest()
			suite.Equal(t, keying.SubtaskLoad{Subtask: 0, Records: 4, Share: 0.4}, got, suite.Failure{Says: "key a has 4 of the 10 records, and subtask 0 is where it lives", Input: "bcdaaaabcd on 4 subtasks"})
			got = measure(2, "ccdaab").Busiest()
			suite.Equal(t, keying.SubtaskLoad{Subtask: 0, Records: 3, Share: 0.5}, got, suite.Failure{Says: "both have 3 records: the lower number is named", Input: "ccdaab on 2 subtasks"})
			got = measure(2, "ccdccab").Busiest()
			suite.Equal(t, 1, got.Subtask, suite.Failure{Says: "subtask 1 has 5 of the 7 records", Input: "ccdccab on 2 subtasks"})
			if math.Abs(got.Share-5.0/7) > 1e-9 {
				suite.Wrong(t, suite.Failure{Says: "the share is of all records", Got: fmt.Sprint(got.Share), Want: "5/7"})
			}
		})
		suite.Sub(t, "one hot key stays on one subtask, however many there are", func(t *testing.T) {
			for _, parallelism := range []int{1, 2, 4} {
				got := measure(parallelism, "aaaaaaaaab").Busiest()
				if got.Share < 0.9 {
					suite.Wrong(t, suite.Failure{Says: "nine in ten records have one key, so one subtask gets them", Input: fmt.Sprintf("aaaaaaaaab on %d", parallelism), Got: fmt.Sprint(got)})
				}
			}
		})
		suite.Sub(t, "nothing measured", func(t *testing.T) {
			s := keying.NewSkew(letters{}, 2)
			suite.Equal(t, keying.SubtaskLoad{}, s.Busiest(), suite.Failure{Says: "without records the busiest subtask is 0, with a share of 0, not of NaN"})
			suite.Equal(t, 0, len(s.Hottest(3)), suite.Failure{Says: "without records no key is hot"})
		})
	})
}
