package pipeline_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gatewaymeter/broker"
	"gatewaymeter/engine"
	"gatewaymeter/generator"
	"gatewaymeter/pipeline"
	"gatewaymeter/stream"
)

// TestRunSurvivesCancelOnKafka cancels a run once a checkpoint is complete and starts it again from the
// folder, at another parallelism each time: the invoice is exact.
func TestRunSurvivesCancelOnKafka(t *testing.T) {
	b, err := broker.Open(context.Background(), "embedded", broker.Options{})
	require.NoError(t, err)
	defer func() { require.NoError(t, b.Close()) }()
	dir := t.TempDir()
	parts, functions, err := pipeline.Ours(7)
	require.NoError(t, err)
	cfg := pipeline.RunConfig{
		Broker: b, Stage: 7, Parts: parts, Functions: functions, Partitions: 4, Prefix: pipeline.NewPrefix(),
		Traffic: generator.Default(5000, 3), Cards: 5000,
		Checkpoints: &pipeline.CheckpointConfig{Dir: dir, Interval: 5 * time.Millisecond},
	}
	for i, parallelism := range []int{2, 3, 1} {
		ctx, cancel := context.WithCancelCause(context.Background())
		killed := errors.New("killed by the test")
		var never atomic.Bool // opened: the run cannot come to its end before it is cancelled
		last := i == 2
		cfg.Parallelism = parallelism
		cfg.Parts.Splits = parts.Splits
		if !last {
			cfg.Parts.Splits = func(log stream.Log) stream.SplitReader {
				return &gatedReader{SplitReader: parts.Splits(log), open: &never, left: 1000}
			}
		}
		cfg.Checkpoints.OnCheckpoint = func(c engine.CheckpointReport) {
			if c.Err == nil && !last {
				cancel(killed)
			}
		}
		report, err := pipeline.Run(ctx, cfg)
		if !last {
			require.ErrorIs(t, err, killed)
		} else {
			require.NoError(t, err)
			require.Empty(t, report.Differences)
			require.Equal(t, "match", report.Oracle)
			require.EqualValues(t, 1250, report.Transactions, "the velocity check goes on from its own offsets")
			require.Positive(t, report.Alerts)
		}
		cancel(nil)
		cfg.Checkpoints.Restore = dir
	}
}

// A folder's checkpoints belong to the run that took them: another does not start from them, and does not
// remove them.
func TestCheckpointsOfAnotherRun(t *testing.T) {
	b, err := broker.Open(context.Background(), "embedded", broker.Options{})
	require.NoError(t, err)
	defer func() { require.NoError(t, b.Close()) }()
	parts, functions, err := pipeline.Ours(7)
	require.NoError(t, err)
	follow := false
	run := func(prefix, dir, restore string) error {
		var complete atomic.Bool
		cfg := pipeline.RunConfig{
			Broker: b, Stage: 7, Parts: parts, Functions: functions, Partitions: 2, Parallelism: 2, Prefix: prefix,
			Traffic: generator.Default(500, 3), Follow: follow,
			Checkpoints: &pipeline.CheckpointConfig{Dir: dir, Interval: 5 * time.Millisecond, Restore: restore, OnCheckpoint: func(c engine.CheckpointReport) {
				complete.Store(complete.Load() || c.Err == nil)
			}},
		}
		cfg.Parts.Splits = func(log stream.Log) stream.SplitReader {
			return &gatedReader{SplitReader: parts.Splits(log), open: &complete, left: 100}
		}
		_, err := pipeline.Run(context.Background(), cfg)
		return err
	}
	first, second, one, two := t.TempDir(), t.TempDir(), pipeline.NewPrefix(), pipeline.NewPrefix()
	require.NoError(t, run(one, first, ""))
	require.NoError(t, run(two, second, ""))
	three := pipeline.NewPrefix()
	require.ErrorContains(t, run(three, first, ""), "of an earlier run, which this one would remove")
	require.NoError(t, run(three, t.TempDir(), ""), "it had not written anything yet")
	nothing := t.TempDir()
	require.ErrorContains(t, run(pipeline.NewPrefix(), nothing, nothing), nothing+" holds no checkpoint to start from", "its topics are not there either")
	require.ErrorContains(t, run(two, second, first), "goes on in topic "+one)
	chk, err := filepath.Glob(filepath.Join(first, "chk-*"))
	require.NoError(t, err)
	require.NotEmpty(t, chk)
	require.ErrorContains(t, run(one, first, chk[0]), "name the one that holds all, "+first)
	damaged := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(damaged, "chk-000001"), 0o755))
	require.NoError(t, os.MkdirAll(filepath.Join(damaged, "chk-000002"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(damaged, "chk-000002", "manifest.json"), []byte("{"), 0o600))
	require.ErrorContains(t, run(three, damaged, ""), "which this one would remove: choose another --checkpoint-dir, or empty this one; checkpoint 2 is refused")
	require.NoError(t, os.Remove(filepath.Join(damaged, "chk-000002", "manifest.json")))
	require.NoError(t, run(pipeline.NewPrefix(), damaged, ""), "neither was ever completed")
	require.NoError(t, run(one, first, first))
	follow = true
	require.ErrorContains(t, run(one, first, first), "of a run with --follow=false", "it would end where the first run had seen the end")
}

// gatedReader stops in the middle of its splits until the gate opens, so that the job is still running
// when its checkpoint completes.
type gatedReader struct {
	stream.SplitReader
	open *atomic.Bool
	left int
}

func (g *gatedReader) Poll(max int, out stream.SplitOutput) (stream.Progress, error) {
	if g.left <= 0 && !g.open.Load() {
		return stream.Waiting, nil
	}
	g.left -= max
	return g.SplitReader.Poll(max, out)
}
