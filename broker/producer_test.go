package broker_test

import (
	"context"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gatewaymeter/broker"
	"gatewaymeter/broker/brokertest"
)

// openEmbedded opens a broker that is closed at the end of the test, if not before.
func openEmbedded(t testing.TB, o broker.Options) *broker.Broker {
	t.Helper()
	brokertest.NoLeaks(t)
	b, err := broker.Open(brokertest.Context(t), "embedded", o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, b.Close()) })
	return b
}

// mortal is for a broker that is to be closed before the test is over: on a port that no other test gets
// afterwards.
func mortal(t testing.TB) broker.Options {
	t.Helper()
	return broker.Options{Embedded: broker.EmbeddedOptions{Port: ownPort(t)}}
}

func ownPort(t testing.TB) int {
	t.Helper()
	port, err := broker.FreePort()
	require.NoError(t, err)
	n, err := strconv.Atoi(port)
	require.NoError(t, err)
	return n
}

// hasty is the same broker to a client that soon gives up.
func hasty(t testing.TB, b *broker.Broker) *broker.Broker {
	t.Helper()
	h, err := broker.Open(brokertest.Context(t), b.Addr(), impatient)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, h.Close()) })
	return h
}

func TestProducerSaysWhatADyingBrokerDidNotAcknowledge(t *testing.T) {
	b := openEmbedded(t, mortal(t))
	require.NoError(t, b.CreateTopic("invoice", 2))
	p, err := hasty(t, b).NewProducer()
	require.NoError(t, err)
	brokertest.Numbered(t, p, "invoice", 2, 0, 100)
	require.NoError(t, p.Flush(brokertest.Context(t)))

	require.NoError(t, b.Embedded().Close())
	var sent int64
	start := time.Now()
	for err = nil; err == nil; sent++ {
		err = p.Send("invoice", int32(sent%2), nil, []byte("into the void"))
		if sent == 20_000 {
			err = p.Flush(brokertest.Context(t))
		}
	}
	requireLost(t, err, "invoice", sent)
	require.Equal(t, err, p.Flush(brokertest.Context(t)), "the reason stays")
	require.ErrorIs(t, p.Close(), err)
	require.Less(t, time.Since(start), broker.DefaultPatience)
}

func TestProducerGivesUpOnABrokerThatHangs(t *testing.T) {
	b := openEmbedded(t, broker.Options{})
	require.NoError(t, b.CreateTopic("invoice", 1))
	fault := b.Embedded().Inject(broker.Fault{Op: broker.OpProduce, Topic: "invoice", Answer: broker.Hang, Times: -1})
	p, err := hasty(t, b).NewProducer()
	require.NoError(t, err)
	brokertest.Numbered(t, p, "invoice", 1, 0, 3)
	start := time.Now()
	err = p.Flush(brokertest.Context(t))
	requireLost(t, err, "invoice", 3)
	require.ErrorIs(t, p.Close(), err)
	require.Less(t, time.Since(start), broker.DefaultPatience)
	require.Positive(t, fault.Fired())
}

// requireLost: the error counts what was not acknowledged, and it is at most what was sent.
func requireLost(t *testing.T, err error, topic string, sent int64) {
	t.Helper()
	var lost *broker.NotAcknowledgedError
	require.ErrorAs(t, err, &lost)
	var total int64
	for _, p := range lost.Partitions {
		require.Equal(t, topic, p.Topic)
		total += p.Messages
	}
	require.Positive(t, total)
	require.LessOrEqual(t, total, sent)
	require.ErrorContains(t, err, topic+"/0")
	require.ErrorContains(t, err, "did not acknowledge")
	require.ErrorContains(t, err, "restore from a checkpoint")
}

// A flush waits for its own messages: that as many others have arrived meanwhile does not end it. This is
// what a checkpoint rests on, and a partition whose leader has to be asked for again is all it takes.
func TestFlushWaitsForItsOwnMessages(t *testing.T) {
	b := openEmbedded(t, broker.Options{})
	require.NoError(t, b.CreateTopic("invoice", 2))
	p, err := b.NewProducer()
	require.NoError(t, err)
	stuck := b.Embedded().Inject(broker.Fault{Op: broker.OpProduce, Topic: "invoice", Partition: []int32{0}, Answer: broker.RefuseNotLeader, Times: -1})
	require.NoError(t, p.Send("invoice", 0, nil, []byte("stuck")))
	require.NoError(t, stuck.Wait(brokertest.Context(t), 1))
	flushed := make(chan error, 1)
	go func() { flushed <- p.Flush(brokertest.Context(t)) }()
	for n := 2; n < 6; n++ { // others arrive, between one try and the next
		require.NoError(t, p.Send("invoice", 1, nil, []byte("another")))
		require.NoError(t, stuck.Wait(brokertest.Context(t), n))
		select {
		case err := <-flushed:
			t.Fatalf("the flush is over (%v), and its message has not arrived", err)
		default:
		}
	}
	stuck.Remove()
	require.NoError(t, <-flushed)
	ends, err := b.EndOffsets("invoice")
	require.NoError(t, err)
	require.EqualValues(t, 1, ends[0])
	require.NoError(t, p.Close())
}

// A partition that gets nothing is given up, however well the others do.
func TestProducerGivesUpOnOnePartition(t *testing.T) {
	b := openEmbedded(t, broker.Options{})
	require.NoError(t, b.CreateTopic("invoice", 2))
	b.Embedded().Inject(broker.Fault{Op: broker.OpProduce, Topic: "invoice", Partition: []int32{0}, Answer: broker.RefuseNotLeader, Times: -1})
	p, err := hasty(t, b).NewProducer()
	require.NoError(t, err)
	require.NoError(t, p.Send("invoice", 0, nil, []byte("stuck")))
	flushed := make(chan error, 1)
	go func() { flushed <- p.Flush(brokertest.Context(t)) }()
	for err = nil; err == nil; {
		select {
		case err = <-flushed:
		default:
			_ = p.Send("invoice", 1, nil, []byte("fine"))
		}
	}
	var lost *broker.NotAcknowledgedError
	require.ErrorAs(t, err, &lost)
	require.Error(t, p.Close())
}

func TestFlushEndsWithItsContext(t *testing.T) {
	b := openEmbedded(t, broker.Options{})
	require.NoError(t, b.CreateTopic("invoice", 1))
	p := brokertest.Producer(t, b)
	fault := b.Embedded().Inject(broker.Fault{Op: broker.OpProduce, Answer: broker.Disconnect, Times: -1})
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	require.NoError(t, p.Send("invoice", 0, nil, []byte("soon")))
	require.ErrorIs(t, p.Flush(ctx), context.Canceled)
	require.NoError(t, fault.Wait(brokertest.Context(t), 1))
	fault.Remove()
	require.NoError(t, p.Flush(brokertest.Context(t)), "the producer goes on")
}

// troubled waits long enough to get over one answer of a faulty broker. One that hangs costs half of it.
func troubled(a broker.Answer) broker.Options {
	if a == broker.Hang {
		return broker.Options{Patience: 4 * time.Second}
	}
	return broker.Options{}
}

// Whatever happens to a request, a message that is acknowledged in the end is there once, and in order.
func TestProducerWritesOnceInOrderWhateverGoesWrong(t *testing.T) {
	for _, answer := range []broker.Answer{
		broker.Disconnect, broker.Hang, broker.RefuseNotLeader, broker.DoneButTimedOut, broker.DoneButUnreplicated,
	} {
		t.Run(answer.String(), func(t *testing.T) {
			b := openEmbedded(t, troubled(answer))
			require.NoError(t, b.CreateTopic("once", 2))
			times := 2
			if answer == broker.Hang {
				times = 1 // each costs half of the patience
			}
			fault := b.Embedded().Inject(broker.Fault{Op: broker.OpProduce, Topic: "once", Answer: answer, Times: times})
			p := brokertest.Producer(t, b)
			brokertest.Numbered(t, p, "once", 2, 0, 1000)
			require.NoError(t, p.Flush(brokertest.Context(t)))
			require.Equal(t, times, fault.Fired(), fault.Fault.String())
			requireNumbered(t, b, "once", 2, 1000)
		})
	}
}

// requireNumbered: the topic holds the messages 0..n of brokertest.Fill, each once and in order.
func requireNumbered(t *testing.T, b *broker.Broker, topic string, partitions, n int) {
	t.Helper()
	got, err := b.ReadAll(brokertest.Context(t), topic)
	require.NoError(t, err)
	require.Len(t, got, n)
	for _, m := range got {
		require.Equal(t, brokertest.Value(int(m.Offset)*partitions+int(m.Partition)), string(m.Value))
	}
}

func TestProducerExplainsARefusal(t *testing.T) {
	for _, c := range []struct {
		answer broker.Answer
		says   string
	}{
		{broker.RefuseSize, "max.message.bytes"},
		{broker.RefuseAccess, "authorized"},
	} {
		t.Run(c.answer.String(), func(t *testing.T) {
			b := openEmbedded(t, broker.Options{})
			require.NoError(t, b.CreateTopic("refused", 1))
			b.Embedded().Inject(broker.Fault{Op: broker.OpProduce, Topic: "refused", Answer: c.answer, Times: -1})
			p, err := b.NewProducer()
			require.NoError(t, err)
			require.NoError(t, p.Send("refused", 0, nil, []byte("x")))
			err = p.Flush(brokertest.Context(t))
			requireLost(t, err, "refused", 1)
			require.ErrorContains(t, err, c.says)
			require.ErrorIs(t, p.Close(), err)
		})
	}
}

func TestProducerOfABrokerThatIsGone(t *testing.T) {
	b := openEmbedded(t, mortal(t))
	h := hasty(t, b)
	fault := b.Embedded().Inject(broker.Fault{Op: broker.OpInitProducerID, Answer: broker.Hang, Times: -1})
	start := time.Now()
	_, err := h.NewProducer()
	require.ErrorContains(t, err, "open a producer")
	require.Less(t, time.Since(start), broker.DefaultPatience)
	require.Positive(t, fault.Fired())

	require.NoError(t, b.Embedded().Close())
	_, err = h.NewProducer()
	require.ErrorContains(t, err, "open a producer")
	_, err = h.EndOffsets("invoice")
	require.ErrorContains(t, err, b.Addr())
	require.ErrorContains(t, h.CreateTopic("invoice", 1), `create topic "invoice"`)
}
