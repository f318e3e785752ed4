package lab01_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"gatewaymeter/broker"
	"gatewaymeter/gateway"
	"gatewaymeter/generator"
	"gatewaymeter/internal/kit/suite"
	events "gatewaymeter/labs/01-events/starter"
	"gatewaymeter/oracle"
	"gatewaymeter/stream"
)

const (
	scenarioSeed       = 7
	scenarioRequests   = 1000
	scenarioPartitions = 5
	scenarioSubtasks   = 2
)

// TestScenario: Every event once and in partition order; what is broken, in the dead letters
//
// It runs on the broker that BROKER names. Two consumers share a topic of five partitions; every few
// polls a consumer dies, and another goes on from its snapshot.
func TestScenario(t *testing.T) {
	suite.Exercise(t, "scenario", func(t *testing.T) {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		b, err := broker.Open(ctx, suite.Broker(), broker.Options{})
		suite.Harness(t, err)
		defer b.Close()
		topic, splits := writeTraffic(ctx, t, b)

		got := &consumed{events: map[int32][]gateway.Event{}}
		for subtask := range scenarioSubtasks {
			consume(ctx, t, b, topic, mine(splits, subtask), got)
		}

		written, err := b.ReadAll(ctx, topic)
		suite.Harness(t, err)
		judgeRun(t, topic, written, got)
	})
}

// writeTraffic fills a topic of our own with seeded traffic, and returns its splits.
func writeTraffic(ctx context.Context, t *testing.T, b *broker.Broker) (string, []stream.Split) {
	t.Helper()
	topic := fmt.Sprintf("lab01-%d.%s", time.Now().UnixNano(), gateway.TopicEvents)
	suite.Harness(t, b.CreateTopic(topic, scenarioPartitions))
	p, err := b.NewProducer()
	suite.Harness(t, err)
	defer p.Close()
	for m := range generator.New(generator.Default(scenarioRequests, scenarioSeed)).All() {
		suite.Harness(t, p.Send(topic, generator.PartitionOf(m.Key, scenarioPartitions), m.Key, m.Value))
	}
	suite.Harness(t, p.Flush(ctx))
	ends, err := b.EndOffsets(topic)
	suite.Harness(t, err)
	var splits []stream.Split
	for partition, end := range ends {
		splits = append(splits, stream.Split{Topic: topic, Partition: int32(partition), Stop: end})
	}
	return topic, splits
}

// mine is the splits of one subtask: partition modulo subtasks, as the engine has it.
func mine(splits []stream.Split, subtask int) []stream.Split {
	var own []stream.Split
	for _, s := range splits {
		if int(s.Partition)%scenarioSubtasks == subtask {
			own = append(own, s)
		}
	}
	return own
}

// consume reads splits to their end. It gives each reader four polls that find something, then takes
// its snapshot and goes on with a new reader.
func consume(ctx context.Context, t *testing.T, b *broker.Broker, topic string, splits []stream.Split, got *consumed) {
	t.Helper()
	log, err := b.OpenLog(topic)
	suite.Harness(t, err)
	defer log.Close()
	for {
		r := events.NewSplitReader(log)
		r.Add(splits...)
		for polls := 0; polls < 4; {
			progress, err := r.Poll(97, got)
			suite.NoError(t, err, "Poll has no error")
			switch progress {
			case stream.Ended:
				return
			case stream.Reading:
				polls++
			case stream.Waiting:
				select {
				case <-log.Ready():
				case <-ctx.Done():
					suite.Wrong(t, suite.Failure{
						Says:  "the reader waits, but nothing more is to come: its splits are not finished",
						State: fmt.Sprintf("%+v", r.Snapshot()),
					})
				}
			}
		}
		splits = r.Snapshot()
	}
}

// consumed is what came out.
type consumed struct {
	events map[int32][]gateway.Event
	dead   []oracle.DeadLetter
}

func (c *consumed) Message(m stream.Message) error {
	e, err := events.Decode(m)
	if err != nil {
		c.dead = append(c.dead, lettered(events.NewDeadLetter(m, err)))
		return nil
	}
	c.events[m.Partition] = append(c.events[m.Partition], e)
	return nil
}

func (c *consumed) Finished(int32) {}

// lettered is a dead letter as the oracle takes it.
func lettered(d gateway.DeadLetter) oracle.DeadLetter {
	return oracle.DeadLetter{Raw: d.Raw, Reason: d.Reason, Topic: d.Topic, Partition: d.Partition, Offset: d.Offset}
}

// judgeRun compares what came out with what the oracle makes of the topic.
func judgeRun(t *testing.T, topic string, written []stream.Message, got *consumed) {
	t.Helper()
	rerun := fmt.Sprintf("go tool lab test 01 --run scenario # traffic of seed %d", scenarioSeed)
	log := make([]oracle.Message, len(written))
	for i, m := range written {
		log[i] = oracle.Message{Partition: m.Partition, Offset: m.Offset, Key: m.Key, Value: m.Value}
	}
	truth, err := oracle.Expect(log, oracle.Options{Stage: 3, Topic: topic})
	suite.Harness(t, err)
	if truth.Counts.Malformed == 0 {
		suite.Harness(t, fmt.Errorf("the traffic has no malformed message"))
	}
	if differences := truth.CheckDeadLetters(got.dead); len(differences) > 0 {
		suite.Wrong(t, suite.Failure{
			Says: "the dead letters are not those of the oracle", Got: oracle.Table(differences, 5), Rerun: rerun,
		})
	}
	want := eventsOf(t, written, truth.DeadLetters)
	for partition := range int32(scenarioPartitions) {
		if len(want[partition]) == 0 {
			suite.Harness(t, fmt.Errorf("the traffic leaves partition %d empty", partition))
		}
		inOrder(t, partition, want[partition], got.events[partition], rerun)
	}
}

// inOrder names the first event of a partition that is not the right one.
func inOrder(t *testing.T, partition int32, want, got []gateway.Event, rerun string) {
	t.Helper()
	for i := range max(len(want), len(got)) {
		tell := func(all []gateway.Event) string {
			if i >= len(all) {
				return fmt.Sprintf("nothing: %d events in all", len(all))
			}
			return fmt.Sprintf("%+v", all[i])
		}
		if i >= len(want) || i >= len(got) || want[i] != got[i] {
			suite.Wrong(t, suite.Failure{
				Says: fmt.Sprintf("event %d of partition %d is not the one that stands there in the topic", i, partition),
				Got:  tell(got), Want: tell(want), Rerun: rerun,
			})
		}
	}
}

// eventsOf decodes the well-formed messages, by partition and in their order, with encoding/json.
func eventsOf(t *testing.T, written []stream.Message, dead []oracle.DeadLetter) map[int32][]gateway.Event {
	t.Helper()
	type place struct {
		partition int32
		offset    int64
	}
	malformed := map[place]bool{}
	for _, d := range dead {
		malformed[place{d.Partition, d.Offset}] = true
	}
	all := map[int32][]gateway.Event{}
	for _, m := range written {
		if malformed[place{m.Partition, m.Offset}] {
			continue
		}
		var e struct {
			Type      gateway.EventType `json:"event_type"`
			RequestID string            `json:"request_id"`
			TenantID  string            `json:"tenant_id"`
			Model     string            `json:"model"`
			TS        int64             `json:"ts"`
			Payload   struct {
				PromptTokens     int64  `json:"prompt_tokens"`
				CompletionTokens int64  `json:"completion_tokens"`
				LatencyMS        int64  `json:"latency_ms"`
				Status           string `json:"status"`
			} `json:"payload"`
		}
		suite.Harness(t, json.Unmarshal(m.Value, &e))
		all[m.Partition] = append(all[m.Partition], gateway.Event{
			Type: e.Type, RequestID: e.RequestID, TenantID: e.TenantID, Model: e.Model, TS: e.TS,
			PromptTokens: e.Payload.PromptTokens, CompletionTokens: e.Payload.CompletionTokens,
			LatencyMS: e.Payload.LatencyMS, Status: e.Payload.Status,
		})
	}
	return all
}
