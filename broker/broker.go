package broker

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"sync"

	"github.com/IBM/sarama"
)

// Server is a broker that was started for us, and is to be stopped by us.
type Server struct {
	Addr string // HOST:PORT
	ID   string // what its maker calls it: a container's id
	Stop func() error
}

// Starter starts a broker. It must return within the deadline of ctx, or 15 s.
type Starter func(ctx context.Context) (*Server, error)

// Broker is a Kafka that answered. Its methods may be called from several goroutines at once.
type Broker struct {
	kind      string // "embedded", "container" or "address"
	addr      string
	serverID  string
	clusterID string
	opts      Options
	embedded  *Embedded // nil unless kind is "embedded"
	stop      func() error

	client sarama.Client
	close  sync.Once
	err    error // of the first Close
}

// Open reaches the broker that spec names, and starts it where that is ours to do:
//
//	embedded    a broker in this process, on loopback, that forgets all when it is closed
//	container   apache/kafka in Docker, by Options.Container
//	HOST:PORT   one that runs already
//
// It returns once the broker has answered, or with an *UnreachableError after Options.Patience at the
// latest (a container may take a minute to start once Docker has answered).
func Open(ctx context.Context, spec string, opts Options) (*Broker, error) {
	opts = opts.withDefaults()
	server, kind, embedded, err := start(ctx, spec, opts)
	if err != nil {
		return nil, err
	}
	b := &Broker{
		kind: kind, addr: server.Addr, serverID: server.ID, opts: opts,
		embedded: embedded, stop: server.Stop,
	}
	if err := b.connect(ctx); err != nil {
		return nil, errors.Join(err, server.Stop())
	}
	return b, nil
}

// start makes sure that the broker of a spec runs.
func start(ctx context.Context, spec string, opts Options) (*Server, string, *Embedded, error) {
	switch spec {
	case "embedded":
		e, err := StartEmbedded(opts.Embedded)
		if err != nil {
			return nil, "", nil, err
		}
		return &Server{Addr: e.Addr(), ID: e.ID(), Stop: e.Close}, spec, e, nil
	case "container":
		if opts.Container == nil {
			return nil, "", nil, errors.New("broker: this command cannot start a container: start one yourself (docker compose up) and give its HOST:PORT")
		}
		s, err := opts.Container(ctx)
		return s, spec, nil, err
	}
	if err := checkAddress(spec); err != nil {
		return nil, "", nil, err
	}
	return &Server{Addr: spec, Stop: func() error { return nil }}, "address", nil, nil
}

// checkAddress says whether spec is HOST:PORT.
func checkAddress(spec string) error {
	host, port, err := net.SplitHostPort(spec)
	if err == nil {
		n, perr := strconv.Atoi(port)
		if perr == nil && n >= 1 && n <= 65535 && host != "" && !strings.ContainsAny(host, " /") {
			return nil
		}
	}
	return fmt.Errorf("broker %q is not one of embedded, container, HOST:PORT (such as localhost:9092)", spec)
}

// connect shakes hands and opens the client for topics and offsets.
func (b *Broker) connect(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, b.opts.Patience)
	defer cancel()
	if err := handshake(ctx, b.addr); err != nil {
		return err
	}
	cluster, err := describeCluster(ctx, b.addr, b.opts)
	if err != nil {
		return err
	}
	b.clusterID = cluster.id
	b.client, err = sarama.NewClient([]string{b.addr}, b.opts.config())
	if err != nil {
		return unreachable(b.addr, "open a client", err, adviceOther)
	}
	return nil
}

// Addr is where the broker listens, as HOST:PORT. Another process on this machine can use it too,
// while this one is open.
func (b *Broker) Addr() string { return b.addr }

// Kind is "embedded", "container" or "address".
func (b *Broker) Kind() string { return b.kind }

// ID is what the broker calls itself: the container's id, else the cluster's id.
func (b *Broker) ID() string {
	if b.serverID != "" {
		return b.serverID
	}
	return b.clusterID
}

// String says in a line what was reached, for logs.
func (b *Broker) String() string {
	return fmt.Sprintf("%s broker %s at %s (cluster %s)", b.kind, b.ID(), b.addr, b.clusterID)
}

// Embedded is the broker in this process, or nil if it is elsewhere. Failure labs inject faults by it.
func (b *Broker) Embedded() *Embedded { return b.embedded }

// Close ends the client, and the broker if Open started it. Producers and Logs are to be closed
// before. A second Close does nothing and returns what the first did.
func (b *Broker) Close() error {
	b.close.Do(func() {
		if err := b.client.Close(); err != nil && !errors.Is(err, sarama.ErrClosedClient) {
			b.err = fmt.Errorf("broker %s: close: %w", b.addr, err)
		}
		b.err = errors.Join(b.err, b.stop())
	})
	return b.err
}
