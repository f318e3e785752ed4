package pipeline_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gatewaymeter/broker"
	"gatewaymeter/gateway"
	"gatewaymeter/generator"
	"gatewaymeter/oracle"
	"gatewaymeter/pipeline"
)

// inputOf writes messages to a topic of a fresh embedded Kafka.
func inputOf(t *testing.T, messages ...[2]string) *broker.Broker {
	t.Helper()
	b, err := broker.Open(t.Context(), "embedded", broker.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, b.Close()) })
	require.NoError(t, b.CreateTopic(gateway.TopicEvents, 2))
	p, err := b.NewProducer()
	require.NoError(t, err)
	for _, m := range messages {
		require.NoError(t, p.Send(gateway.TopicEvents, pipeline.PartitionOf(m[0], 2), []byte(m[0]), []byte(m[1])))
	}
	require.NoError(t, p.Close())
	return b
}

func runInput(t *testing.T, b *broker.Broker, stage int) (*pipeline.Report, error) {
	t.Helper()
	parts, functions, err := pipeline.Ours(stage)
	require.NoError(t, err)
	return pipeline.Run(context.Background(), pipeline.RunConfig{
		Broker: b, Stage: stage, Parallelism: 2, Parts: parts, Functions: functions, Partitions: 2,
		Input: gateway.TopicEvents, Prefix: pipeline.NewPrefix(),
	})
}

func started(id string, ts any) string {
	return fmt.Sprintf(`{"event_type":"RequestStarted","request_id":%q,"tenant_id":"t","model":"model-a","ts":%v,"payload":{"prompt_tokens":1000}}`, id, ts)
}

func completed(id string, ts, tokens any) string {
	return fmt.Sprintf(`{"event_type":"RequestCompleted","request_id":%q,"tenant_id":"t","model":"model-a","ts":%v,"payload":{"completion_tokens":%v,"latency_ms":1,"status":"ok"}}`, id, ts, tokens)
}

// What comes through the door and is no event is a dead letter, byte for byte; the rest is billed.
func TestBadMessagesAreDeadLettersAndNothingElse(t *testing.T) {
	bad := [][2]string{
		{"\xff\xfe", started("bad-key", 1000)},                                      // invalid UTF-8 in the key
		{"bad-id", strings.Replace(started("bad-id", 1), "bad-id", "bad\xffid", 1)}, // and in the value
		{"torn", started("torn", 1000)[:40]},                                        // malformed JSON
		{"early", started("early", -1)},                                             // numbers out of range
		{"far", started("far", "9223372036854775808")},
		{"half", started("half", 1000.5)},
		{"many", completed("many", 2000, 10_000_001)},
		{"", started("", 1000)}, // no id
		{"tombstone", ""},
		{"large", `{"padding":"` + strings.Repeat("x", 600_000) + `"`}, // large, and malformed
	}
	good := [][2]string{{"r-1", started("r-1", 1000)}, {"r-1", completed("r-1", 2000, 1000)}}
	for _, stage := range []int{3, pipeline.LastStage} {
		b := inputOf(t, append(append([][2]string{}, bad...), good...)...)
		r, err := runInput(t, b, stage)
		require.NoError(t, err)
		require.Empty(t, oracle.Table(r.Differences, 10))
		require.EqualValues(t, len(bad), r.Malformed)
		require.Len(t, r.Output.DeadLetters, len(bad))
		require.EqualValues(t, 1, r.Records)
		require.EqualValues(t, 12_500_000, r.USDNano)
	}
}

// A message that nobody can write down as a dead letter ends the job with an error that names it: it is
// neither lost nor passed over.
func TestADeadLetterThatIsTooLargeIsAnError(t *testing.T) {
	b := inputOf(t, [2]string{"large", `{"padding":"` + strings.Repeat("x", 950_000) + `"`})
	_, err := runInput(t, b, 3)
	require.ErrorContains(t, err, "offset 0: message for")
	require.ErrorContains(t, err, "is too large")
}

// A broker that fails for a moment, while it is written to or read from, changes nothing in the bill.
func TestPassingFaultsChangeNothing(t *testing.T) {
	for _, fault := range []broker.Fault{
		{Op: broker.OpProduce, Topic: gateway.TopicTotals, Answer: broker.Disconnect, Times: 2},
		{Op: broker.OpProduce, Topic: gateway.TopicTotals, Answer: broker.DoneButTimedOut, Times: 2},
		{Op: broker.OpProduce, Topic: gateway.TopicTotals, Answer: broker.RefuseNotLeader, Times: 2},
		{Op: broker.OpFetch, Topic: gateway.TopicEvents, Answer: broker.Disconnect, Times: 2},
		{Op: broker.OpFetch, Topic: gateway.TopicEvents, Answer: broker.RefuseNotLeader, Times: 2},
	} {
		t.Run(fault.String(), func(t *testing.T) {
			r, fired, err := runFaulty(t, fault)
			require.NoError(t, err)
			require.Positive(t, fired, "the fault did not hit")
			require.Empty(t, oracle.Table(r.Differences, 10))
		})
	}
}

// One that refuses for good ends the run: an error that says what was refused, and no bill.
func TestLastingFaultsEndTheRun(t *testing.T) {
	for _, fault := range []broker.Fault{
		{Op: broker.OpProduce, Topic: gateway.TopicTotals, Answer: broker.RefuseAccess, Times: -1},
		{Op: broker.OpFetch, Topic: gateway.TopicEvents, Answer: broker.RefuseOffset, Times: -1},
	} {
		t.Run(fault.String(), func(t *testing.T) {
			r, fired, err := runFaulty(t, fault)
			require.Positive(t, fired, "the fault did not hit")
			require.ErrorContains(t, err, fault.Topic)
			require.Empty(t, r.Oracle, "there is no verdict")
		})
	}
}

// runFaulty runs stage 03 on a broker that fails.
func runFaulty(t *testing.T, fault broker.Fault) (r *pipeline.Report, fired int, err error) {
	t.Helper()
	b, err := broker.Open(t.Context(), "embedded", broker.Options{})
	require.NoError(t, err)
	defer func() { require.NoError(t, b.Close()) }()
	injected := b.Embedded().Inject(fault)
	parts, functions, err := pipeline.Ours(3)
	require.NoError(t, err)
	r, err = pipeline.Run(t.Context(), pipeline.RunConfig{
		Broker: b, Stage: 3, Parallelism: 2, Parts: parts, Functions: functions, Partitions: 2,
		Traffic: generator.Default(500, 1),
	})
	return r, injected.Fired(), err
}
