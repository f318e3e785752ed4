package container

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"time"

	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/api/types/network"
	tc "github.com/testcontainers/testcontainers-go"
	"github.com/testcontainers/testcontainers-go/log"
	"github.com/testcontainers/testcontainers-go/wait"

	"gatewaymeter/broker"
)

// Image is what is started.
const Image = "apache/kafka:4.3.1"

// Patience is how long Docker may take to answer at all. Once it has, a broker has StartTimeout.
const (
	Patience     = 15 * time.Second
	StartTimeout = 2 * time.Minute
)

// The file that tells the waiting entry point under which address clients find the broker: the port is
// known only once the container runs. It is sourced, not executed, since executing a file that was
// just copied in can fail with "text file busy".
const (
	advertised = "/tmp/advertised"
	entry      = "until grep -qs '^# complete' " + advertised + "; do sleep 0.05; done; . " + advertised + "; exec /etc/kafka/docker/run"
)

// Start starts a broker in a container. Its ID is the container's.
func Start(ctx context.Context) (*broker.Server, error) {
	log.SetDefault(log.NewNoopLogger()) // what matters comes back as an error
	if err := dockerAnswers(ctx, health); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, StartTimeout)
	defer cancel()
	// A port that Docker chose would be another one after the container was killed and started again, and a
	// broker that comes back must be where it was.
	port, err := broker.FreePort()
	if err != nil {
		return nil, err
	}
	var addr string
	c, err := tc.Run(ctx, Image,
		tc.WithLogger(log.NewNoopLogger()),
		tc.WithEnv(environment),
		tc.WithExposedPorts("9092/tcp"),
		tc.WithHostConfigModifier(onLoopback(port)),
		tc.WithEntrypoint("sh", "-c", entry),
		tc.WithAdditionalLifecycleHooks(tc.ContainerLifecycleHooks{PostStarts: []tc.ContainerHook{
			func(ctx context.Context, c tc.Container) (err error) {
				addr, err = advertise(ctx, c)
				return err
			},
		}}),
		tc.WithWaitStrategy(wait.ForLog("Kafka Server started").WithStartupTimeout(StartTimeout).WithPollInterval(50*time.Millisecond)),
	)
	stop := func() error { return tc.TerminateContainer(c, tc.StopTimeout(time.Second)) }
	if err != nil {
		_ = stop()
		return nil, fmt.Errorf("starting %s in Docker: %w. %s, or use --broker embedded, which needs no Docker", Image, err, advice(err))
	}
	return &broker.Server{Addr: addr, ID: c.GetContainerID(), Stop: stop}, nil
}

// advice says what to do about a container that did not start. One is started beside it that removes what a
// killed process leaves behind, from an image of its own: where no image can be fetched, that one misses too.
func advice(err error) string {
	if strings.Contains(err.Error(), "ryuk") {
		return "Set TESTCONTAINERS_RYUK_DISABLED=true if that image cannot be fetched here"
	}
	return "Look at `docker images` and `docker logs`"
}

// environment configures a single node: one partition each for Kafka's own topics cuts the first
// transaction from seconds to half a second.
var environment = map[string]string{
	"KAFKA_NODE_ID":                                  "1",
	"KAFKA_PROCESS_ROLES":                            "broker,controller",
	"KAFKA_CONTROLLER_QUORUM_VOTERS":                 "1@localhost:9094",
	"KAFKA_LISTENERS":                                "PLAINTEXT://:9092,BROKER://:9093,CONTROLLER://:9094",
	"KAFKA_LISTENER_SECURITY_PROTOCOL_MAP":           "PLAINTEXT:PLAINTEXT,BROKER:PLAINTEXT,CONTROLLER:PLAINTEXT",
	"KAFKA_INTER_BROKER_LISTENER_NAME":               "BROKER",
	"KAFKA_CONTROLLER_LISTENER_NAMES":                "CONTROLLER",
	"KAFKA_OFFSETS_TOPIC_REPLICATION_FACTOR":         "1",
	"KAFKA_OFFSETS_TOPIC_NUM_PARTITIONS":             "1",
	"KAFKA_TRANSACTION_STATE_LOG_REPLICATION_FACTOR": "1",
	"KAFKA_TRANSACTION_STATE_LOG_MIN_ISR":            "1",
	"KAFKA_TRANSACTION_STATE_LOG_NUM_PARTITIONS":     "1",
	"KAFKA_GROUP_INITIAL_REBALANCE_DELAY_MS":         "0",
}

// onLoopback publishes the broker's port on 127.0.0.1 alone.
func onLoopback(port string) func(*container.HostConfig) {
	return func(h *container.HostConfig) {
		h.PortBindings = network.PortMap{network.MustParsePort("9092/tcp"): {{HostIP: netip.MustParseAddr("127.0.0.1"), HostPort: port}}}
	}
}

// advertise tells the broker its address on this machine.
func advertise(ctx context.Context, c tc.Container) (addr string, err error) {
	p, err := c.MappedPort(ctx, "9092/tcp")
	if err != nil {
		return "", err
	}
	addr = "127.0.0.1:" + p.Port()
	line := "export KAFKA_ADVERTISED_LISTENERS=PLAINTEXT://" + addr + ",BROKER://localhost:9093\n# complete\n"
	return addr, c.CopyToContainer(ctx, []byte(line), advertised, 0o644)
}

// dockerAnswers asks Docker for a sign of life. The library looks for Docker in several places without
// a limit of time, so it is asked from the side, and left alone when it takes too long.
func dockerAnswers(ctx context.Context, ask func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, Patience)
	defer cancel()
	answer := make(chan error, 1)
	go func() {
		defer func() {
			if v := recover(); v != nil { // the library panics where there is no Docker at all
				answer <- fmt.Errorf("%v", v)
			}
		}()
		answer <- ask(ctx)
	}()
	select {
	case err := <-answer:
		if err != nil {
			return noDocker(err)
		}
		return nil
	case <-ctx.Done():
		return noDocker(context.Cause(ctx))
	}
}

func health(ctx context.Context) error {
	provider, err := tc.NewDockerProvider()
	if err != nil {
		return err
	}
	return errors.Join(provider.Health(ctx), provider.Close())
}

func noDocker(err error) error {
	return fmt.Errorf("no answer from Docker: %w. Start Docker (`docker info` must work), or use --broker embedded, which needs none", err)
}
