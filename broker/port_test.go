package broker_test

import (
	"net"
	"testing"

	"github.com/stretchr/testify/require"

	"gatewaymeter/broker"
)

func TestFreePortsAreFreeAndDiffer(t *testing.T) {
	seen := map[string]bool{}
	for range 20 {
		port, err := broker.FreePort()
		require.NoError(t, err)
		require.False(t, seen[port], "port %s again", port)
		seen[port] = true
		l, err := net.Listen("tcp", "127.0.0.1:"+port)
		require.NoError(t, err)
		defer l.Close()
	}
}
