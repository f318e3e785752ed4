package generator

import "math/bits"

// random is splitmix64: one word of state and the same numbers in every language and version.
type random uint64

const golden = 0x9E3779B97F4A7C15

// newRandom returns the numbers of one purpose, so that what is drawn for one does not shift another.
func newRandom(seed uint64, purpose string) random {
	h := mix(seed + golden)
	for _, c := range []byte(purpose) {
		h = mix(h ^ uint64(c))
	}
	return random(h)
}

func mix(z uint64) uint64 {
	z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9
	z = (z ^ (z >> 27)) * 0x94D049BB133111EB
	return z ^ (z >> 31)
}

func (r *random) next() uint64 {
	*r += golden
	return mix(uint64(*r))
}

// below returns a number from 0 to n-1. n is at least 1.
func (r *random) below(n int64) int64 {
	high, _ := bits.Mul64(r.next(), uint64(n))
	return int64(high)
}

// between returns a number from low to high, both included.
func (r *random) between(low, high int64) int64 { return low + r.below(high-low+1) }

// share returns a number in [0, 1), a multiple of 2^-53.
func (r *random) share() float64 { return float64(r.next()>>11) / (1 << 53) }

// skewed returns a number from 0 to n-1, small ones more often: the product of two shares.
func (r *random) skewed(n int64) int64 {
	a, _ := bits.Mul64(r.next(), r.next())
	high, _ := bits.Mul64(a, uint64(n))
	return int64(high)
}

// zipf picks one of n things, the k-th (from 1) with a weight of 1/k. Weights are integers, as powers of
// fractions differ between machines.
type zipf struct{ upTo []int64 }

func newZipf(n int) zipf {
	z := zipf{make([]int64, n)}
	sum := int64(0)
	for k := range n {
		sum += 1_000_000_000 / int64(k+1)
		z.upTo[k] = sum
	}
	return z
}

func (z zipf) pick(r *random) int {
	at := r.below(z.upTo[len(z.upTo)-1])
	low, high := 0, len(z.upTo)-1
	for low < high {
		if mid := (low + high) / 2; z.upTo[mid] <= at {
			low = mid + 1
		} else {
			high = mid
		}
	}
	return low
}

// schedule spreads an anomaly over things counted 0, 1, 2, …: one in each stretch of 1/rate things, at a
// random place in it.
type schedule struct {
	rate float64
	from random
	hits int64
	next int64 // the place of the next hit
}

func newSchedule(seed uint64, purpose string, rate float64) schedule {
	s := schedule{rate: rate, from: newRandom(seed, purpose)}
	s.place()
	return s
}

// place works out the next hit. A sum and a quotient: both are exactly rounded everywhere.
func (s *schedule) place() {
	if s.rate > 0 {
		s.next = int64((float64(s.hits) + s.from.share()) / s.rate)
	}
}

// take tells whether thing i is hit. A hit that nobody took when it was due is taken by a later thing.
func (s *schedule) take(i int64) bool {
	if s.rate <= 0 || i < s.next {
		return false
	}
	s.hits++
	s.place()
	return true
}
