package generator

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSplitmix64 holds the numbers against the published ones for seed 1234567.
func TestSplitmix64(t *testing.T) {
	r := random(1234567)
	for _, want := range []uint64{6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431, 16408922859458223821} {
		require.Equal(t, want, r.next())
	}
}

func TestRanges(t *testing.T) {
	r := newRandom(1, "test")
	seen := map[int64]bool{}
	for range 1000 {
		n := r.between(-2, 2)
		must(t, n >= -2 && n <= 2, "%d", n)
		seen[n] = true
		must(t, r.below(1) == 0, "below 1")
		s := r.skewed(10)
		must(t, s >= 0 && s < 10, "%d", s)
		must(t, r.share() < 1, "a whole")
	}
	require.Len(t, seen, 5)
}

// TestScheduleKeepsItsRate: exactly one hit in each stretch of 1/rate.
func TestScheduleKeepsItsRate(t *testing.T) {
	for _, rate := range []float64{0.01, 0.05, 0.25, 0.3, 1} {
		for seed := range uint64(20) {
			s, hits := newSchedule(seed, "x", rate), 0
			for i := range int64(2_000) {
				if s.take(i) {
					hits++
				}
				must(t, math.Abs(float64(i+1)*rate-float64(hits)) < 1.0001, "rate %v, seed %d: %d hits in %d", rate, seed, hits, i+1)
			}
		}
	}
	never := newSchedule(1, "x", 0)
	require.False(t, never.take(1<<40))
}

func TestZipf(t *testing.T) {
	z, r := newZipf(10), newRandom(1, "zipf")
	var counts [10]int
	for range 29_290 { // 10000 times the sum of 1/k
		counts[z.pick(&r)]++
	}
	for k, n := range counts {
		require.InDelta(t, 10_000/(k+1), n, 400, "thing %d", k)
	}
}

func TestQueueOrder(t *testing.T) {
	var q queue[int]
	r := newRandom(1, "queue")
	for i := range 1000 {
		q.push(r.below(50), i)
	}
	lastAt, lastIn := int64(-1), -1
	for range 1000 {
		at, in := q.pop()
		must(t, at > lastAt || at == lastAt && in > lastIn, "%d of time %d after %d of time %d", in, at, lastIn, lastAt)
		lastAt, lastIn = at, in
	}
	require.True(t, q.empty())
}
