package container_test

import (
	"net"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"gatewaymeter/broker"
	"gatewaymeter/broker/brokertest"
	"gatewaymeter/broker/container"
)

// TestContainerPassesTheSuite runs what every broker must do on a real Kafka.
func TestContainerPassesTheSuite(t *testing.T) {
	if os.Getenv("GATEWAYMETER_CONTAINER") != "1" {
		t.Skip("needs Docker: set GATEWAYMETER_CONTAINER=1, as `go tool lab verify --broker container` does")
	}
	own, err := broker.Open(brokertest.Context(t), "container", broker.Options{Container: container.Start})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, own.Close()) })
	require.Equal(t, "container", own.Kind())
	t.Log(own)
	host, _, err := net.SplitHostPort(own.Addr())
	require.NoError(t, err)
	require.Equal(t, "127.0.0.1", host, "nobody else on the network may use it")
	brokertest.Suite(t, func(t testing.TB, o broker.Options) *broker.Broker {
		b, err := broker.Open(brokertest.Context(t), own.Addr(), o)
		require.NoError(t, err)
		return b
	})
}
