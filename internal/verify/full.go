package verify

import (
	"context"
	"fmt"
	"os"
	"slices"
	"time"

	"gatewaymeter/broker"
	"gatewaymeter/internal/matrix"
	"gatewaymeter/pipeline"
)

// fullLimit is how long all of Full may take. On two processors it takes about a third of that.
const fullLimit = 45 * time.Minute

// How much Full turns. Every combination of the dimensions runs twice, with two of the seeds: all seeds with
// all combinations would be 192,000 runs, which take three hours and more. Which seeds a combination gets
// changes from day to day, so that after 25 days it has met them all.
const (
	fullSeeds     = 50
	fullRounds    = 2
	fullSchedules = 1000 // of each short input
	fullInputs    = 10   // short inputs for each stage, with and without lag above the bound
	workers       = 2
)

var errLimit = fmt.Errorf("the limit of %v is reached", fullLimit)

// Full turns every dimension: crashes, the product of the dimensions on a broker, schedules, and changes
// of the input. The runs of the product print a line each. What the limit cuts off has not passed.
func (r *Runner) Full(ctx context.Context, b *broker.Broker) bool {
	ctx, cancel := context.WithTimeoutCause(ctx, fullLimit, errLimit)
	defer cancel()
	day, err := matrix.Offset(fullSeeds / fullRounds)
	if err != nil {
		fmt.Fprintln(r.Out, err)
		return false
	}
	fmt.Fprintf(r.Out, "MATRIX_OFFSET=%d\n", day)
	ok := r.All(ctx, []Step{
		r.command("10,000 crashes", nil, r.Lab, "crash", "07", "--seeds", "10000"),
		{"every combination", func(ctx context.Context) (string, error) { return "", r.product(ctx, b, day) }},
		{"schedules", func(ctx context.Context) (string, error) { return "", schedules(ctx, day) }},
		{"changes of the input", func(ctx context.Context) (string, error) { return "", relations(ctx, day) }},
	})
	if ctx.Err() != nil {
		fmt.Fprintf(r.Out, "stopped: %v\n", context.Cause(ctx))
	}
	return ok
}

// perBroker is how many runs share an embedded broker, which keeps in memory what they wrote.
const perBroker = 200

// product runs every combination. A real Kafka is too slow for that: it gets the pairwise part.
func (r *Runner) product(ctx context.Context, b *broker.Broker, offset uint64) error {
	cases, spec := matrix.Pairwise(fullSeeds, offset), b.Addr()
	if b.Embedded() != nil {
		cases, spec = nil, "embedded"
		for round := range uint64(fullRounds) {
			cases = append(cases, matrix.Product(fullSeeds, offset+round*fullSeeds/fullRounds)...)
		}
	}
	current, failed, done := b, 0, 0
	runner := &matrix.Runner{Broker: func() *broker.Broker { return current }}
	for part := range slices.Chunk(cases, perBroker) {
		if b.Embedded() != nil {
			var err error
			if current, err = broker.Open(ctx, "embedded", broker.Options{}); err != nil {
				return err
			}
		}
		runner.All(ctx, part, workers, func(c matrix.Case, err error) {
			if ctx.Err() != nil {
				return
			}
			done++
			if err == nil {
				fmt.Fprintf(r.Out, "ok  \t%v\n", c)
				return
			}
			failed++
			fmt.Fprintf(r.Out, "FAIL\t%s", c.Failure(err, spec))
		})
		if current != b {
			if err := current.Close(); err != nil {
				return err
			}
		}
		if ctx.Err() != nil {
			return fmt.Errorf("stopped after %d of %d runs: %w", done, len(cases), context.Cause(ctx))
		}
	}
	fmt.Fprintf(r.Out, "%s: %d passed, %d failed\n", matrix.Coverage(cases), done-failed, failed)
	if failed > 0 {
		return fmt.Errorf("%d of %d runs failed", failed, len(cases))
	}
	return nil
}

// schedules runs short inputs under many schedules each.
func schedules(ctx context.Context, offset uint64) error {
	for stage := 4; stage <= pipeline.LastStage; stage++ {
		for n := range uint64(2 * fullInputs) {
			i := matrix.Interleaving{
				Stage: stage, Traffic: offset*fullInputs + n/2, Lag: n%2 == 1, First: offset * fullSchedules, Count: fullSchedules,
			}
			if _, err := i.Run(ctx, pipeline.Ours, workers); err != nil {
				return err
			}
		}
	}
	return nil
}

// relations changes an input of each seed in every way, at each stage.
func relations(ctx context.Context, offset uint64) error {
	for _, relation := range matrix.Relations {
		for n := range uint64(fullSeeds) {
			for stage := pipeline.FirstStage; stage <= pipeline.LastStage; stage++ {
				if err := relation.CheckSeed(pipeline.Ours, stage, offset*fullSeeds+n, os.TempDir()); err != nil {
					return err
				}
			}
			if err := ctx.Err(); err != nil {
				return err
			}
		}
	}
	return nil
}
