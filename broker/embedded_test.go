package broker_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gatewaymeter/broker"
	"gatewaymeter/broker/brokertest"
)

func TestEmbeddedPassesTheSuite(t *testing.T) {
	brokertest.Suite(t, func(t testing.TB, o broker.Options) *broker.Broker {
		b, err := broker.Open(brokertest.Context(t), "embedded", o)
		require.NoError(t, err)
		return b
	})
}
