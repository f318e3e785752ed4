package broker_test

import (
	"testing"
	"time"

	"github.com/IBM/sarama"
	"github.com/stretchr/testify/require"

	"gatewaymeter/broker"
	"gatewaymeter/broker/brokertest"
)

func TestLogSaysWhereADyingBrokerStoppedIt(t *testing.T) {
	b := openEmbedded(t, mortal(t))
	brokertest.Fill(t, b, "events", 1, 100)
	l := brokertest.Log(t, hasty(t, b), "events")
	_, err := brokertest.Read(t, l, 0, 0, 40)
	require.NoError(t, err)

	require.NoError(t, b.Embedded().Close())
	start := time.Now()
	got, err := brokertest.Read(t, l, 0, 40, 1000)
	requireUnreadable(t, err, "events/0 at offset 100")
	require.Len(t, got, 60, "what was fetched before comes first")
	require.Less(t, time.Since(start), broker.DefaultPatience)
}

func TestLogGivesUpOnABrokerThatHangs(t *testing.T) {
	b := openEmbedded(t, broker.Options{})
	brokertest.Fill(t, b, "events", 1, 10)
	fault := b.Embedded().Inject(broker.Fault{Op: broker.OpFetch, Answer: broker.Hang, Times: -1})
	l := brokertest.Log(t, hasty(t, b), "events")
	start := time.Now()
	_, err := brokertest.Read(t, l, 0, 0, 1)
	requireUnreadable(t, err, "events/0 at offset 0")
	require.Less(t, time.Since(start), broker.DefaultPatience)
	require.Positive(t, fault.Fired())
}

func requireUnreadable(t *testing.T, err error, where string) {
	t.Helper()
	var unreadable *broker.ReadError
	require.ErrorAs(t, err, &unreadable)
	require.ErrorContains(t, err, "cannot read "+where)
	require.ErrorContains(t, err, "no answer for ")
	require.ErrorContains(t, err, "restore from a checkpoint")
}

func TestLogReadsOnAfterATrouble(t *testing.T) {
	for _, answer := range []broker.Answer{broker.Disconnect, broker.Hang, broker.RefuseNotLeader} {
		t.Run(answer.String(), func(t *testing.T) {
			b := openEmbedded(t, troubled(answer))
			brokertest.Fill(t, b, "events", 1, 100)
			fault := b.Embedded().Inject(broker.Fault{Op: broker.OpFetch, Answer: answer})
			l := brokertest.Log(t, b, "events")
			got, err := brokertest.Read(t, l, 0, 0, 100)
			require.NoError(t, err)
			require.Equal(t, brokertest.Value(99), string(got[99].Value))
			require.Equal(t, 1, fault.Fired())
		})
	}
}

// What will not change is not tried again: with this patience Read would end by its context, before it.
func TestLogSaysWhatIsFinal(t *testing.T) {
	for _, c := range []struct {
		answer broker.Answer
		is     error
		says   string
	}{
		{broker.RefuseTopic, sarama.ErrUnknownTopicOrPartition, "not there"},
		{broker.RefuseOffset, sarama.ErrOffsetOutOfRange, "without the restored offsets"},
		{broker.RefuseAccess, sarama.ErrTopicAuthorizationFailed, "does not let us"},
	} {
		t.Run(c.answer.String(), func(t *testing.T) {
			b := openEmbedded(t, broker.Options{Patience: 2 * time.Minute})
			brokertest.Fill(t, b, "events", 1, 10)
			b.Embedded().Inject(broker.Fault{Op: broker.OpFetch, Topic: "events", Partition: []int32{0}, Answer: c.answer})
			l := brokertest.Log(t, b, "events")
			_, err := brokertest.Read(t, l, 0, 0, 1)
			require.ErrorIs(t, err, c.is)
			require.ErrorContains(t, err, c.says)
		})
	}
}

// A source whose operator is busy leaves its log alone. It must not hold more and more, nor keep other
// partitions waiting.
func TestLogOfASlowCallerIsBounded(t *testing.T) {
	b := openEmbedded(t, broker.Options{})
	require.NoError(t, b.CreateTopic("events", 2))
	p := brokertest.Producer(t, b)
	big := make([]byte, 100_000)
	const n = 200 // 20 MB in partition 0
	for range n {
		require.NoError(t, p.Send("events", 0, nil, big))
	}
	require.NoError(t, p.Send("events", 1, nil, []byte("small")))
	require.NoError(t, p.Flush(brokertest.Context(t)))

	left := b.Embedded().Watch(broker.OpFetch, "events", 0)
	asked := b.Embedded().Watch(broker.OpFetch, "events", 1)
	l := brokertest.Log(t, b, "events")
	_, err := brokertest.Read(t, l, 0, 0, 1)
	require.NoError(t, err)
	// While partition 0 is left alone, partition 1 is asked again and again.
	_, err = brokertest.Read(t, l, 1, 0, 1)
	require.NoError(t, err)
	require.NoError(t, asked.Wait(brokertest.Context(t), 7))
	require.LessOrEqual(t, left.Fired(), 4, "one taken, two that wait, one that waits to wait")
	got, err := brokertest.Read(t, l, 0, 1, n-1)
	require.NoError(t, err, "and nothing is missing afterwards")
	require.Equal(t, int64(n-1), got[n-2].Offset)
}

func TestLogIsClosedWhileItReads(t *testing.T) {
	b := openEmbedded(t, broker.Options{})
	brokertest.Fill(t, b, "events", 2, 10)
	l, err := b.OpenLog("events")
	require.NoError(t, err)
	for _, from := range []int64{0, 3, 1} { // each leaves a reader behind that may not have ended
		_, err := l.Fetch(0, from, 1)
		require.NoError(t, err)
	}
	require.NoError(t, l.Close())
}
