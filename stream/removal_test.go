package stream_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gatewaymeter/stream"
)

// A state says once what it is and how its entries go; a time to live need not be said.
func TestStatesDescribeThemselves(t *testing.T) {
	c := &stream.Context{Backend: hostile{garbage: func(any) {}}}
	stream.NewValue(c, "open", stream.String, stream.RemovedBy(stream.ByElement, stream.ByTimer))
	stream.NewValue(c, "open", stream.String)
	stream.NewMap(c, "seen", stream.String, stream.Int64, stream.Expire(stream.TTL{After: time.Minute}))
	stream.NewValue(c, "total", stream.Int64)
	require.Equal(t, []stream.StateInfo{
		{Name: "open", Kind: "value", Type: "string", Removed: []stream.Removal{stream.ByElement, stream.ByTimer}},
		{Name: "seen", Kind: "map", Type: "int64", TTLMS: 60_000, Removed: []stream.Removal{stream.ByTTL}},
		{Name: "total", Kind: "value", Type: "int64"},
	}, c.Infos)
}
