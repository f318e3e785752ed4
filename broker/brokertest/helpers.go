package brokertest

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gatewaymeter/broker"
	"gatewaymeter/stream"
)

// Context ends with the test, or after a minute: no test may hang.
func Context(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}

// Producer opens one that is closed at the end of the test, without an error.
func Producer(t testing.TB, b *broker.Broker) *broker.Producer {
	t.Helper()
	p, err := b.NewProducer()
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, p.Close()) })
	return p
}

// Log opens one that is closed at the end of the test, without an error.
func Log(t testing.TB, b *broker.Broker, topic string) *broker.Log {
	t.Helper()
	l, err := b.OpenLog(topic)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, l.Close()) })
	return l
}

// Fill makes a topic of n messages, message i in partition i modulo partitions with key "k-i" and
// value "v-i".
func Fill(t testing.TB, b *broker.Broker, topic string, partitions int32, n int) {
	t.Helper()
	require.NoError(t, b.CreateTopic(topic, partitions))
	p := Producer(t, b)
	Numbered(t, p, topic, partitions, 0, n)
	require.NoError(t, p.Flush(Context(t)))
}

// Numbered sends the messages from..to of Fill.
func Numbered(t testing.TB, p *broker.Producer, topic string, partitions int32, from, to int) {
	t.Helper()
	for i := from; i < to; i++ {
		require.NoError(t, p.Send(topic, int32(i)%partitions, fmt.Appendf(nil, "k-%d", i), []byte(Value(i))))
	}
}

// Value is the value of message i of Fill.
func Value(i int) string { return fmt.Sprintf("v-%d", i) }

// Read takes n messages of a partition from an offset on, as a source would: fetch, and wait for the
// token when there is nothing. It returns the error that ended it early.
func Read(t testing.TB, l *broker.Log, partition int32, from int64, n int) ([]stream.Message, error) {
	t.Helper()
	var got []stream.Message
	ctx := Context(t)
	for len(got) < n {
		messages, err := l.Fetch(partition, from, n-len(got))
		if err != nil {
			return got, err
		}
		if len(messages) == 0 {
			select {
			case <-l.Ready():
			case <-ctx.Done():
				return got, ctx.Err()
			}
			continue
		}
		got = append(got, messages...)
		from = got[len(got)-1].Offset + 1
	}
	return got, nil
}
