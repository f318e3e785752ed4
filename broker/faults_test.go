package broker_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"gatewaymeter/broker"
	"gatewaymeter/broker/brokertest"
)

func TestFaultPrintsItself(t *testing.T) {
	for want, f := range map[string]broker.Fault{
		"produce: disconnect, 1 times":                        {Op: broker.OpProduce, Answer: broker.Disconnect},
		"fetch on invoice: hang, every time":                  {Op: broker.OpFetch, Topic: "invoice", Answer: broker.Hang, Times: -1},
		"fetch on invoice/[0 2]: refuse: not leader, 3 times": {Op: broker.OpFetch, Topic: "invoice", Partition: []int32{0, 2}, Answer: broker.RefuseNotLeader, Times: 3},
	} {
		require.Equal(t, want, f.String())
	}
}

func TestFaultHitsItsTopicOnlyAndEnds(t *testing.T) {
	for _, answer := range []broker.Answer{broker.Disconnect, broker.RefuseNotLeader} {
		t.Run(answer.String(), func(t *testing.T) {
			b := openEmbedded(t, broker.Options{})
			require.NoError(t, b.CreateTopic("hit", 1))
			require.NoError(t, b.CreateTopic("spared", 1))
			fault := b.Embedded().Inject(broker.Fault{Op: broker.OpProduce, Topic: "hit", Answer: answer, Times: -1})
			p := brokertest.Producer(t, b)
			require.NoError(t, p.Send("spared", 0, nil, []byte("x")))
			require.NoError(t, p.Flush(brokertest.Context(t)))
			require.Zero(t, fault.Fired())

			over, cancel := context.WithCancel(context.Background())
			cancel()
			require.ErrorContains(t, fault.Wait(over, 1), "has fired 0 times, not 1")

			require.NoError(t, p.Send("hit", 0, nil, []byte("y")))
			require.NoError(t, fault.Wait(brokertest.Context(t), 2))
			fault.Remove()
			require.NoError(t, p.Flush(brokertest.Context(t)))
			requireValues(t, b, "hit", "y")
			requireValues(t, b, "spared", "x")
		})
	}
}

func requireValues(t *testing.T, b *broker.Broker, topic string, want ...string) {
	t.Helper()
	got, err := b.ReadAll(brokertest.Context(t), topic)
	require.NoError(t, err)
	var values []string
	for _, m := range got {
		values = append(values, string(m.Value))
	}
	require.Equal(t, want, values)
}
