package pipeline_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"gatewaymeter/broker"
	"gatewaymeter/generator"
	"gatewaymeter/oracle"
	"gatewaymeter/pipeline"
)

// runOn runs every stage on a broker and holds it against the oracle.
func runOn(t *testing.T, b *broker.Broker) {
	t.Helper()
	for stage := pipeline.FirstStage; stage <= pipeline.LastStage; stage++ {
		parts, functions, err := pipeline.Ours(stage)
		require.NoError(t, err)
		r, err := pipeline.Run(context.Background(), pipeline.RunConfig{
			Broker: b, Stage: stage, Parallelism: 3, Parts: parts, Functions: functions,
			Traffic: generator.Default(2000, 1), Partitions: 4, Prefix: pipeline.NewPrefix(),
		})
		require.NoError(t, err)
		require.Empty(t, oracle.Table(r.Differences, 10), "stage %02d", stage)
		require.Equal(t, "match", r.Oracle)
		require.Empty(t, r.Unused)
		require.Equal(t, r.Truth.At(stage), stageCounts(r.Counts))
		require.Positive(t, r.USDNano)
	}
}

func TestRunOnEmbeddedKafka(t *testing.T) {
	b, err := broker.Open(context.Background(), "embedded", broker.Options{})
	require.NoError(t, err)
	defer func() { require.NoError(t, b.Close()) }()
	runOn(t, b)
}
