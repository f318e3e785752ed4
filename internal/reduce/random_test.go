package reduce_test

import (
	"math/rand/v2"
	"testing"
	"time"
)

// newRand is a generator with a seed that the test prints: the day of the month.
func newRand(t *testing.T) *rand.Rand {
	seed := uint64(time.Now().Day())
	t.Logf("seed %d", seed)
	return rand.New(rand.NewPCG(seed, 1))
}
