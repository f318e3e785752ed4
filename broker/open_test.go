package broker_test

import (
	"bufio"
	"context"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kfake"

	"gatewaymeter/broker"
	"gatewaymeter/broker/brokertest"
)

// impatient is for brokers that never answer. It is long enough for what must succeed before, on a machine
// that is busy with other things; where nothing has to be waited for, the default does.
var impatient = broker.Options{Patience: 2 * time.Second}

// opening opens a broker that must fail in time, and gives the error.
func opening(t *testing.T, spec string, o broker.Options) error {
	t.Helper()
	brokertest.NoLeaks(t)
	start := time.Now()
	b, err := broker.Open(brokertest.Context(t), spec, o)
	require.Error(t, err)
	require.Nil(t, b)
	require.Less(t, time.Since(start), 3*broker.DefaultPatience/2, "the 15 s that a user may be kept waiting")
	return err
}

func TestOpenExplainsWhatIsNotABroker(t *testing.T) {
	for _, spec := range []string{"", "kafka", "localhost", ":9092", "localhost:http", "localhost:0", "localhost:65536", "http://localhost:9092", "embeded"} {
		err := opening(t, spec, broker.Options{})
		require.ErrorContains(t, err, "is not one of embedded, container, HOST:PORT", spec)
	}
}

func TestOpenWithoutAWayToStartContainers(t *testing.T) {
	require.ErrorContains(t, opening(t, "container", broker.Options{}), "docker compose up")
}

func TestOpenWhereNothingListens(t *testing.T) {
	port, err := broker.FreePort()
	require.NoError(t, err)
	addr := "127.0.0.1:" + port
	err = opening(t, addr, broker.Options{})
	var unreachable *broker.UnreachableError
	require.ErrorAs(t, err, &unreachable)
	require.ErrorContains(t, err, "nothing listens there")
	require.ErrorContains(t, err, "go tool lab broker")
	require.ErrorContains(t, err, addr)
}

func TestOpenAnUnknownName(t *testing.T) {
	err := opening(t, "kafka.invalid:9092", broker.Options{})
	require.ErrorContains(t, err, `look up the name "kafka.invalid"`)
	require.ErrorContains(t, err, "127.0.0.1")
}

func TestOpenWhereSomethingAcceptsAndIsSilent(t *testing.T) {
	l := listen(t, func(c net.Conn) { io.Copy(io.Discard, c) })
	err := opening(t, l.Addr().String(), impatient)
	require.ErrorContains(t, err, "no answer in ")
	require.ErrorContains(t, err, "Look at what listens on that port")
}

func TestOpenIsInterrupted(t *testing.T) {
	asked := make(chan struct{}, 1)
	l := listen(t, func(c net.Conn) { c.Read(make([]byte, 1<<10)); asked <- struct{}{} })
	ctx, cancel := context.WithCancel(context.Background())
	go func() { <-asked; cancel() }()
	_, err := broker.Open(ctx, l.Addr().String(), broker.Options{})
	require.ErrorIs(t, err, context.Canceled)
	require.ErrorContains(t, err, "was interrupted")
}

func TestOpenWhereSomethingElseSpeaks(t *testing.T) {
	secure := httptest.NewUnstartedServer(http.NotFoundHandler())
	secure.Config.ErrorLog = log.New(io.Discard, "", 0)
	secure.StartTLS()
	t.Cleanup(secure.Close)
	text := func(s string) string {
		return listen(t, func(c net.Conn) {
			c.Read(make([]byte, 1<<10))
			c.Write([]byte(s))
			c.Close()
		}).Addr().String()
	}
	for _, c := range []struct{ name, addr, says string }{
		{"a web server that asks for TLS", strings.TrimPrefix(secure.URL, "https://"), "PLAINTEXT, without TLS"},
		{"a mail server", text("220 mail ESMTP\r\n"), `it answered in text ("220 mail`},
		{"a database", text("\x4a\x00\x00\x00\x0a8.0.36"), "it answered in a protocol that is not Kafka's"},
		{"a TLS listener", text("\x15\x03\x01\x00\x02\x02\x46"), "it answered in TLS"},
		{"a wrong answer", text("\x00\x00\x00\x08wrong answer"), "is not Kafka's"},
		{"one that hangs up", text(""), "it closed the connection"},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := opening(t, c.addr, broker.Options{})
			require.ErrorContains(t, err, c.says)
			require.ErrorContains(t, err, "check the port number")
		})
	}
}

// A broker in a container often gives out an address that only the container's network knows.
func TestOpenABrokerThatGivesOutAnAddressNobodyReaches(t *testing.T) {
	var reached string
	c, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.ListenFn(func(network, addr string) (net.Listener, error) {
		l, err := net.Listen(network, addr)
		reached = l.Addr().String()
		return misnamed{l}, err
	}))
	require.NoError(t, err)
	t.Cleanup(c.Close)
	err = opening(t, reached, broker.Options{})
	require.ErrorContains(t, err, "use broker.invalid:9092, the address that the broker gives out for itself")
	require.ErrorContains(t, err, "advertised.listeners")
}

// misnamed is a listener that believes to be elsewhere.
type misnamed struct{ net.Listener }

func (misnamed) Addr() net.Addr { return elsewhere{} }

type elsewhere struct{}

func (elsewhere) Network() string { return "tcp" }
func (elsewhere) String() string  { return "broker.invalid:9092" }

func TestOpenABrokerThatHangsAfterTheHandshake(t *testing.T) {
	e := startEmbedded(t, broker.EmbeddedOptions{})
	fault := e.Inject(broker.Fault{Op: broker.OpMetadata, Answer: broker.Hang, Times: -1})
	err := opening(t, e.Addr(), impatient)
	require.ErrorContains(t, err, "ask for the brokers of the cluster")
	require.Positive(t, fault.Fired())
}

func TestBrokerSaysWhatItIs(t *testing.T) {
	b, err := broker.Open(brokertest.Context(t), "embedded", mortal(t))
	require.NoError(t, err)
	require.Equal(t, "embedded", b.Kind())
	require.NotEmpty(t, b.ID())
	require.Contains(t, b.String(), b.Addr())
	require.NotNil(t, b.Embedded())

	same, err := broker.Open(brokertest.Context(t), b.Addr(), broker.Options{})
	require.NoError(t, err)
	require.Equal(t, "address", same.Kind())
	require.Equal(t, b.ID(), same.ID())
	require.Nil(t, same.Embedded())
	require.NoError(t, same.Close())
	require.NoError(t, b.Close())
	require.NoError(t, b.Close())
	require.ErrorContains(t, opening(t, b.Addr(), broker.Options{}), "nothing listens there")
}

// listen serves each connection with f, and closes it then.
func listen(t *testing.T, f func(net.Conn)) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				f(c)
				bufio.NewReader(c).ReadByte() // until the other side has read the answer
			}()
		}
	}()
	return l
}

func startEmbedded(t *testing.T, o broker.EmbeddedOptions) *broker.Embedded {
	t.Helper()
	e, err := broker.StartEmbedded(o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, e.Close()) })
	return e
}
