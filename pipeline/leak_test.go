package pipeline_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gatewaymeter/broker"
	"gatewaymeter/gateway"
	"gatewaymeter/generator"
	"gatewaymeter/harness"
	"gatewaymeter/internal/backends"
	"gatewaymeter/oracle"
	"gatewaymeter/pipeline"
	"gatewaymeter/stream"
)

// The leak of lab 03, closed: 10,000 requests that nobody completes are 10,000 records once the watermark
// is past five minutes, and then nothing is left of them, in assemble or in Dedupe: on the harness, in a
// job, and on Kafka.
const leaked = 10_000

func startedAt(i int, ts int64) gateway.Event {
	return gateway.Event{Type: gateway.RequestStarted, RequestID: fmt.Sprintf("r-%05d", i), TenantID: "tenant-1", Model: "model-a", TS: ts, PromptTokens: 10}
}

func TestTheLeakIsClosedOnTheHarness(t *testing.T) {
	for _, backend := range []string{"heap", "pebble"} {
		t.Run(backend, func(t *testing.T) {
			parts, functions, err := pipeline.Ours(6)
			require.NoError(t, err)
			if backend == "pebble" {
				parts.Backend = backends.Pebble(t.TempDir())
			}
			byID := func(e gateway.Event) string { return e.RequestID }
			dedupe := harness.NewKeyed(t, parts, byID, functions.Dedupe(), harness.Named("dedupe"))
			assemble := harness.NewKeyed(t, parts, byID, functions.Assemble(), harness.Named("assemble"))
			for i := range leaked {
				dedupe.ProcessElement(startedAt(i, int64(i)), stream.Time(i))
			}
			for _, r := range dedupe.Outputs() {
				assemble.ProcessElement(r.Value, r.Time)
			}
			require.Equal(t, []int{leaked, leaked}, []int{dedupe.Entries("seen"), dedupe.EventTimers()})
			require.Equal(t, []int{leaked, leaked}, []int{assemble.Entries("open"), assemble.EventTimers()})

			assemble.ProcessWatermark(gateway.AbandonAfterMS - 1)
			require.Empty(t, assemble.Outputs(), "a millisecond early")
			assemble.ProcessWatermark(gateway.AbandonAfterMS + leaked - 1)
			requireAbandoned(t, assemble.Values())
			require.Equal(t, []int{0, 0}, []int{assemble.Entries("open"), assemble.EventTimers()})

			past := stream.Time(0).Add(pipeline.DedupeRetention) + leaked - 1
			dedupe.ProcessWatermark(past - 1)
			require.Equal(t, []int{1, 1}, []int{dedupe.Entries("seen"), dedupe.EventTimers()}, "the last is remembered until its own time")
			dedupe.ProcessWatermark(past)
			require.Equal(t, []int{0, 0}, []int{dedupe.Entries("seen"), dedupe.EventTimers()})
		})
	}
}

func requireAbandoned(t *testing.T, records []gateway.RequestRecord) {
	t.Helper()
	require.Len(t, records, leaked)
	ids := map[string]bool{}
	for _, r := range records {
		ids[r.RequestID] = true
		require.Equal(t, gateway.StatusAbandoned, r.Status)
		require.EqualValues(t, gateway.AbandonAfterMS, r.LatencyMS)
	}
	require.Len(t, ids, leaked)
}

// In a job it is the watermark that does it, not the end of the input: the topic goes on.
func TestTheLeakIsClosedInARunningJob(t *testing.T) {
	const start = 1_700_000_040_000
	topic := pipeline.NewRecorded(gateway.TopicEvents, 3)
	for i := range leaked {
		topic.Append(message(startedAt(i, start+int64(i))))
	}
	s, _ := endless(t, pipeline.Config{Stage: 6, Parallelism: 2, Events: pipeline.Input{Every: 100}}, topic, 1, nil)
	until := func(what string, holds func() bool) {
		for range 100_000 {
			if holds() {
				return
			}
			_, err := s.Step()
			require.NoError(t, err)
		}
		require.Fail(t, "this does not come about: "+what, "open %d, seen %d", s.Entries("assemble", "open"), s.Entries("dedupe", "seen"))
	}
	until("every request is open", func() bool { return s.Entries("assemble", "open") == leaked })
	require.Equal(t, []int{leaked, leaked, leaked}, []int{s.EventTimers("assemble"), s.Entries("dedupe", "seen"), s.EventTimers("dedupe")})

	// A completion that matches nothing moves the time of its partition, and leaves nothing in assemble.
	beats := 0
	beat := func(at int64) {
		for p := range int32(3) {
			for ; ; beats++ {
				e := gateway.Event{Type: gateway.RequestCompleted, RequestID: fmt.Sprintf("beat-%d", beats), TenantID: "tenant-1", Model: "model-a", TS: at, Status: "ok"}
				if key, value := message(e); pipeline.PartitionOf(string(key), 3) == p {
					topic.Append(key, value)
					beats++
					break
				}
			}
		}
	}
	beat(start + leaked + gateway.AbandonAfterMS + pipeline.Bound.Milliseconds())
	until("every request is abandoned", func() bool { return s.Entries("assemble", "open") == 0 })
	require.Zero(t, s.EventTimers("assemble"))
	require.EqualValues(t, leaked, s.Result().Counters["assemble/abandoned"])

	beat(start + leaked + (2*pipeline.DedupeRetention + pipeline.Bound).Milliseconds())
	until("Dedupe has forgotten all but the last three", func() bool { return s.Entries("dedupe", "seen") == 3 })
	require.Equal(t, 3, s.EventTimers("dedupe"))
}

// message is an event as it stands in the topic.
func message(e gateway.Event) (key, value []byte) {
	payload := fmt.Sprintf(`{"prompt_tokens":%d}`, e.PromptTokens)
	if e.Type == gateway.RequestCompleted {
		payload = fmt.Sprintf(`{"completion_tokens":%d,"latency_ms":%d,"status":%q}`, e.CompletionTokens, e.LatencyMS, e.Status)
	}
	return []byte(e.RequestID), fmt.Appendf(nil, `{"event_type":%q,"request_id":%q,"tenant_id":%q,"model":%q,"ts":%d,"payload":%s}`,
		e.Type, e.RequestID, e.TenantID, e.Model, e.TS, payload)
}

func TestTheLeakIsClosedOnKafka(t *testing.T) {
	b, err := broker.Open(t.Context(), "embedded", broker.Options{})
	require.NoError(t, err)
	defer func() { require.NoError(t, b.Close()) }()
	for _, stage := range []int{6, 7} {
		parts, functions, err := pipeline.Ours(stage)
		require.NoError(t, err)
		r, err := pipeline.Run(t.Context(), pipeline.RunConfig{
			Broker: b, Stage: stage, Parallelism: 2, Parts: parts, Functions: functions, Partitions: 3, Prefix: pipeline.NewPrefix(),
			Traffic: generator.Params{
				Seed: 1, Requests: leaked, Tenants: 20, Start: 1_700_000_040_000, Span: 3 * time.Minute,
				InFlight: leaked, Bound: pipeline.Bound, DuplicateWithin: time.Minute, NeverCompleted: 1,
			},
		})
		require.NoError(t, err)
		require.Empty(t, oracle.Table(r.Differences, 10))
		require.EqualValues(t, leaked, r.Abandoned)
		require.Equal(t, []int{0, 0, 0}, []int{r.Result.Entries["assemble/open"], r.Result.Entries["dedupe/seen"], r.Result.Timers})
	}
}
