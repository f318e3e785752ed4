package keying

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"gatewaymeter/stream"
)

// Encoded keys sort as the keys do, and come back as they were.
func TestEncodedKeysKeepTheirOrder(t *testing.T) {
	ordered(t, Int32Keys, []int32{math.MinInt32, -2, -1, 0, 1, 2, math.MaxInt32})
	ordered(t, Int64Keys, []int64{math.MinInt64, -1 << 32, -1, 0, 1, 1 << 32, math.MaxInt64})
	ordered(t, BoolKeys, []bool{false, true})
	ordered(t, StringKeys, []string{"", "a", "ab", "b", "日"})
}

func ordered[K any](t *testing.T, keys stream.Keys[K], ascending []K) {
	t.Helper()
	var encoded []string
	for _, key := range ascending {
		encoded = append(encoded, keys.Encode(key))
		back, err := keys.Decode(keys.Encode(key))
		require.NoError(t, err)
		require.Equal(t, key, back)
	}
	require.True(t, slices.IsSorted(encoded), "%q", encoded)
}

func TestKeysThatNobodyEncodedAreRefused(t *testing.T) {
	_, err := Int32Keys.Decode("123")
	require.ErrorIs(t, err, stream.ErrCorrupt)
	_, err = Int64Keys.Decode("12345")
	require.ErrorIs(t, err, stream.ErrCorrupt)
	_, err = BoolKeys.Decode("\x02")
	require.ErrorIs(t, err, stream.ErrCorrupt)
}

func TestTheNumberOfGroupsHasBounds(t *testing.T) {
	for _, max := range []int{-1, 0, MaxGroups + 1} {
		_, err := NewGroups(max)
		require.ErrorContains(t, err, "1 to 32768", "%d groups", max)
	}
	for _, max := range []int{1, MaxGroups} {
		groups, err := NewGroups(max)
		require.NoError(t, err)
		require.Equal(t, max, groups.Max())
	}
}
