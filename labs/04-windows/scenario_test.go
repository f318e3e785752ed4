package lab04_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"gatewaymeter/broker"
	"gatewaymeter/gateway"
	"gatewaymeter/generator"
	"gatewaymeter/internal/kit/suite"
	windows "gatewaymeter/labs/04-windows/starter"
	"gatewaymeter/oracle"
	"gatewaymeter/pipeline"
	"gatewaymeter/stream"
)

const (
	scenarioSeed       = 4
	scenarioRequests   = 2000
	scenarioPartitions = 3
)

// TestScenario: One-minute invoices; late events, in money
//
// The job of stage 04 runs on the broker that BROKER names, with your windows in it. Once no event lags
// more than the watermarks allow for: each tenant's minute must be billed exactly. Once many do: then
// every record must be on a bill or in the late topic, and none on both.
func TestScenario(t *testing.T) {
	suite.Exercise(t, "scenario", func(t *testing.T) {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		b, err := broker.Open(ctx, suite.Broker(), broker.Options{})
		suite.Harness(t, err)
		defer b.Close()
		suite.Sub(t, "no record is late", func(t *testing.T) {
			report := runInvoice(ctx, t, b, generator.Default(scenarioRequests, scenarioSeed))
			suite.Equal(t, 0, len(report.Output.Late), suite.Failure{Says: "records went to the late topic, though none lags more than the watermarks allow for"})
		})
		suite.Sub(t, "many records are late", func(t *testing.T) {
			traffic := generator.Default(scenarioRequests, scenarioSeed)
			traffic.LagAboveBound = 0.2
			report := runInvoice(ctx, t, b, traffic)
			var late gateway.NanoUSD
			for _, r := range report.Output.Late {
				late += gateway.ListPrices()[r.Model].Cost(r.PromptTokens, r.CompletionTokens)
			}
			t.Logf("%d records for %v went to the late topic", len(report.Output.Late), late)
			suite.Equal(t, late, gateway.NanoUSD(report.Result.Counters["tenant-minute/"+windows.CountLateNano]), suite.Failure{
				Says: "the money of the late topic is not what the operator counted",
			})
		})
	})
}

// runInvoice runs the job over that traffic, and holds what came out against the oracle.
func runInvoice(ctx context.Context, t *testing.T, b *broker.Broker, traffic generator.Params) *pipeline.Report {
	t.Helper()
	parts, functions, err := pipeline.Ours(4)
	suite.Harness(t, err)
	functions.Minute = func() stream.KeyedFunction[gateway.RequestRecord, gateway.TenantWindow] {
		return windows.NewMinuteInvoice(gateway.ListPrices(), pipeline.Lateness)
	}
	report, err := pipeline.Run(ctx, pipeline.RunConfig{
		Broker: b, Stage: 4, Parallelism: 2, Parts: parts, Functions: functions,
		Traffic: traffic, Partitions: scenarioPartitions, Prefix: fmt.Sprintf("lab04-%d.", time.Now().UnixNano()),
	})
	suite.NoError(t, err, "the job runs to its end")
	if report.Oracle != "match" {
		suite.Wrong(t, suite.Failure{
			Says:  "the invoice read back from Kafka is not the oracle's",
			Input: fmt.Sprintf("seed %d, %d requests, %d partitions; %d of the records late", traffic.Seed, traffic.Requests, scenarioPartitions, len(report.Output.Late)),
			Got:   oracle.Table(report.Differences, 8),
		})
	}
	return report
}
