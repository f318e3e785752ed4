package pipeline

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gatewaymeter/stream"
)

// endless gives as many messages as it is asked for.
type endless struct{ stream.SplitReader }

func (endless) Poll(max int, out stream.SplitOutput) (stream.Progress, error) {
	for range max {
		if err := out.Message(stream.Message{}); err != nil {
			return stream.Reading, err
		}
	}
	return stream.Reading, nil
}

type nowhere struct{}

func (nowhere) Message(stream.Message) error { return nil }
func (nowhere) Finished(int32)               {}

// A throttled reader reads its rate, whatever it is asked for and however long it was held up.
func TestThrottledReadsItsRate(t *testing.T) {
	clock := time.Unix(0, 0)
	r := &throttled{SplitReader: endless{}, perSecond: 1000, now: func() time.Time { return clock }}
	read := func() int {
		out := &counting{SplitOutput: nowhere{}}
		progress, err := r.Poll(256, out)
		require.NoError(t, err)
		require.Equal(t, out.messages == 0, progress == stream.Waiting, "nothing read is waiting")
		return out.messages
	}
	require.Zero(t, read())
	total := 0
	for range 10_000 { // ten seconds
		clock = clock.Add(time.Millisecond)
		total += read()
	}
	require.InDelta(t, 10_000, total, 1)

	clock = clock.Add(time.Hour)
	require.Equal(t, 101, read(), "a tenth of a second is caught up on, no more")
	require.Zero(t, read())
}
