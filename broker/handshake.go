package broker

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"syscall"
	"time"
)

// handshake asks the simplest question of the protocol (which versions do you speak?) on a bare
// connection, so that what is wrong with an address can be told apart: nothing listens, the name is
// unknown, something listens and is silent, something speaks and it is not Kafka. A client library
// reports all four as "out of brokers".
func handshake(ctx context.Context, addr string) error {
	conn, err := dial(ctx, addr)
	if err != nil {
		return err
	}
	defer conn.Close()
	if deadline, ok := ctx.Deadline(); ok {
		if err := conn.SetDeadline(deadline); err != nil {
			return unreachable(addr, "set a deadline", err, adviceOther)
		}
	}
	// A cancelled context ends a read too.
	defer context.AfterFunc(ctx, func() { conn.SetDeadline(time.Unix(1, 0)) })()
	start := time.Now()
	if _, err := conn.Write(apiVersionsRequest()); err != nil {
		return unreachable(addr, "ask which protocol versions it speaks", err, adviceNotKafka)
	}
	return readAnswer(ctx, conn, addr, start)
}

// dial opens a connection and explains what stood in the way.
func dial(ctx context.Context, addr string) (net.Conn, error) {
	start := time.Now()
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", addr)
	if err == nil {
		return conn, nil
	}
	var dns *net.DNSError
	switch {
	case errors.Is(ctx.Err(), context.Canceled):
		return nil, unreachable(addr, "connect, but was interrupted", ctx.Err(), adviceNone)
	case errors.As(err, &dns):
		return nil, unreachable(addr, fmt.Sprintf("look up the name %q", dns.Name), err, adviceName)
	case errors.Is(err, syscall.ECONNREFUSED):
		return nil, unreachable(addr, "connect, and nothing listens there", err, adviceStart)
	case isTimeout(err):
		return nil, unreachable(addr, "connect for "+since(start)+", and nothing answered", err, adviceRoute)
	}
	return nil, unreachable(addr, "connect", err, adviceRoute)
}

const handshakeCorrelation = 0x67777931 // any number: the answer must repeat it

// apiVersionsRequest is ApiVersions, version 0: the one request every Kafka since 0.10 answers,
// whatever else it asks of a client.
func apiVersionsRequest() []byte {
	const client = "gatewaymeter"
	b := make([]byte, 4, 32)
	b = binary.BigEndian.AppendUint16(b, 18) // ApiVersions
	b = binary.BigEndian.AppendUint16(b, 0)
	b = binary.BigEndian.AppendUint32(b, handshakeCorrelation)
	b = binary.BigEndian.AppendUint16(b, uint16(len(client)))
	b = append(b, client...)
	binary.BigEndian.PutUint32(b, uint32(len(b)-4))
	return b
}

// readAnswer reads the head of the answer: size and correlation id.
func readAnswer(ctx context.Context, conn net.Conn, addr string, start time.Time) error {
	const tried = "ask which protocol versions it speaks"
	var head [8]byte
	n, err := io.ReadFull(conn, head[:])
	switch {
	case errors.Is(ctx.Err(), context.Canceled):
		return unreachable(addr, tried+", but was interrupted", ctx.Err(), adviceNone)
	case n > 0 && looksForeign(head[:n]) != "":
		return unreachable(addr, tried, fmt.Errorf("it answered in %s", looksForeign(head[:n])), adviceNotKafka)
	case isTimeout(err):
		return unreachable(addr, tried, fmt.Errorf("no answer in %s", since(start)), adviceSilent)
	case err != nil:
		return unreachable(addr, tried, fmt.Errorf("it closed the connection (%w)", err), adviceNotKafka)
	}
	size, correlation := binary.BigEndian.Uint32(head[:4]), binary.BigEndian.Uint32(head[4:])
	if correlation != handshakeCorrelation || size < 6 || size > 1<<20 {
		return unreachable(addr, tried, fmt.Errorf("the answer %q is not Kafka's", head), adviceNotKafka)
	}
	return nil
}

// looksForeign names the protocol that an answer of up to eight bytes seems to be in, if it is not
// Kafka's. Kafka's begins with a size, so with a zero byte for any answer below 16 MiB.
func looksForeign(head []byte) string {
	if head[0] == 0 {
		return ""
	}
	if head[0] == 0x15 && len(head) > 1 && head[1] == 3 {
		return "TLS"
	}
	for _, c := range head {
		if (c < ' ' || c > '~') && c != '\r' && c != '\n' && c != '\t' {
			return "a protocol that is not Kafka's"
		}
	}
	return fmt.Sprintf("text (%q…), not Kafka's protocol", head)
}

func isTimeout(err error) bool {
	var t interface{ Timeout() bool }
	return errors.Is(err, os.ErrDeadlineExceeded) || errors.Is(err, context.DeadlineExceeded) ||
		errors.As(err, &t) && t.Timeout()
}

func since(start time.Time) string { return time.Since(start).Round(100 * time.Millisecond).String() }
