package broker

import (
	"errors"
	"fmt"
	"net"
	"strconv"
	"sync"
	"syscall"

	"github.com/twmb/franz-go/pkg/kfake"
)

// EmbeddedOptions say how the broker in this process is started.
type EmbeddedOptions struct {
	// Port on 127.0.0.1. 0 takes any free one.
	Port int
	// DataDir keeps topics and messages, so that a broker started on it later goes on from there.
	// Each batch is on disk before it is acknowledged: a killed process loses nothing that was
	// acknowledged. Empty keeps everything in memory.
	DataDir string
}

// Embedded is a Kafka inside this process, on loopback: no Docker, no network, up in milliseconds.
// It speaks the protocol of a real one, transactions included. Its methods may be called from several
// goroutines at once.
type Embedded struct {
	cluster *kfake.Cluster
	addr    string
	lock    *dirLock
	close   sync.Once
	err     error
}

// StartEmbedded starts one. A port in use and a data directory in use are errors that say so.
func StartEmbedded(o EmbeddedOptions) (*Embedded, error) {
	if o.Port < 0 || o.Port > 65535 {
		return nil, fmt.Errorf("embedded broker: port %d is not between 0 and 65535", o.Port)
	}
	lock, err := lockDir(o.DataDir)
	if err != nil {
		return nil, err
	}
	cluster, err := kfake.NewCluster(clusterOptions(o)...)
	if err != nil {
		return nil, errors.Join(startError(o, err), lock.release())
	}
	return &Embedded{cluster: cluster, addr: cluster.ListenAddrs()[0], lock: lock}, nil
}

func clusterOptions(o EmbeddedOptions) []kfake.Opt {
	opts := []kfake.Opt{
		kfake.NumBrokers(1),
		kfake.ClusterID("gatewaymeter-embedded"),
	}
	if o.Port != 0 {
		opts = append(opts, kfake.Ports(o.Port))
	}
	if o.DataDir != "" {
		opts = append(opts, kfake.DataDir(o.DataDir), kfake.SyncWrites())
	}
	return opts
}

// startError tells the two ways apart in which a start fails.
func startError(o EmbeddedOptions, err error) error {
	var op *net.OpError
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return fmt.Errorf("embedded broker: port %d of 127.0.0.1 is taken, perhaps by another broker: choose another with --port %s, or use that one with --broker localhost:%d (%w)",
			o.Port, otherPort(o.Port), o.Port, err)
	case errors.As(err, &op):
		return fmt.Errorf("embedded broker: cannot listen on port %d of 127.0.0.1: choose another with --port %s (%w)",
			o.Port, otherPort(o.Port), err)
	case o.DataDir != "":
		return fmt.Errorf("embedded broker: cannot use data directory %s: name an empty one, or one that a broker of this version made (%w)",
			o.DataDir, err)
	}
	return fmt.Errorf("embedded broker: %w", err)
}

// otherPort proposes a port that is free right now.
func otherPort(taken int) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return strconv.Itoa(taken%65535 + 1)
	}
	defer l.Close()
	return strconv.Itoa(l.Addr().(*net.TCPAddr).Port)
}

// Addr is where it listens, as HOST:PORT.
func (e *Embedded) Addr() string { return e.addr }

// ID is the cluster's id.
func (e *Embedded) ID() string { return "gatewaymeter-embedded" }

// Close stops it: connections break, and clients see a broker that died. What was acknowledged is in
// the data directory, if there is one. A second Close does nothing.
func (e *Embedded) Close() error {
	e.close.Do(func() {
		e.cluster.Close()
		e.err = e.lock.release()
	})
	return e.err
}
