package broker_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gatewaymeter/broker"
	"gatewaymeter/broker/brokertest"
)

// payload has the size of a gateway event.
var payload = make([]byte, 150)

func BenchmarkProduce(b *testing.B) {
	br, err := broker.Open(brokertest.Context(b), "embedded", broker.Options{})
	require.NoError(b, err)
	defer br.Close()
	require.NoError(b, br.CreateTopic("bench", 4))
	p := brokertest.Producer(b, br)
	key := []byte("r-1234567")
	for i := 0; b.Loop(); i++ {
		require.NoError(b, p.Send("bench", int32(i%4), key, payload))
	}
	require.NoError(b, p.Flush(brokertest.Context(b)))
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "messages/s")
}

// BenchmarkFetch reads four partitions through one Log, in turn, as a source subtask does.
func BenchmarkFetch(b *testing.B) {
	const partitions, n = 4, 400_000
	br, err := broker.Open(brokertest.Context(b), "embedded", broker.Options{})
	require.NoError(b, err)
	defer br.Close()
	require.NoError(b, br.CreateTopic("bench", partitions))
	p := brokertest.Producer(b, br)
	for i := range n {
		require.NoError(b, p.Send("bench", int32(i%partitions), []byte("r-1234567"), payload))
	}
	require.NoError(b, p.Flush(brokertest.Context(b)))
	for b.Loop() {
		drain(b, br, partitions, n)
	}
	b.ReportMetric(float64(b.N*n)/b.Elapsed().Seconds(), "messages/s")
}

func drain(b *testing.B, br *broker.Broker, partitions, n int) {
	l, err := br.OpenLog("bench")
	require.NoError(b, err)
	defer l.Close()
	next := make([]int64, partitions)
	for got := 0; got < n; {
		before := got
		for p := range next {
			messages, err := l.Fetch(int32(p), next[p], 512)
			require.NoError(b, err)
			got += len(messages)
			next[p] += int64(len(messages))
		}
		if got == before {
			<-l.Ready()
		}
	}
}
