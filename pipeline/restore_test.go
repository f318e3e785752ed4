package pipeline_test

import (
	"context"
	"errors"
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
		var complete atomic.Bool
		last := i == 2
		cfg.Parallelism = parallelism
		cfg.Parts.Splits = parts.Splits
		if !last {
			cfg.Parts.Splits = func(log stream.Log) stream.SplitReader {
				return &gatedReader{SplitReader: parts.Splits(log), open: &complete, left: 1000}
			}
		}
		cfg.Checkpoints.OnCheckpoint = func(c engine.CheckpointReport) {
			if c.Err == nil {
				complete.Store(true)
				if !last {
					cancel(killed)
				}
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
