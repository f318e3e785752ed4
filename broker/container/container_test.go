package container_test

import (
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
	server, err := container.Start(brokertest.Context(t))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, server.Stop()) })
	t.Logf("container %s at %s", server.ID, server.Addr)
	brokertest.Suite(t, func(t testing.TB, o broker.Options) *broker.Broker {
		b, err := broker.Open(brokertest.Context(t), server.Addr, o)
		require.NoError(t, err)
		return b
	})
}
