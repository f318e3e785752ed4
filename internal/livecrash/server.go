package livecrash

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"gatewaymeter/broker"
)

// server is the broker that the job runs on.
type server interface {
	addr() string
	// restart kills the broker and starts it again, on the same address and with what it had. It
	// returns when it answers again.
	restart(ctx context.Context) error
	stop()
}

// errNotOurs: the broker runs somewhere else.
var errNotOurs = errors.New("the broker at that address is not ours to kill")

// elsewhere is a broker that somebody else started.
type elsewhere string

func (e elsewhere) addr() string                  { return string(e) }
func (e elsewhere) restart(context.Context) error { return errNotOurs }
func (e elsewhere) stop()                         {}

// ours is `lab broker --data` in a process of its own.
type ours struct {
	program, dir, port string
	p                  *process
}

func startOurs(ctx context.Context, program, dir string) (*ours, error) {
	port, err := broker.FreePort()
	if err != nil {
		return nil, err
	}
	o := &ours{program: program, dir: dir, port: port}
	return o, o.start(ctx)
}

func (o *ours) start(ctx context.Context) (err error) {
	o.p, err = start(ctx, o.program, o.dir, "broker", "--data", filepath.Join(o.dir, "kafka"), "--port", o.port)
	if err != nil {
		return err
	}
	go o.p.drain()
	if err := answers(ctx, o.addr(), o.p.done); err != nil {
		return o.p.said(err.Error())
	}
	return nil
}

func (o *ours) addr() string { return net.JoinHostPort("127.0.0.1", o.port) }

func (o *ours) restart(ctx context.Context) error {
	if !o.p.kill(func(string) {}) {
		return o.p.said("the broker ended by itself")
	}
	return o.start(ctx)
}

func (o *ours) stop() { o.p.kill(func(string) {}) }

// docked is a broker in a container of this machine that publishes its port.
type docked struct{ address, container string }

// inDocker finds the container behind an address on this machine.
func inDocker(ctx context.Context, address string) (server, bool) {
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, false
	}
	out, err := exec.CommandContext(ctx, "docker", "ps", "--quiet", "--no-trunc", "--filter", "publish="+port).Output()
	id := strings.TrimSpace(string(out))
	return &docked{address, id}, err == nil && id != "" && !strings.Contains(id, "\n")
}

func (d *docked) addr() string { return d.address }
func (d *docked) stop()        {}

// restart sends SIGKILL to the broker in its container, and starts the container again.
func (d *docked) restart(ctx context.Context) error {
	for _, args := range [][]string{{"kill", "--signal", "KILL", d.container}, {"wait", d.container}, {"start", d.container}} {
		if out, err := exec.CommandContext(ctx, "docker", args...).CombinedOutput(); err != nil {
			return fmt.Errorf("docker %s: %w: %s", strings.Join(args, " "), err, out)
		}
	}
	return answers(ctx, d.address, nil)
}

// patience is how long one try to reach a broker may take, on a busy machine too.
const patience = 5 * time.Second

// answers waits until a broker can be used. gone is closed if its process ends before.
func answers(ctx context.Context, addr string, gone <-chan struct{}) error {
	ctx, cancel := context.WithTimeout(ctx, 3*time.Minute)
	defer cancel()
	look := time.NewTicker(5 * time.Millisecond)
	defer look.Stop()
	for {
		b, err := broker.Open(ctx, addr, broker.Options{Patience: patience})
		if err == nil {
			return b.Close()
		}
		select {
		case <-gone:
			return errors.New("it ended before it answered")
		case <-ctx.Done():
			return fmt.Errorf("it does not answer: %w", err)
		case <-look.C:
		}
	}
}
