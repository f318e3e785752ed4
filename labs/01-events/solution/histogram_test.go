package events

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// Every number lies in its bucket, and a bucket is at most an eighth wider than its start.
func TestBucketsCoverAllNumbers(t *testing.T) {
	numbers := []int64{math.MaxInt64, math.MaxInt64 - 1, 1 << 62, 1<<62 - 1}
	for v := range int64(5000) {
		numbers = append(numbers, v)
	}
	for _, v := range numbers {
		b := bucketOf(v)
		require.Less(t, b, len(Histogram{}.buckets))
		require.GreaterOrEqual(t, bucketEnd(b), v)
		if b > 0 {
			require.Less(t, bucketEnd(b-1), v)
		}
		require.LessOrEqual(t, bucketEnd(b)-v, v/8, "number %d", v)
	}
}

func TestQuantiles(t *testing.T) {
	var h Histogram
	require.Zero(t, h.Quantile(0.5))
	for v := range int64(1001) {
		h.Add(v)
	}
	h.Add(-7) // counts as 0
	require.Equal(t, int64(1002), h.Count())
	require.InDelta(t, 500, h.Quantile(0.5), 500.0/8)
	require.Equal(t, int64(1000), h.Quantile(1))
	require.Equal(t, int64(1000), h.Max())
	require.Zero(t, h.Quantile(0))
}
