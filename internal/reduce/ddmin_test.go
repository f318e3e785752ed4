package reduce

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

func numbers(n int) (all []int) {
	for i := range n {
		all = append(all, i)
	}
	return all
}

// contains all of some numbers: the test that fails because of them together.
func holds(culprits ...int) func([]int) bool {
	return func(part []int) bool {
		for _, c := range culprits {
			if !slices.Contains(part, c) {
				return false
			}
		}
		return true
	}
}

func TestDDMinFindsTheCulprits(t *testing.T) {
	for _, culprits := range [][]int{{0}, {99}, {0, 99}, {7, 8, 9}, {1, 33, 66, 98}} {
		require.Equal(t, culprits, ddmin(numbers(100), holds(culprits...)))
	}
	require.Empty(t, ddmin(numbers(100), func([]int) bool { return true }), "it fails without any input")
	require.Equal(t, numbers(5), ddmin(numbers(5), func([]int) bool { return false }), "only the whole fails")
	require.Empty(t, ddmin(nil, holds(1)))
}

// TestDDMinOfManyShapes: whatever the test, what is left fails, is a subsequence, and is minimal in each
// single item. The test here is one that is not monotone: some item counts pass although more fail.
func TestDDMinOfManyShapes(t *testing.T) {
	for seed := range uint64(50) {
		rng := rand.New(rand.NewPCG(seed, 1))
		items := numbers(1 + rng.IntN(200))
		odd := 1 + rng.IntN(4)
		fails := func(part []int) bool {
			sum := 0
			for _, p := range part {
				sum += p * p % 7
			}
			return sum > 10 && len(part)%odd == len(items)%odd
		}
		if !fails(items) {
			continue
		}
		left := ddmin(items, fails)
		require.True(t, fails(left), "seed %d", seed)
		require.True(t, slices.IsSorted(left), "seed %d", seed)
		for i := range left {
			require.False(t, fails(slices.Delete(slices.Clone(left), i, i+1)), "seed %d: %d can go", seed, left[i])
		}
	}
}

// TestDDMinIsFast: one culprit among many is found in about two halvings of the whole.
func TestDDMinIsFast(t *testing.T) {
	asked := 0
	culprit := holds(3141)
	left := ddmin(numbers(4096), func(part []int) bool {
		asked += len(part)
		return culprit(part)
	})
	require.Equal(t, []int{3141}, left)
	require.Less(t, asked, 3*4096, "items asked about")
}
