package watermarks_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	watermarks "gatewaymeter/labs/05-watermarks/solution"
)

// A share that is just that of k of n elements lets k be late, whatever the share is as a float.
func TestChooseBoundTakesTheShareAtItsWord(t *testing.T) {
	for n := range 200 {
		lags := make([]time.Duration, n)
		for i := range lags {
			lags[i] = time.Duration(i+1) * time.Millisecond
		}
		for k := range n {
			want := time.Duration(n-k) * time.Millisecond // all but the k largest
			require.Equal(t, want, watermarks.ChooseBound(lags, float64(k)/float64(n)), "%d of %d", k, n)
		}
		require.Zero(t, watermarks.ChooseBound(lags, 1), n)
	}
	hundred := make([]time.Duration, 100)
	for i := range hundred {
		hundred[i] = time.Duration(i+1) * time.Millisecond
	}
	require.Equal(t, 71*time.Millisecond, watermarks.ChooseBound(hundred, 0.29))
}
