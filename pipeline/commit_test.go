package pipeline_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gatewaymeter/broker"
	"gatewaymeter/broker/brokertest"
	"gatewaymeter/engine"
	"gatewaymeter/gateway"
	"gatewaymeter/generator"
	"gatewaymeter/pipeline"
	"gatewaymeter/stream"
)

// checkpointedRun is a run of stage 07 with checkpoints every few milliseconds.
func checkpointedRun(t *testing.T, b *broker.Broker) pipeline.RunConfig {
	t.Helper()
	parts, functions, err := pipeline.Ours(7)
	require.NoError(t, err)
	return pipeline.RunConfig{
		Broker: b, Stage: 7, Parts: parts, Functions: functions, Parallelism: 2, Partitions: 3, Prefix: pipeline.NewPrefix(),
		Traffic: generator.Default(5000, 11), Cards: 5000,
		Checkpoints: &pipeline.CheckpointConfig{Dir: t.TempDir(), Interval: 5 * time.Millisecond, Warn: func(err error) { t.Errorf("a warning: %v", err) }},
	}
}

func openBroker(t *testing.T) *broker.Broker {
	t.Helper()
	b, err := broker.Open(brokertest.Context(t), "embedded", broker.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, b.Close()) })
	return b
}

// gated is the same run, but it stops in the middle of its splits until so many checkpoints are complete,
// and enough says that it goes on.
func gated(cfg pipeline.RunConfig, n int32, enough func() bool) pipeline.RunConfig {
	var complete atomic.Int32
	open, splits := new(atomic.Bool), cfg.Parts.Splits
	cfg.Parts.Splits = func(log stream.Log) stream.SplitReader {
		return &gatedReader{SplitReader: splits(log), open: open, left: 1000}
	}
	checkpoints := *cfg.Checkpoints
	checkpoints.OnCheckpoint = func(c engine.CheckpointReport) {
		if c.Err == nil && complete.Add(1) == n {
			open.Store(enough())
		}
	}
	cfg.Checkpoints = &checkpoints
	return cfg
}

func goesOn() bool { return true }

// killedAfter runs the job until so many checkpoints are complete, and cancels it there. It stands still
// meanwhile, so that it cannot come to its end first.
func killedAfter(t *testing.T, cfg pipeline.RunConfig, n int32) {
	t.Helper()
	killed := errors.New("killed by the test")
	ctx, cancel := context.WithCancelCause(brokertest.Context(t))
	defer cancel(nil)
	_, err := pipeline.Run(ctx, gated(cfg, n, func() bool {
		cancel(killed)
		return false
	}))
	require.ErrorIs(t, err, killed)
}

// latestOffsets is where the newest checkpoint says that each partition of a source is to be read on.
func latestOffsets(t *testing.T, cfg pipeline.RunConfig, source string) (next []int64) {
	t.Helper()
	store, err := pipeline.OpenCheckpoints(cfg.Checkpoints.Dir)
	require.NoError(t, err)
	latest, _, err := store.Latest()
	require.NoError(t, err)
	splits, err := engine.Offsets(latest.Operators[source])
	require.NoError(t, err)
	next = make([]int64, cfg.Partitions)
	for _, s := range splits {
		next[s.Partition] = s.Next
	}
	return next
}

// What Kafka is told are the offsets of the latest complete checkpoint, those of ended subtasks included,
// and a start does not believe them.
func TestOffsetsAreCommittedForMonitoringOnly(t *testing.T) {
	b := openBroker(t)
	cfg := checkpointedRun(t, b)
	killedAfter(t, cfg, 3)
	group, topics := pipeline.Group(cfg.Prefix, 7), map[string]string{"gateway-source": gateway.TopicEvents, "card-source": gateway.TopicTransactions}
	for source, topic := range topics {
		committed, err := b.CommittedOffsets(group, cfg.Prefix+topic)
		require.NoError(t, err)
		require.Equal(t, latestOffsets(t, cfg, source), committed, source)
	}

	// The group now says that all was read, or nothing. The checkpoint says otherwise.
	for i, said := range []int64{1 << 40, 0} {
		var splits []stream.Split
		for _, topic := range topics {
			for p := range cfg.Partitions {
				splits = append(splits, stream.Split{Topic: cfg.Prefix + topic, Partition: int32(p), Next: said})
			}
		}
		require.NoError(t, b.CommitOffsets(group, splits))
		cfg.Checkpoints.Restore = cfg.Checkpoints.Dir
		if i == 0 {
			killedAfter(t, cfg, 1)
		}
	}
	report, err := pipeline.Run(brokertest.Context(t), gated(cfg, 1, goesOn))
	require.NoError(t, err)
	require.Empty(t, report.Differences)
	require.Equal(t, "match", report.Oracle)
	for source, topic := range topics {
		committed, err := b.CommittedOffsets(group, cfg.Prefix+topic)
		require.NoError(t, err)
		require.Equal(t, latestOffsets(t, cfg, source), committed, source)
	}
}

// Offsets that cannot be committed are one warning, and no failure.
func TestOffsetsThatCannotBeCommittedAreAWarning(t *testing.T) {
	b := openBroker(t)
	cfg := checkpointedRun(t, b)
	fault := b.Embedded().Inject(broker.Fault{Op: broker.OpCommitOffsets, Answer: broker.Disconnect, Times: -1})
	var warnings []error
	cfg.Checkpoints.Warn = func(err error) { warnings = append(warnings, err) }
	report, err := pipeline.Run(brokertest.Context(t), gated(cfg, 2, goesOn))
	require.NoError(t, err)
	require.Equal(t, "match", report.Oracle)
	require.Positive(t, fault.Fired())
	require.Len(t, warnings, 1)
	require.ErrorContains(t, warnings[0], `the offsets of a checkpoint are not committed`)
	require.ErrorContains(t, warnings[0], `consumer group "`+cfg.Prefix+`gatewaymeter-stage-07"`)
}
