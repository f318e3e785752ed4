package broker

import (
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"
	"sync/atomic"
)

// Ports that FreePort chooses from: below those that a system hands out to whoever asks for any.
const (
	firstPort = 20_000
	somePorts = 10_000
)

var nextPort atomic.Uint32

func init() { nextPort.Store(rand.Uint32N(somePorts)) }

// FreePort is a port of 127.0.0.1 for a program that is to listen there soon, and again after it was
// killed. Nobody gets it in between by asking for any port, as somebody may one that the system has chosen
// and that is free again; and this process is not given it twice, until it has had all others.
func FreePort() (string, error) {
	var err error
	for range somePorts {
		port := strconv.Itoa(firstPort + int(nextPort.Add(1)%somePorts))
		var l net.Listener
		if l, err = net.Listen("tcp", net.JoinHostPort("127.0.0.1", port)); err == nil {
			return port, l.Close()
		}
	}
	return "", fmt.Errorf("none of the ports %d to %d of 127.0.0.1 is free: %w", firstPort, firstPort+somePorts-1, err)
}
