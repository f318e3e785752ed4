package broker_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gatewaymeter/broker"
	"gatewaymeter/broker/brokertest"
)

// serveDir, in the environment, makes this test binary a broker on that directory: a process of its
// own that can be killed.
const serveDir = "BROKER_TEST_SERVE_DIR"

func TestMain(m *testing.M) {
	if dir := os.Getenv(serveDir); dir != "" {
		go func() {
			io.Copy(io.Discard, os.Stdin)
			os.Exit(1) // the test is gone, whatever ended it
		}()
		err := broker.Serve(context.Background(), broker.EmbeddedOptions{DataDir: dir}, func(addr string) { fmt.Println(addr) })
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// startProcess runs a broker in another process, and gives its address and a way to kill it (SIGKILL:
// nothing is flushed, nothing is closed).
func startProcess(t *testing.T, dir string) (addr string, kill func()) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), serveDir+"="+dir)
	cmd.Stderr = os.Stderr
	_, err := cmd.StdinPipe() // open as long as we are there
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	kill = func() {
		cmd.Process.Kill()
		cmd.Wait()
	}
	t.Cleanup(kill)
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	return strings.TrimSpace(line), kill
}

func TestServeSurvivesAKill(t *testing.T) {
	brokertest.NoLeaks(t)
	dir := filepath.Join(t.TempDir(), "data")
	const partitions, perLife = 2, 500
	for life := range 3 {
		addr, kill := startProcess(t, dir)
		b, err := broker.Open(brokertest.Context(t), addr, broker.Options{})
		require.NoError(t, err)
		require.NoError(t, b.CreateTopic("kept", partitions))
		requireNumbered(t, b, "kept", partitions, life*perLife)

		p, err := b.NewProducer()
		require.NoError(t, err)
		brokertest.Numbered(t, p, "kept", partitions, life*perLife, (life+1)*perLife)
		require.NoError(t, p.Flush(brokertest.Context(t)))
		kill()
		require.NoError(t, p.Close(), "all had been acknowledged")
		require.NoError(t, b.Close())
	}
}

func TestServeEndsWithItsContext(t *testing.T) {
	brokertest.NoLeaks(t)
	ctx, cancel := context.WithCancel(context.Background())
	var addr string
	require.NoError(t, broker.Serve(ctx, broker.EmbeddedOptions{Port: ownPort(t)}, func(a string) {
		addr = a
		cancel()
	}))
	_, err := net.Dial("tcp", addr)
	require.Error(t, err)
}

func TestServeOnATakenPort(t *testing.T) {
	brokertest.NoLeaks(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	port := l.Addr().(*net.TCPAddr).Port
	err = broker.Serve(context.Background(), broker.EmbeddedOptions{Port: port}, nil)
	require.ErrorContains(t, err, "port "+strconv.Itoa(port)+" of 127.0.0.1 is taken")
	require.ErrorContains(t, err, "--port ")
	require.ErrorContains(t, err, "--broker localhost:"+strconv.Itoa(port))
	require.ErrorContains(t, broker.Serve(context.Background(), broker.EmbeddedOptions{Port: 70000}, nil), "not between 0 and 65535")
}

func TestServeOnTheSamePortAgain(t *testing.T) {
	brokertest.NoLeaks(t)
	o := broker.EmbeddedOptions{Port: ownPort(t)}
	first, err := broker.StartEmbedded(o)
	require.NoError(t, err)
	require.NoError(t, first.Close())
	require.NoError(t, first.Close())
	second, err := broker.StartEmbedded(o)
	require.NoError(t, err)
	require.Equal(t, first.Addr(), second.Addr())
	require.NoError(t, second.Close())
}

func TestServeOnADirectory(t *testing.T) {
	brokertest.NoLeaks(t)
	dir := t.TempDir()
	e, err := broker.StartEmbedded(broker.EmbeddedOptions{DataDir: dir})
	require.NoError(t, err)
	_, err = broker.StartEmbedded(broker.EmbeddedOptions{DataDir: dir})
	require.ErrorContains(t, err, "data directory "+dir+" is in use by another broker")
	require.NoError(t, e.Close())

	file := filepath.Join(dir, "a-file")
	require.NoError(t, os.WriteFile(file, nil, 0o644))
	_, err = broker.StartEmbedded(broker.EmbeddedOptions{DataDir: file})
	require.ErrorContains(t, err, "cannot make data directory "+file)

	foreign := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(foreign, "meta.json"), []byte("not a broker's"), 0o644))
	_, err = broker.StartEmbedded(broker.EmbeddedOptions{DataDir: foreign})
	require.ErrorContains(t, err, "cannot use data directory "+foreign)
}
