package livecrash

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"gatewaymeter/pipeline"
)

// Config is one run of many lives.
type Config struct {
	Lab    string // the built program
	Dir    string // an empty folder for checkpoints, the broker's data, and the processes
	Broker string // HOST:PORT; empty: a broker process of our own
	Seed   uint64

	Requests    int
	Rate        int // events a second at most, so that kills land inside the run; see runner.rate
	Partitions  int
	Interval    time.Duration // between checkpoints
	Parallelism []int         // of one life after the other, round and round
	Backend     string
	Kills       int
	BrokerKills int // of those, with the broker; at most

	Log func(format string, args ...any)
}

// Life is one process of the job.
type Life struct {
	Parallelism int
	Moment      Moment // when it was to be killed
	From        int64  // the checkpoint that it started from; 0: from nothing
	Checkpoints int    // complete in this life
	Latest      int64  // the newest of them; From if there was none
	Killed      bool   // by us, while it ran; else it ended by itself, as after a broker's death it may
	Broker      bool   // the broker was killed under it
	Damaged     int64  // the checkpoint that was damaged after the kill; 0: none
	Next        int64  // the one that `lab checkpoint` then says the next life will take
}

func (l Life) String() string {
	end := fmt.Sprintf("killed %v", l.Moment)
	if !l.Killed {
		end = "it ended by itself when its broker was killed"
	}
	if l.Damaged != 0 {
		end += fmt.Sprintf("; checkpoint %d was damaged then", l.Damaged)
	}
	return fmt.Sprintf("parallelism %d, from checkpoint %d, %d complete: %s", l.Parallelism, l.From, l.Checkpoints, end)
}

// Report is what a run came to.
type Report struct {
	Topic, Prefix string
	Lives         []Life // without the last, which ends
	Left          int64  // events that the checkpoint which comes next leaves to be read; in the end, by the last kill
	Last          Life
	Verdict       Verdict
}

// Killed counts the lives that were ended by a kill.
func (r *Report) Killed() (n int) {
	for _, l := range r.Lives {
		if l.Killed {
			n++
		}
	}
	return n
}

// Run fills a topic and runs the job on it to the end of its input, through all its kills. An error means
// that a process did what it should not have, or that fewer lives than asked for could be ended.
func Run(ctx context.Context, cfg Config) (*Report, error) {
	r := &runner{Config: cfg, Report: &Report{Prefix: pipeline.NewPrefix()}}
	r.Topic = r.Prefix + "traffic"
	r.checkpoints = filepath.Join(cfg.Dir, "checkpoints")
	if err := os.MkdirAll(r.checkpoints, 0o755); err != nil {
		return nil, err
	}
	if err := r.serve(ctx); err != nil {
		return nil, err
	}
	defer r.server.stop()
	began := time.Now()
	if err := r.fill(ctx); err != nil {
		return nil, err
	}
	cfg.Log("traffic written in %.1f s", time.Since(began).Seconds())
	for i, m := range moments(cfg.Seed, cfg.Kills, cfg.BrokerKills) {
		from := time.Now()
		life, err := r.live(ctx, i, m)
		if err != nil {
			return r.Report, fmt.Errorf("life %d, to be killed %v: %w", i+1, m, err)
		}
		if err := r.settle(ctx, &life); err != nil {
			return r.Report, err
		}
		r.Lives = append(r.Lives, life)
		cfg.Log("life %d, %.1f s: %v", i+1, time.Since(from).Seconds(), life)
	}
	began = time.Now()
	err := r.last(ctx)
	cfg.Log("last life, to the end and judged, %.1f s", time.Since(began).Seconds())
	return r.Report, err
}

type runner struct {
	Config
	*Report
	server      server
	checkpoints string        // the folder
	slowest     time.Duration // that a life took from its start to its last checkpoint that the moment asked for
}

// serve finds or starts the broker.
func (r *runner) serve(ctx context.Context) (err error) {
	if r.Broker == "" {
		r.server, err = startOurs(ctx, r.Lab, r.Dir)
		return err
	}
	r.server = elsewhere(r.Broker)
	if s, ok := inDocker(ctx, r.Broker); ok {
		r.server = s
	}
	return nil
}

// fill writes the traffic, and card transactions that come to their end in the middle of the run.
func (r *runner) fill(ctx context.Context) error {
	return errors.Join(
		r.generate(ctx, "--to", r.Topic, "--requests", strconv.Itoa(r.Requests)),
		r.generate(ctx, "--to", r.cards(), "--requests", strconv.Itoa(r.Requests/4), "--transactions"))
}

func (r *runner) generate(ctx context.Context, what ...string) error {
	p, err := start(ctx, r.Lab, r.Dir, append([]string{"generate", "--seed", strconv.FormatUint(r.Seed, 10),
		"--partitions", strconv.Itoa(r.Partitions), "--broker", r.server.addr()}, what...)...)
	if err != nil {
		return err
	}
	p.drain()
	if <-p.done; p.err != nil {
		return p.said("it did not write the traffic")
	}
	return nil
}

// cards is the topic of the transactions.
func (r *runner) cards() string { return r.Prefix + "cards" }

// args are those of one life. The first starts from nothing; the last is not slowed down.
func (r *runner) args(life int, last bool) []string {
	args := []string{"run", "--json", "--broker", r.server.addr(), "--input", r.Topic, "--cards", r.cards(), "--output-prefix", r.Prefix,
		"--partitions", strconv.Itoa(r.Partitions), "--parallelism", strconv.Itoa(r.parallelism(life)), "--backend", r.Backend,
		"--checkpoint", r.Interval.String(), "--checkpoint-dir", r.checkpoints}
	if life > 0 {
		args = append(args, "--restore", r.checkpoints)
	}
	if !last {
		args = append(args, "--rate", strconv.Itoa(r.rate()))
	}
	return args
}

// rate is how fast the next life may read. On a slow disk a checkpoint takes seconds, in which a fast job is
// through with its input: so all lives to come, as long as the slowest until now, must get by with half of
// what is left.
func (r *runner) rate() int {
	if len(r.Lives) == 0 {
		return r.Rate
	}
	share := float64(r.Left) / float64(2*(r.Kills-len(r.Lives)))
	return max(1, min(r.Rate, int(share/r.slowest.Seconds())))
}

func (r *runner) parallelism(life int) int { return r.Parallelism[life%len(r.Parallelism)] }

// Defaults is a run that takes some 15 seconds. The seed chooses the backend too.
func Defaults(lab, dir string, seed uint64) Config {
	backend := []string{"heap", "pebble"}[seed%2]
	return Config{
		Lab: lab, Dir: dir, Seed: seed, Requests: 20_000, Rate: 1000, Partitions: 3, Interval: 200 * time.Millisecond,
		Parallelism: []int{2, 3, 1}, Backend: backend, Kills: 20, BrokerKills: 3,
	}
}
