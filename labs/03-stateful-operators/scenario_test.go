package lab03_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"gatewaymeter/broker"
	"gatewaymeter/engine"
	"gatewaymeter/gateway"
	"gatewaymeter/generator"
	"gatewaymeter/internal/kit/suite"
	operators "gatewaymeter/labs/03-stateful-operators/starter"
	"gatewaymeter/oracle"
	"gatewaymeter/pipeline"
	"gatewaymeter/stream"
)

const scenarioSeed = 3

// TestScenario: Running totals per tenant, and the leak, on Kafka
//
// The job of stage 03 runs on the broker that BROKER names, with all of your code in it.
func TestScenario(t *testing.T) {
	suite.Exercise(t, "scenario", func(t *testing.T) {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		b, err := broker.Open(ctx, suite.Broker(), broker.Options{})
		suite.Harness(t, err)
		defer b.Close()
		suite.Sub(t, "the totals are the oracle's", func(t *testing.T) {
			runTotals(ctx, t, b, generator.Default(2000, scenarioSeed))
		})
		suite.Sub(t, "10,000 open requests are 10,000 entries", func(t *testing.T) {
			traffic := generator.Default(10_500, scenarioSeed)
			traffic.NeverCompleted, traffic.NeverStarted, traffic.Reversed, traffic.Long = 0.96, 0, 0, 0
			report := runTotals(ctx, t, b, traffic)
			open := report.Truth.At(3).OpenEntries
			if open < 10_000 {
				suite.Harness(t, fmt.Errorf("the traffic leaves only %d requests open", open))
			}
			suite.Equal(t, open, int64(report.Result.Entries["assemble/open"]), suite.Failure{
				Says: "state \"open\" must have an entry for each request that was never completed, and no other", Input: fmt.Sprintf("%d requests, %d never completed", traffic.Requests, open),
			})
		})
	})
}

// yours puts the student's code into the job of stage 03.
func yours(t *testing.T) (engine.Parts, pipeline.Functions) {
	t.Helper()
	p, f, err := pipeline.Ours(3)
	suite.Harness(t, err)
	p.Operator, p.Redistribute = operators.NewOperatorStore, operators.Redistribute
	p.Backend = func(s engine.Subtask) (stream.Backend, error) {
		return operators.NewTTL(operators.NewHeap(s.First, s.Last), s.Clock), nil
	}
	f.Assemble = operators.NewAssembler
	f.Total = func() stream.KeyedFunction[gateway.RequestRecord, gateway.TenantTotal] {
		return operators.NewTenantCost(gateway.ListPrices())
	}
	f.Dedupe = func() stream.KeyedFunction[gateway.Event, gateway.Event] {
		return operators.NewDedupeRequest(pipeline.DedupeTTL)
	}
	return p, f
}

// runTotals runs the job and holds what came out against the oracle.
func runTotals(ctx context.Context, t *testing.T, b *broker.Broker, traffic generator.Params) *pipeline.Report {
	t.Helper()
	p, f := yours(t)
	report, err := pipeline.Run(ctx, pipeline.RunConfig{
		Broker: b, Stage: 3, Parallelism: 2, Parts: p, Functions: f, Traffic: traffic, Partitions: 3, Prefix: pipeline.NewPrefix(),
	})
	suite.NoError(t, err, "the job runs to its end")
	if report.Oracle != "match" {
		suite.Wrong(t, suite.Failure{
			Says:  "the totals read back from Kafka are not the oracle's",
			Input: fmt.Sprintf("seed %d, %d requests, 3 partitions, parallelism 2", traffic.Seed, traffic.Requests),
			Got:   oracle.Table(report.Differences, 8),
		})
	}
	return report
}
