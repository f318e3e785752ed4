package lab02_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gatewaymeter/internal/kit/suite"
	keying "gatewaymeter/labs/02-keying/starter"
)

// Test2c: KeyGroup: the murmur finish, max parallelism (20 min)
func Test2c(t *testing.T) {
	suite.Exercise(t, "2c", func(t *testing.T) {
		suite.Sub(t, "Flink's own figures", func(t *testing.T) {
			for _, c := range []struct {
				hash       int32
				max, group int
			}{
				{0, 4096, 2526}, {97, 128, 81}, {98, 30358, 820}, {3288498, 16775, 6766}, {3288499, 100, 3},
				{99162322, 105, 59}, {1841602372, 137, 86}, {1705528839, 7, 0}, {0, 16, 14}, {1231, 10, 5},
			} {
				murmur(t, c.hash, fmt.Sprintf("hash %d", c.hash))
				suite.Equal(t, c.group, keying.KeyGroup(c.hash, c.max), suite.Failure{
					Says: "Flink puts this hash into another group: it is the murmur hash modulo the number of groups", Input: fmt.Sprintf("hash %d, %d groups", c.hash, c.max),
				})
			}
		})
		suite.Sub(t, "every hash, negative ones too", func(t *testing.T) {
			const seed = 5
			random := rand.New(rand.NewPCG(seed, 0))
			hashes := []int32{0, 1, -1, math.MaxInt32, math.MinInt32}
			for range 2000 {
				hashes = append(hashes, int32(random.Uint32()))
			}
			for i, hash := range hashes {
				murmur(t, hash, fmt.Sprintf("hash %d (seed %d)", hash, seed))
				groups := []int{1, 2, 100, 128, 32768}[i%5]
				suite.Equal(t, plainGroup(hash, groups), keying.KeyGroup(hash, groups), suite.Failure{
					Says: "the group is the murmur hash modulo the number of groups", Input: fmt.Sprintf("hash %d, %d groups", hash, groups),
				})
			}
		})
		suite.Sub(t, "the one result that has no positive counterpart", func(t *testing.T) {
			hash := hashOfMinimum()
			suite.Equal(t, int32(0), keying.Murmur(hash), suite.Failure{
				Says: "this hash scrambles to -2147483648, which stays negative when it is negated; Flink takes 0", Input: fmt.Sprintf("hash %d", hash),
			})
		})
		suite.Sub(t, "how many groups, if nobody says", func(t *testing.T) {
			for _, c := range []struct{ parallelism, want int }{
				{1, 128}, {4, 128}, {85, 128}, {86, 256}, {128, 256}, {170, 256}, {171, 256}, {172, 512}, {1000, 2048}, {16384, 32768}, {21845, 32768}, {32768, 32768},
			} {
				suite.Equal(t, c.want, keying.DefaultMaxParallelism(c.parallelism), suite.Failure{
					Says: "one and a half times the parallelism, rounded up to a power of two, from 128 to 32768", Input: fmt.Sprintf("parallelism %d", c.parallelism),
				})
			}
		})
	})
}

// murmur checks the scrambling of one hash.
func murmur(t *testing.T, hash int32, input string) {
	t.Helper()
	want, got := plainMurmur(hash), int64(keying.Murmur(hash))
	says := "the murmur hash is another: a step left out or in the wrong order, or a shift that brings in copies of the sign?"
	if got == 1<<31-want {
		says = "the sign is cut off: a negative number must be negated, which gives another one"
	} else if got == -want {
		says = "a negative murmur hash must be negated: no key group has a negative number"
	}
	suite.Equal(t, want, got, suite.Failure{Says: says, Input: input})
}

// hashOfMinimum is the one hash whose scrambling is -2147483648: every step of murmur can be undone.
func hashOfMinimum() int32 {
	h := uint32(1) << 31
	h ^= h >> 16
	h *= inverse(0xc2b2ae35)
	h ^= h>>13 ^ h>>26
	h *= inverse(0x85ebca6b)
	h ^= h >> 16
	h ^= 4
	h = (h - 0xe6546b64) * inverse(5)
	h = h>>13 | h<<19
	h *= inverse(0x1b873593)
	h = h>>15 | h<<17
	return int32(h * inverse(0xcc9e2d51))
}

// inverse is the number that an odd number must be multiplied by to give 1 modulo 2^32 (Newton).
func inverse(odd uint32) uint32 {
	x := odd
	for range 5 {
		x *= 2 - odd*x
	}
	return x
}

// Test2d: Range and owner: key group to subtask and back (20 min)
func Test2d(t *testing.T) {
	suite.Exercise(t, "2d", func(t *testing.T) {
		suite.Sub(t, "four subtasks, 128 groups", func(t *testing.T) {
			for subtask, want := range [][2]int{{0, 31}, {32, 63}, {64, 95}, {96, 127}} {
				first, last := keying.Range(subtask, 4, 128)
				suite.Equal(t, want, [2]int{first, last}, suite.Failure{Says: "128 groups in four equal shares, both ends included", Input: fmt.Sprintf("subtask %d of 4", subtask)})
			}
		})
		suite.Sub(t, "shares that do not come out even", func(t *testing.T) {
			for subtask, want := range [][2]int{{0, 25}, {26, 51}, {52, 76}, {77, 102}, {103, 127}} {
				first, last := keying.Range(subtask, 5, 128)
				suite.Equal(t, want, [2]int{first, last}, suite.Failure{Says: "a subtask's first group is the first whose group·5/128 reaches it: borders that do not come out even are rounded up", Input: fmt.Sprintf("subtask %d of 5", subtask)})
			}
		})
		suite.Sub(t, "owner and range are inverse", func(t *testing.T) {
			for _, c := range []struct{ parallelism, groups int }{{1, 1}, {1, 128}, {3, 128}, {5, 128}, {7, 100}, {100, 128}, {128, 128}, {31, 37}, {1000, 32768}, {32768, 32768}} {
				ranges(t, c.parallelism, c.groups)
			}
		})
	})
}

// ranges checks that the subtasks' ranges follow each other, and that each group's owner agrees.
func ranges(t *testing.T, parallelism, groups int) {
	t.Helper()
	next := 0
	for subtask := range parallelism {
		first, last := keying.Range(subtask, parallelism, groups)
		input := fmt.Sprintf("subtask %d of %d, %d groups", subtask, parallelism, groups)
		suite.Equal(t, next, first, suite.Failure{Says: "a range must begin where the one before it ended: a group with no owner loses its state, one with two has it twice", Input: input})
		if last < first {
			suite.Wrong(t, suite.Failure{Says: "with no more subtasks than groups, each owns one at least", Input: input, Got: fmt.Sprintf("%d to %d", first, last)})
		}
		for group := first; group <= last; group++ {
			suite.Equal(t, subtask, keying.Owner(group, parallelism, groups), suite.Failure{Says: "Owner says otherwise than Range", Input: fmt.Sprintf("group %d; %s", group, input)})
		}
		next = last + 1
	}
	suite.Equal(t, groups, next, suite.Failure{Says: "the ranges must cover all groups", Input: fmt.Sprintf("%d subtasks, %d groups", parallelism, groups)})
}
