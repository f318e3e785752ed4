package pipeline_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"gatewaymeter/engine"
	"gatewaymeter/gateway"
	"gatewaymeter/generator"
	"gatewaymeter/oracle"
	"gatewaymeter/pipeline"
)

// drivers are the two ways to run the same job.
var drivers = map[string]func(pipeline.Config, uint64) (*engine.Result, error){
	"live": func(c pipeline.Config, _ uint64) (*engine.Result, error) {
		return pipeline.RunLive(context.Background(), c)
	},
	"simulated": pipeline.Simulate,
}

// run runs a stage over generated traffic and returns what differs from the oracle.
func run(t *testing.T, driver string, stage, parallelism, partitions, requests int, seed uint64) (oracle.Counts, generator.Counts) {
	t.Helper()
	parts, functions, err := pipeline.Ours(stage)
	require.NoError(t, err)
	topic, truth := pipeline.Record(generator.Default(requests, seed), gateway.TopicEvents, partitions)
	out := &pipeline.Output{}
	result, err := drivers[driver](pipeline.Config{
		Stage: stage, Parallelism: parallelism, Parts: parts, Functions: functions,
		Events: pipeline.Input{Splits: topic.Splits(), Log: topic.Log, Every: 100},
		Sinks:  out.Sinks(),
	}, seed)
	require.NoError(t, err)
	invoice, err := pipeline.Expect(stage, gateway.TopicEvents, topic.Messages())
	require.NoError(t, err)
	counts := pipeline.Count(stage, invoice, out, result)
	require.Empty(t, oracle.Table(pipeline.Verify(invoice, out, counts), 10),
		"stage %02d, %s driver, parallelism %d, %d partitions, seed %d", stage, driver, parallelism, partitions, seed)
	return counts, truth
}

func TestEveryStageMatchesTheOracle(t *testing.T) {
	for stage := pipeline.FirstStage; stage <= pipeline.LastStage; stage++ {
		for driver := range drivers {
			t.Run(fmt.Sprintf("%02d/%s", stage, driver), func(t *testing.T) {
				var sum int64
				for i, parallelism := range []int{1, 3, 8} {
					partitions := []int{7, 2, 1}[i]
					counts, truth := run(t, driver, stage, parallelism, partitions, 2000, 1)
					require.Equal(t, truth.At(stage), stageCounts(counts), "every anomaly is counted as often as it was made")
					if i > 0 {
						require.Equal(t, sum, counts.USDNano, "one sum a seed, whatever else differs")
					}
					sum = counts.USDNano
				}
			})
		}
	}
}

// stageCounts are the figures that follow from the generator's anomalies alone.
func stageCounts(c oracle.Counts) generator.StageCounts {
	return generator.StageCounts{
		Requests: c.Requests, Events: c.Events, Malformed: c.Malformed, Duplicates: c.Duplicates, Records: c.Records,
		Abandoned: c.Abandoned, Unmatched: c.Unmatched, Unpriced: c.Unpriced, OpenEntries: c.OpenEntries,
	}
}
