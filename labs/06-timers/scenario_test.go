package lab06_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"gatewaymeter/broker"
	"gatewaymeter/gateway"
	"gatewaymeter/generator"
	"gatewaymeter/internal/kit/suite"
	timers "gatewaymeter/labs/06-timers/starter"
	"gatewaymeter/oracle"
	"gatewaymeter/pipeline"
	"gatewaymeter/stream"
)

const scenarioSeed = 6

// TestScenario: 10,000 abandoned requests become 10,000 records
//
// The job of stage 06 runs on the broker that BROKER names, with your timers, assembler and velocity
// check. Once over traffic with every anomaly, with card transactions on a topic of their own beside it,
// and once over 10,000 requests that are never completed: the leak of lab 03, on Kafka. Invoice and alerts
// must be the oracle's. Nothing may be left: no open request, nothing that Dedupe remembers, no minute of
// a card, no timer.
func TestScenario(t *testing.T) {
	suite.Exercise(t, "scenario", func(t *testing.T) {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		b, err := broker.Open(ctx, suite.Broker(), broker.Options{})
		suite.Harness(t, err)
		defer b.Close()
		suite.Sub(t, "traffic with every anomaly", func(t *testing.T) {
			report := runMeter(ctx, t, b, generator.Default(2000, scenarioSeed), 2000)
			if report.Alerts == 0 {
				suite.Harness(t, fmt.Errorf("the card transactions of seed %d raise no alert", scenarioSeed))
			}
		})
		suite.Sub(t, "10,000 requests that nobody completes", func(t *testing.T) {
			report := runMeter(ctx, t, b, generator.Params{
				Seed: scenarioSeed, Requests: 10_000, Tenants: 20, Start: 1_700_000_040_000, Span: 3 * time.Minute,
				InFlight: 10_000, Bound: pipeline.Bound, DuplicateWithin: time.Minute, NeverCompleted: 1, DuplicateStarted: 0.01,
			}, 0)
			suite.Equal(t, int64(10_000), report.Abandoned, suite.Failure{Says: "not every request was abandoned", Input: fmt.Sprintf("seed %d", scenarioSeed)})
		})
	})
}

// runMeter runs the job to the end of its input, and holds what came out, and what is left, against the
// oracle. Beside the traffic go the card transactions of so many requests.
func runMeter(ctx context.Context, t *testing.T, b *broker.Broker, traffic generator.Params, cards int) *pipeline.Report {
	t.Helper()
	const stage, partitions = 6, 3
	parts, functions, err := pipeline.Ours(stage)
	suite.Harness(t, err)
	parts.Timers = timers.NewService
	functions.Assemble = func() stream.KeyedFunction[gateway.Event, gateway.RequestRecord] {
		return timers.NewAssembler(timers.EventTimeRule())
	}
	functions.Dedupe = func() stream.KeyedFunction[gateway.Event, gateway.Event] {
		return timers.NewDedupeRequest(pipeline.DedupeRetention)
	}
	functions.Velocity = timers.NewVelocityCheck
	report, err := pipeline.Run(ctx, pipeline.RunConfig{
		Broker: b, Stage: stage, Parallelism: 2, Parts: parts, Functions: functions,
		Traffic: traffic, Cards: cards, Partitions: partitions, Prefix: fmt.Sprintf("lab06-%d.", time.Now().UnixNano()),
	})
	suite.NoError(t, err, "the job runs to its end")
	input := fmt.Sprintf("seed %d, %d requests, %d partitions", traffic.Seed, traffic.Requests, partitions)
	if report.Oracle != "match" {
		suite.Wrong(t, suite.Failure{Says: "what was read back from Kafka is not what the oracle expects", Input: input, Got: oracle.Table(report.Differences, 8)})
	}
	entries := report.Result.Entries
	left := fmt.Sprintf("%d open, %d remembered by dedupe, %d minutes of cards, %d timers",
		entries["assemble/open"], entries["dedupe/seen"], entries["velocity-check/minutes"], report.Result.Timers)
	suite.Equal(t, "0 open, 0 remembered by dedupe, 0 minutes of cards, 0 timers", left, suite.Failure{Says: "at the end of the input something is left", Input: input})
	return report
}
