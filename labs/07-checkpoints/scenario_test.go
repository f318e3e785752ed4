package lab07_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"gatewaymeter/broker"
	"gatewaymeter/engine"
	"gatewaymeter/generator"
	"gatewaymeter/internal/kit/suite"
	checkpoints "gatewaymeter/labs/07-checkpoints/starter"
	"gatewaymeter/oracle"
	"gatewaymeter/pipeline"
	"gatewaymeter/stream"
)

// TestScenario: Kill the job, again and again; the invoice is exact
//
// All of the lab is yours here: aligner, coordinator, store, restore. First twenty seeded crashes, two a
// run, in the simulated driver. Then on the broker that BROKER names: the job is cancelled when a
// checkpoint is complete and starts again from the folder, at another parallelism each time.
func TestScenario(t *testing.T) {
	suite.Exercise(t, "scenario", func(t *testing.T) {
		suite.Sub(t, "twenty seeds, two crashes each", seededCrashes)
		suite.Sub(t, "cancelled and restored on Kafka", restoredOnKafka)
	})
}

// mine puts the student's parts into the engine.
func mine(p engine.Parts) engine.Parts {
	p.Aligner, p.Coordinator, p.Match = checkpoints.NewAligner, checkpoints.NewCoordinator, checkpoints.Match
	return p
}

func seededCrashes(t *testing.T) {
	for seed := range uint64(20) {
		cfg := crashConfig(t, 7, pipeline.FromCheckpoint, seed)
		cfg.Parts, cfg.Crashes = mine(cfg.Parts), 2
		disk := checkpoints.NewMemDisk()
		cfg.Store = func() (stream.CheckpointStore, error) { return checkpoints.NewStore(disk, 2) }
		r, err := pipeline.Crash(cfg)
		suite.NoError(t, err, "the job runs to its end")
		if !r.Fired {
			suite.Harness(t, fmt.Errorf("seed %d: the worker did not die", seed))
		}
		if r.Oracle != "match" {
			suite.Wrong(t, suite.Failure{
				Says: "after two crashes the bill is not the oracle's", Input: fmt.Sprintf("seed %d, the second crash %s", seed, r.At), Got: r.Wrong,
				Rerun: "go tool lab crash 07 --seeds 200 --mine 07",
			})
		}
	}
}

// errKilled ends a run from outside.
var errKilled = errors.New("killed by the scenario")

func restoredOnKafka(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	b, err := broker.Open(ctx, suite.Broker(), broker.Options{})
	suite.Harness(t, err)
	defer b.Close()
	parts, functions, err := pipeline.Ours(7)
	suite.Harness(t, err)
	dir := t.TempDir()
	cfg := pipeline.RunConfig{
		Broker: b, Stage: 7, Functions: functions, Partitions: 3, Prefix: pipeline.NewPrefix(), Traffic: generator.Default(2000, 7),
		Checkpoints: &pipeline.CheckpointConfig{Dir: dir, Interval: 5 * time.Millisecond, Store: func(dir string) (stream.CheckpointStore, error) {
			return checkpoints.NewStore(checkpoints.OSDisk{Root: dir}, 3)
		}},
	}
	for _, parallelism := range []int{2, 3} {
		cfg.Parallelism, cfg.Parts = parallelism, mine(parts)
		_, err := untilCheckpoint(ctx, cfg, parts)
		if !errors.Is(err, errKilled) {
			suite.NoError(t, err, "the job takes a checkpoint")
			suite.Harness(t, errors.New("the run ended before it was killed"))
		}
		cfg.Checkpoints.Restore = dir
	}
	cfg.Parallelism, cfg.Parts = 1, mine(parts)
	report, err := pipeline.Run(ctx, cfg)
	suite.NoError(t, err, "the job runs to its end")
	if report.Oracle != "match" {
		suite.Wrong(t, suite.Failure{
			Says: "killed at parallelism 2 and 3, ended at 1: the invoice read back from Kafka is not the oracle's", Input: "seed 7, 2000 requests, 3 partitions", Got: oracle.Table(report.Differences, 8),
		})
	}
}

// untilCheckpoint runs the job, which does not get to the end of its splits, and kills it when a
// checkpoint is complete.
func untilCheckpoint(ctx context.Context, cfg pipeline.RunConfig, parts engine.Parts) (*pipeline.Report, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	c := *cfg.Checkpoints
	c.OnCheckpoint = func(r engine.CheckpointReport) {
		if r.Err == nil {
			cancel(errKilled)
		}
	}
	cfg.Checkpoints = &c
	cfg.Parts.Splits = func(log stream.Log) stream.SplitReader {
		return &stoppingReader{SplitReader: parts.Splits(log), left: 500}
	}
	return pipeline.Run(ctx, cfg)
}

// stoppingReader stops in the middle of its splits, so that the job cannot end before it is killed.
type stoppingReader struct {
	stream.SplitReader
	left int
}

func (r *stoppingReader) Poll(max int, out stream.SplitOutput) (stream.Progress, error) {
	if r.left <= 0 {
		return stream.Waiting, nil
	}
	r.left -= max
	return r.SplitReader.Poll(max, out)
}
