package brokertest

import (
	"bytes"
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/IBM/sarama"
	"github.com/stretchr/testify/require"

	"gatewaymeter/broker"
	"gatewaymeter/stream"
)

// Suite is what every broker must do. open opens it with the options given; the suite closes it.
// Topics are named after the tests, so the broker must be new.
func Suite(t *testing.T, open func(t testing.TB, o broker.Options) *broker.Broker) {
	for _, c := range []struct {
		name string
		test func(t *testing.T, b *broker.Broker)
	}{
		{"a message comes back byte for byte", roundTrip},
		{"a partition keeps the order of sending", order},
		{"a topic is made once, and with one number of partitions", topics},
		{"a topic that is missing is named, with those there", missingTopic},
		{"a message that is too large is refused alone", tooLarge},
		{"messages to a partition that is not there end the producer", missingPartition},
		{"a log follows what is written", follow},
		{"a log starts anew from an earlier and a later offset", seek},
		{"a log says at which offset it cannot read", outOfRange},
		{"each log has its own position", independentLogs},
		{"reading all ends where the topic ended", readAll},
		{"a group's committed offsets are those of the last commit", committedOffsets},
		{"closing twice is closing once", closeTwice},
	} {
		t.Run(c.name, func(t *testing.T) {
			NoLeaks(t)
			b := open(t, broker.Options{})
			t.Cleanup(func() { require.NoError(t, b.Close()) })
			c.test(t, b)
		})
	}
	t.Run("a committed reader sees committed transactions, and their end", func(t *testing.T) {
		NoLeaks(t)
		b := open(t, broker.Options{ReadCommitted: true})
		t.Cleanup(func() { require.NoError(t, b.Close()) })
		committed(t, b)
	})
}

func roundTrip(t *testing.T, b *broker.Broker) {
	require.NoError(t, b.CreateTopic("round-trip", 3))
	p := Producer(t, b)
	want := []stream.Message{
		{Key: []byte("r-1"), Value: []byte(`{"event_type":"RequestStarted"}`)},
		{Key: []byte{0xff, 0xfe, 0}, Value: []byte{0x80, 0}}, // not UTF-8
		{Key: nil, Value: []byte("no key")},
		{Key: []byte("no value"), Value: nil},
		{Key: []byte{}, Value: []byte{}},
		{Key: []byte("large"), Value: bytes.Repeat([]byte("x"), 900_000)},
	}
	for i := range want {
		want[i].Topic, want[i].Partition, want[i].Offset = "round-trip", 1, int64(i)
		require.NoError(t, p.Send("round-trip", 1, want[i].Key, want[i].Value))
	}
	require.NoError(t, p.Flush(Context(t)))
	got, err := b.ReadAll(Context(t), "round-trip")
	require.NoError(t, err)
	require.Equal(t, want, got)
	ends, err := b.EndOffsets("round-trip")
	require.NoError(t, err)
	require.Equal(t, []int64{0, 6, 0}, ends)
}

func order(t *testing.T, b *broker.Broker) {
	const n, partitions = 6000, 3
	Fill(t, b, "order", partitions, n)
	got, err := b.ReadAll(Context(t), "order")
	require.NoError(t, err)
	require.Len(t, got, n)
	for at, m := range got {
		partition, offset := at/(n/partitions), at%(n/partitions)
		require.Equal(t, int32(partition), m.Partition)
		require.Equal(t, int64(offset), m.Offset)
		require.Equal(t, fmt.Sprintf("v-%d", offset*partitions+partition), string(m.Value))
	}
}

func topics(t *testing.T, b *broker.Broker) {
	require.NoError(t, b.CreateTopic("twice", 4))
	require.NoError(t, b.CreateTopic("twice", 4))
	err := b.CreateTopic("twice", 7)
	require.ErrorContains(t, err, `"twice"`)
	require.ErrorContains(t, err, "has 4 partitions, and 7 are asked for")
	n, err := b.TopicPartitions("twice")
	require.NoError(t, err)
	require.Equal(t, int32(4), n)
	require.ErrorContains(t, b.CreateTopic("none", 0), "ask for 1 or more")
	require.ErrorContains(t, b.CreateTopic("with space", 1), "is not a name for a topic")
	require.ErrorContains(t, b.CreateTopic("", 1), "is not a name for a topic")
}

func missingTopic(t *testing.T, b *broker.Broker) {
	require.NoError(t, b.CreateTopic("gateway-events", 1))
	_, err := b.TopicPartitions("gateway-event")
	require.ErrorIs(t, err, broker.ErrNoTopic)
	require.ErrorContains(t, err, `topic "gateway-event"`)
	require.ErrorContains(t, err, b.Addr())
	require.ErrorContains(t, err, "gateway-events")
	_, err = b.OpenLog("gateway-event")
	require.ErrorIs(t, err, broker.ErrNoTopic)
	_, err = b.ReadAll(Context(t), "gateway-event")
	require.ErrorIs(t, err, broker.ErrNoTopic)
	names, err := b.Topics()
	require.NoError(t, err)
	require.NotContains(t, names, "gateway-event", "asking for a topic must not make it")
}

func tooLarge(t *testing.T, b *broker.Broker) {
	require.NoError(t, b.CreateTopic("too-large", 1))
	p := Producer(t, b)
	err := p.Send("too-large", 0, []byte("r-1"), make([]byte, 2_000_000))
	var large *broker.TooLargeError
	require.ErrorAs(t, err, &large)
	require.Equal(t, broker.MaxMessageBytes, large.Limit)
	require.ErrorContains(t, err, "too-large/0")
	require.ErrorContains(t, err, "limit 1000000")
	require.NoError(t, p.Send("too-large", 0, []byte("r-2"), []byte("fits")))
	require.NoError(t, p.Flush(Context(t)))
	got, err := b.ReadAll(Context(t), "too-large")
	require.NoError(t, err)
	require.Len(t, got, 1)
}

func missingPartition(t *testing.T, b *broker.Broker) {
	require.NoError(t, b.CreateTopic("one-partition", 1))
	p, err := b.NewProducer()
	require.NoError(t, err)
	require.NoError(t, p.Send("one-partition", 7, nil, []byte("lost?")))
	err = p.Flush(Context(t))
	var lost *broker.NotAcknowledgedError
	require.ErrorAs(t, err, &lost)
	require.Equal(t, []broker.Unacknowledged{{Topic: "one-partition", Partition: 7, Messages: 1}}, lost.Partitions)
	require.ErrorContains(t, err, "one-partition/7 is not there")
	require.Equal(t, err, p.Send("one-partition", 0, nil, nil), "a producer that has lost one takes no more")
	require.ErrorIs(t, p.Close(), err)
}

func follow(t *testing.T, b *broker.Broker) {
	Fill(t, b, "follow", 2, 10)
	l := Log(t, b, "follow")
	got, err := Read(t, l, 1, 0, 5)
	require.NoError(t, err)
	require.Equal(t, "v-9", string(got[4].Value))
	more, err := l.Fetch(1, 5, 100)
	require.NoError(t, err)
	require.Empty(t, more, "nothing there yet is no error")

	p := Producer(t, b)
	Numbered(t, p, "follow", 2, 10, 14)
	got, err = Read(t, l, 1, 5, 2)
	require.NoError(t, err)
	require.Equal(t, "v-13", string(got[1].Value))
	require.NoError(t, p.Flush(Context(t)))
	end, err := l.End(1)
	require.NoError(t, err)
	require.Equal(t, int64(7), end)
	_, err = l.Fetch(1, 7, 0)
	require.ErrorContains(t, err, "1 is the least")
}

func seek(t *testing.T, b *broker.Broker) {
	Fill(t, b, "seek", 1, 3000)
	l := Log(t, b, "seek")
	for _, from := range []int64{0, 2000, 10, 2999, 11} {
		n := min(1000, 3000-int(from))
		got, err := Read(t, l, 0, from, n)
		require.NoError(t, err)
		for i, m := range got {
			require.Equal(t, from+int64(i), m.Offset)
			require.Equal(t, fmt.Sprintf("v-%d", m.Offset), string(m.Value))
		}
	}
}

func outOfRange(t *testing.T, b *broker.Broker) {
	Fill(t, b, "range", 2, 10)
	l := Log(t, b, "range")
	for _, from := range []int64{6, -3} {
		_, err := Read(t, l, 1, from, 1)
		require.ErrorIs(t, err, sarama.ErrOffsetOutOfRange)
		require.ErrorContains(t, err, fmt.Sprintf("range/1 at offset %d", from))
		_, again := l.Fetch(1, from, 1)
		require.Equal(t, err, again, "it stays")
	}
	_, err := Read(t, l, 9, 0, 1)
	require.ErrorIs(t, err, sarama.ErrUnknownTopicOrPartition)
	require.ErrorContains(t, err, "range/9 at offset 0")
	got, err := Read(t, l, 0, 0, 5)
	require.NoError(t, err, "another partition is not touched by that")
	require.Len(t, got, 5)
}

func independentLogs(t *testing.T, b *broker.Broker) {
	Fill(t, b, "two-readers", 1, 100)
	one, two := Log(t, b, "two-readers"), Log(t, b, "two-readers")
	a, err := Read(t, one, 0, 0, 60)
	require.NoError(t, err)
	c, err := Read(t, two, 0, 40, 60)
	require.NoError(t, err)
	require.Equal(t, a[40:], c[:20])
}

func readAll(t *testing.T, b *broker.Broker) {
	require.NoError(t, b.CreateTopic("all", 2))
	none, err := b.ReadAll(Context(t), "all")
	require.NoError(t, err)
	require.Empty(t, none)
	p := Producer(t, b)
	Numbered(t, p, "all", 2, 0, 9)
	require.NoError(t, p.Flush(Context(t)))
	got, err := b.ReadAll(Context(t), "all")
	require.NoError(t, err)
	require.Len(t, got, 9)

	ended, cancel := context.WithCancel(Context(t))
	cancel()
	_, err = b.ReadAll(ended, "all")
	if err != nil { // it may also have been there at the first look
		require.ErrorIs(t, err, context.Canceled)
	}
}

func committedOffsets(t *testing.T, b *broker.Broker) {
	require.NoError(t, b.CreateTopic("monitored", 3))
	committed := func(group string) []int64 {
		t.Helper()
		next, err := b.CommittedOffsets(group, "monitored")
		require.NoError(t, err)
		return next
	}
	require.Equal(t, []int64{-1, -1, -1}, committed("job-1"), "nothing is committed yet")
	at := func(next ...int64) (splits []stream.Split) {
		for p, n := range next {
			splits = append(splits, stream.Split{Topic: "monitored", Partition: int32(p), Next: n, Stop: 100})
		}
		return splits
	}
	require.NoError(t, b.CommitOffsets("job-1", at(5, 6)))
	require.Equal(t, []int64{5, 6, -1}, committed("job-1"))
	require.NoError(t, b.CommitOffsets("job-1", at(2, 8, 0)), "a restored job goes back")
	require.Equal(t, []int64{2, 8, 0}, committed("job-1"))
	require.Equal(t, []int64{-1, -1, -1}, committed("job-2"), "each job has a group of its own")
}

func closeTwice(t *testing.T, b *broker.Broker) {
	Fill(t, b, "close", 1, 3)
	p, err := b.NewProducer()
	require.NoError(t, err)
	require.NoError(t, p.Send("close", 0, nil, []byte("flushed by close")))
	require.NoError(t, p.Close())
	require.NoError(t, p.Close())
	require.ErrorContains(t, p.Send("close", 0, nil, nil), "producer is closed")
	l, err := b.OpenLog("close")
	require.NoError(t, err)
	got, err := Read(t, l, 0, 0, 4)
	require.NoError(t, err)
	require.Equal(t, "flushed by close", string(got[3].Value))
	require.NoError(t, l.Close())
	require.NoError(t, l.Close())
	_, err = l.Fetch(0, 4, 1)
	require.ErrorContains(t, err, "log is closed")
}

// committed writes one transaction that holds, one that is undone, and leaves one open.
func committed(t *testing.T, b *broker.Broker) {
	require.NoError(t, b.CreateTopic("committed", 1))
	open := func(id string) sarama.AsyncProducer {
		conf := sarama.NewConfig()
		conf.Version = sarama.V3_6_0_0
		conf.Producer.Idempotent, conf.Producer.RequiredAcks = true, sarama.WaitForAll
		conf.Net.MaxOpenRequests = 1
		conf.Producer.Transaction.ID = id
		conf.Producer.Return.Successes = true
		p, err := sarama.NewAsyncProducer([]string{b.Addr()}, conf)
		require.NoError(t, err)
		t.Cleanup(func() { p.Close() })
		return p
	}
	send := func(p sarama.AsyncProducer, value string) {
		require.NoError(t, p.BeginTxn())
		p.Input() <- &sarama.ProducerMessage{Topic: "committed", Value: sarama.StringEncoder(value)}
		<-p.Successes()
	}
	p := open("one")
	send(p, "held")
	require.NoError(t, p.CommitTxn())
	send(p, "undone")
	require.NoError(t, p.AbortTxn())

	var values []string
	// An answer to a commit can come a moment before readers see it.
	require.Eventually(t, func() bool {
		ends, err := b.EndOffsets("committed")
		require.NoError(t, err)
		return ends[0] == 4 // two messages and two markers
	}, time.Minute, 5*time.Millisecond)
	got, err := b.ReadAll(Context(t), "committed")
	require.NoError(t, err)
	for _, m := range got {
		values = append(values, string(m.Value))
	}
	require.Equal(t, []string{"held"}, values)

	// A log has one message to give, and says that nothing stands before offset 4.
	l := Log(t, b, "committed")
	_, err = Read(t, l, 0, 0, 1)
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		more, err := l.Fetch(0, 1, 10)
		require.NoError(t, err)
		require.Empty(t, more)
		return l.Position(0) == 4
	}, time.Minute, 5*time.Millisecond)

	send(open("two"), "undecided")
	ends, err := b.EndOffsets("committed")
	require.NoError(t, err)
	require.Equal(t, []int64{4}, ends, "what is undecided is past the end")
}
