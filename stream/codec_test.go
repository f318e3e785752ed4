package stream_test

import (
	"bytes"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gatewaymeter/stream"
)

// Map keys sort by their bytes, so the bytes of an ordered codec must sort as the values do.
func TestOrderedCodecsKeepTheOrder(t *testing.T) {
	const seed = 5
	r := rand.New(rand.NewPCG(seed, 0))
	numbers := []int64{math.MinInt64, -1, 0, 1, math.MaxInt64}
	for range 200 {
		numbers = append(numbers, int64(r.Uint64()))
	}
	slices.Sort(numbers)
	for i := range len(numbers) - 1 {
		a, b := stream.Int64.Append(nil, numbers[i]), stream.Int64.Append(nil, numbers[i+1])
		require.LessOrEqual(t, bytes.Compare(a, b), 0, "seed %d: %d and %d", seed, numbers[i], numbers[i+1])
	}
	optional := stream.Optional[int64](stream.Int64)
	least := int64(math.MinInt64)
	require.Negative(t, bytes.Compare(optional.Append(nil, nil), optional.Append(nil, &least)), "null sorts first")
}

func TestCodecsReadWhatTheyWrote(t *testing.T) {
	same(t, stream.Int64, math.MinInt64)
	same(t, stream.String, "a\x00\xff")
	same(t, stream.Bool, true)
	same(t, stream.Times, stream.NoTime)
	same(t, stream.Spans, stream.Window{Start: -5, End: 7})
	same(t, stream.JSON[map[string]int](), map[string]int{"x": 1})
	text := "x"
	same(t, stream.Codec[*string](stream.Optional[string](stream.String)), &text)
	same(t, stream.Codec[*string](stream.Optional[string](stream.String)), nil)
}

func same[T any](t *testing.T, codec stream.Codec[T], v T) {
	t.Helper()
	got, err := codec.Decode(codec.Append(nil, v))
	require.NoError(t, err)
	require.Equal(t, v, got)
}

func TestDamageIsRefused(t *testing.T) {
	for name, err := range map[string]error{
		"int64":    second(stream.Int64.Decode([]byte{1, 2})),
		"bool":     second(stream.Bool.Decode([]byte{2})),
		"window":   second(stream.Spans.Decode(make([]byte, 15))),
		"optional": second(stream.Optional[string](stream.String).Decode(nil)),
		"json":     second(stream.JSON[int]().Decode([]byte("{"))),
		"section":  stream.EachSection([]byte{200, 1}, func(stream.Section) error { return nil }),
	} {
		require.ErrorIs(t, err, stream.ErrCorrupt, name)
	}
	require.ErrorContains(t, stream.Try(func() { stream.JSON[chan int]().Append(nil, nil) }), "chan int", "the type is named where it is written")
}

func second[T any](_ T, err error) error { return err }

func TestSectionsAndWire(t *testing.T) {
	body := stream.AppendContent(stream.AppendContent(nil, "a", []byte("1")), "b", nil)
	in := []stream.Section{
		{Name: "open", Type: "int64", Kind: stream.ValueState, Body: body},
		{Name: "seen", Type: "string", Kind: stream.MapState, Body: []byte{}},
	}
	var group []byte
	for _, s := range in {
		group = stream.AppendSection(group, s)
	}
	var out []stream.Section
	require.NoError(t, stream.EachSection(group, func(s stream.Section) error { out = append(out, s); return nil }))
	require.Equal(t, in, out)

	var keys []string
	require.NoError(t, stream.EachContent(out[0].Body, func(key, _ []byte) error { keys = append(keys, string(key)); return nil }))
	require.Equal(t, "a b", strings.Join(keys, " "))
	for cut := range len(group) {
		err := stream.EachSection(group[:cut], func(stream.Section) error { return nil })
		if err != nil {
			require.ErrorIs(t, err, stream.ErrCorrupt, "cut after %d bytes", cut)
		}
	}
}
