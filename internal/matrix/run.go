package matrix

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"gatewaymeter/broker"
	"gatewaymeter/gateway"
	"gatewaymeter/generator"
	"gatewaymeter/internal/backends"
	"gatewaymeter/internal/replay"
	"gatewaymeter/oracle"
	"gatewaymeter/pipeline"
)

// Runner runs cases. It may be used by several goroutines.
type Runner struct {
	Broker func() *broker.Broker // of live runs
	Maker  replay.Maker          // whose code runs; nil: ours

	sums sums
}

// done is what is compared of a run, of either driver.
type done struct {
	counts      oracle.Counts
	differences []oracle.Difference
	unused      []string
}

// Run does the run of a case and says what is wrong with it, alone or beside those before it.
func (r *Runner) Run(ctx context.Context, c Case) error {
	messages, truth := c.traffic().Messages()
	run := r.live
	if c.Driver == Simulated {
		run = r.simulated
	}
	d, err := run(ctx, c, messages)
	if err != nil {
		return err
	}
	if err := d.judge(c, truth.At(c.Stage)); err != nil {
		return err
	}
	return r.sums.add(c, d.counts.USDNano)
}

func (r *Runner) maker() replay.Maker {
	if r.Maker != nil {
		return r.Maker
	}
	return pipeline.Ours
}

func (r *Runner) simulated(_ context.Context, c Case, messages []generator.Message) (*done, error) {
	o, err := c.job().RunMessages(r.maker(), messages)
	if err != nil {
		return nil, err
	}
	return &done{o.Counts, o.Differences, o.Unused}, o.Err
}

// cards is how many requests' worth of card transactions go with a live run: enough for each subtask.
const cards = 2000

// live runs the job on Kafka, from stage 06 with the cards beside it.
func (r *Runner) live(ctx context.Context, c Case, messages []generator.Message) (*done, error) {
	parts, functions, err := r.maker()(c.Stage)
	if err != nil {
		return nil, err
	}
	remove, err := backends.ForOneRun(&parts, c.Backend)
	if err != nil {
		return nil, err
	}
	defer remove()
	cfg := pipeline.RunConfig{
		Broker: r.Broker(), Stage: c.Stage, Parallelism: c.Parallelism, Parts: parts, Functions: functions,
		Traffic: c.traffic().Params(), Partitions: c.Partitions, Prefix: pipeline.NewPrefix(),
	}
	if c.Stage >= pipeline.FirstWithCards {
		cfg.Cards = cards
	}
	cfg.Input = cfg.Prefix + gateway.TopicEvents
	if err := produce(ctx, cfg.Broker, cfg.Input, c.Partitions, messages); err != nil {
		return nil, err
	}
	report, err := pipeline.Run(ctx, cfg)
	if err != nil {
		return nil, err
	}
	return &done{report.Counts, report.Differences, report.Unused}, nil
}

// produce writes messages to a topic of its own.
func produce(ctx context.Context, b *broker.Broker, topic string, partitions int, messages []generator.Message) error {
	if err := b.CreateTopic(topic, int32(partitions)); err != nil {
		return err
	}
	p, err := b.NewProducer()
	if err != nil {
		return err
	}
	for _, m := range messages {
		if err := p.Send(topic, generator.PartitionOf(m.Key, partitions), m.Key, m.Value); err != nil {
			return errors.Join(err, p.Close())
		}
	}
	return errors.Join(p.Flush(ctx), p.Close())
}

// judge compares a run with the oracle, and its anomalies with those that were made.
func (d *done) judge(c Case, want generator.StageCounts) error {
	if len(d.differences) > 0 {
		return fmt.Errorf("the oracle disagrees:\n%s", oracle.Table(d.differences, 5))
	}
	if len(d.unused) > 0 {
		return fmt.Errorf("not everything had work, so the dimension was not turned: %v", d.unused)
	}
	got := d.counts
	for _, count := range []struct {
		name      string
		made, got int64
		always    bool // above 0 in every run of this case
	}{
		{"events", want.Events, got.Events, true},
		{"malformed", want.Malformed, got.Malformed, true},
		{"duplicates", want.Duplicates, got.Duplicates, c.Duplicates > 0},
		{"records", want.Records, got.Records, true},
		{"unmatched", want.Unmatched, got.Unmatched, true},
		{"unpriced", want.Unpriced, got.Unpriced, true},
		{"abandoned", want.Abandoned, got.Abandoned, c.Stage >= 6},
		{"open entries", want.OpenEntries, got.OpenEntries, c.Stage < 6},
	} {
		if count.made != count.got {
			return fmt.Errorf("%s: the job counts %d, the generator made %d", count.name, count.got, count.made)
		}
		if count.always && count.got == 0 {
			return fmt.Errorf("%s: there were none, so nothing was tested", count.name)
		}
	}
	if c.Stage >= 6 && (got.OpenEntries != 0 || got.Timers != 0) {
		return fmt.Errorf("%d open requests and %d timers are left, and none may be", got.OpenEntries, got.Timers)
	}
	return nil
}

// sums remembers what each traffic cost at each stage. All else must not change it: not the order
// between requests, and not how many events come twice, either.
type sums struct {
	mu sync.Mutex
	of map[Case]int64
}

// add compares a sum with the one that the same traffic had in another case.
func (s *sums) add(c Case, usdNano int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	traffic := Case{Stage: c.Stage, Seed: c.Seed, Lag: c.Lag}
	before, ok := s.of[traffic]
	switch {
	case !ok:
		if s.of == nil {
			s.of = map[Case]int64{}
		}
		s.of[traffic] = usdNano
	case before != usdNano:
		return fmt.Errorf("the sum is %d nano-USD, and was %d for the same traffic in another case", usdNano, before)
	}
	return nil
}

// All runs cases, workers of them at a time, and calls each with every result, one at a time.
func (r *Runner) All(ctx context.Context, cases []Case, workers int, each func(Case, error)) {
	todo := make(chan Case)
	var mu sync.Mutex
	var all sync.WaitGroup
	for range workers {
		all.Go(func() {
			for c := range todo {
				err := r.Run(ctx, c)
				mu.Lock()
				each(c, err)
				mu.Unlock()
			}
		})
	}
	for _, c := range cases {
		if ctx.Err() != nil {
			break
		}
		todo <- c
	}
	close(todo)
	all.Wait()
}
