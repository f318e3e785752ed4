package events

import "math/bits"

// Histogram counts numbers from 0 up in buckets, each at most an eighth wider than its start, so that
// it is small whatever it counts. It is given. The zero value is empty; a copy is independent.
type Histogram struct {
	buckets [8 * 62]int64
	count   int64
	most    int64
}

// Add counts one number; a negative one counts as 0.
func (h *Histogram) Add(v int64) {
	v = max(v, 0)
	h.buckets[bucketOf(v)]++
	h.count++
	h.most = max(h.most, v)
}

// Count is how many numbers were added.
func (h *Histogram) Count() int64 { return h.count }

// Max is the greatest number, exactly; 0 if there is none.
func (h *Histogram) Max() int64 { return h.most }

// Quantile is a number that at least the share q (0 to 1) of all numbers are not above: the end of a
// bucket, so at most an eighth too large, and never above Max.
func (h *Histogram) Quantile(q float64) int64 {
	need := q * float64(h.count)
	seen := int64(0)
	for i, n := range h.buckets {
		seen += n
		if n > 0 && float64(seen) >= need {
			return min(bucketEnd(i), h.most)
		}
	}
	return h.most
}

// bucketOf gives numbers below 8 a bucket each; above, each power of two is cut into eight parts.
func bucketOf(v int64) int {
	if v < 8 {
		return int(v)
	}
	shift := bits.Len64(uint64(v)) - 4
	return shift*8 + int(v>>shift)
}

// bucketEnd is the greatest number in a bucket.
func bucketEnd(i int) int64 {
	if i < 16 {
		return int64(i)
	}
	shift := i/8 - 1
	return (int64(i%8+9) << shift) - 1
}
