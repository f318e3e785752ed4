package lab02_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"gatewaymeter/broker"
	"gatewaymeter/engine"
	"gatewaymeter/gateway"
	"gatewaymeter/generator"
	"gatewaymeter/internal/kit/suite"
	keying "gatewaymeter/labs/02-keying/starter"
	"gatewaymeter/oracle"
	"gatewaymeter/pipeline"
	"gatewaymeter/stream"
)

const (
	scenarioSeed        = 3
	scenarioRequests    = 1000
	scenarioPartitions  = 3
	scenarioParallelism = 4
	scenarioGroups      = 128
)

// TestScenario: At parallelism 4 the two events of a request meet in the subtask that the arithmetic names
//
// It runs on the broker that BROKER names: gateway events, keyed by request, through the student's
// exchange and key groups, into an operator that writes down where it saw what.
func TestScenario(t *testing.T) {
	suite.Exercise(t, "scenario", func(t *testing.T) {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		groups, err := keying.NewGroups(scenarioGroups)
		suite.NoError(t, err, "128 key groups are allowed")
		b, err := broker.Open(ctx, suite.Broker(), broker.Options{})
		suite.Harness(t, err)
		defer b.Close()
		topic := writeTraffic(ctx, t, b)

		seen := &sightings{}
		job, err := meeting(t, b, topic, groups, seen)
		suite.Harness(t, err)
		_, err = job.Run(ctx, engine.Options{})
		suite.NoError(t, err, "the job reads the topic to its end")

		written, err := b.ReadAll(ctx, topic)
		suite.Harness(t, err)
		judgeMeeting(t, written, seen.all)
	})
}

// writeTraffic fills a topic of our own with seeded traffic.
func writeTraffic(ctx context.Context, t *testing.T, b *broker.Broker) string {
	t.Helper()
	topic := fmt.Sprintf("lab02-%d.%s", time.Now().UnixNano(), gateway.TopicEvents)
	suite.Harness(t, b.CreateTopic(topic, scenarioPartitions))
	p, err := b.NewProducer()
	suite.Harness(t, err)
	defer p.Close()
	for m := range generator.New(generator.Default(scenarioRequests, scenarioSeed)).All() {
		suite.Harness(t, p.Send(topic, generator.PartitionOf(m.Key, scenarioPartitions), m.Key, m.Value))
	}
	suite.Harness(t, p.Flush(ctx))
	return topic
}

// sighting is an event and where the keyed operator saw it.
type sighting struct {
	event   gateway.Event
	key     string
	group   int
	subtask int
}

type sightings struct {
	mu  sync.Mutex
	all []sighting
}

func (s *sightings) add(one sighting) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all = append(s.all, one)
}

// watcher is the keyed operator. It emits nothing.
type watcher struct{ seen *sightings }

func (watcher) Open(*stream.Context) error { return nil }

func (w watcher) ProcessElement(c *stream.Context, e gateway.Event, _ stream.Collector[gateway.Event]) error {
	w.seen.add(sighting{event: e, key: c.Key(), group: c.Group(), subtask: c.Subtask})
	return nil
}

// meeting is the job: source, key by request, watcher. All but lab 02's parts are ours.
func meeting(t *testing.T, b *broker.Broker, topic string, groups stream.Groups, seen *sightings) (*engine.Job, error) {
	t.Helper()
	parts, functions, err := pipeline.Ours(pipeline.FirstStage)
	suite.Harness(t, err)
	parts.Groups, parts.Hash = groups, keying.HashString
	ends, err := b.EndOffsets(topic)
	suite.Harness(t, err)
	config := engine.LogConfig[gateway.Event]{
		Log: func(int) (stream.Log, error) { return b.OpenLog(topic) },
		Decode: func(m stream.Message) (gateway.Event, stream.Time, error) {
			e, err := functions.Decode(m)
			return e, stream.Time(e.TS), err
		},
		Malformed: func(*stream.Context, stream.Message, error) {},
	}
	for partition, end := range ends {
		config.Splits = append(config.Splits, stream.Split{Topic: topic, Partition: int32(partition), Stop: end})
	}
	job := engine.NewJob("meeting", parts, scenarioParallelism)
	events := engine.From(job, "gateway-source", func() stream.Source[gateway.Event] { return engine.NewLogSource(parts, config) })
	keyed := engine.KeyBy(events, requestID, func(owner []int) stream.Exchange[gateway.Event] {
		return keying.NewExchange(func(e gateway.Event) int { return groups.Of(keying.HashString(e.RequestID)) }, owner)
	})
	engine.ProcessKeyed(keyed, "watcher", func() stream.KeyedFunction[gateway.Event, gateway.Event] { return watcher{seen} })
	return job, job.Validate()
}

// judgeMeeting compares the sightings with the topic and with the plain arithmetic.
func judgeMeeting(t *testing.T, written []stream.Message, seen []sighting) {
	t.Helper()
	rerun := fmt.Sprintf("go tool lab test 02 --run scenario # traffic of seed %d", scenarioSeed)
	log := make([]oracle.Message, len(written))
	for i, m := range written {
		log[i] = oracle.Message{Partition: m.Partition, Offset: m.Offset, Key: m.Key, Value: m.Value}
	}
	truth, err := oracle.Expect(log, oracle.Options{Stage: 3})
	suite.Harness(t, err)
	want := int(truth.Counts.Events - truth.Counts.Malformed)
	suite.Equal(t, want, len(seen), suite.Failure{Says: "the keyed operator saw another number of events than the topic has", Rerun: rerun})

	used := map[int]int{}
	last := map[string]sighting{}
	for _, s := range seen {
		used[s.subtask]++
		group := plainGroup(plainHash(s.key), scenarioGroups)
		owner := plainOwner(group, scenarioParallelism, scenarioGroups)
		suite.Equal(t, [2]int{group, owner}, [2]int{s.group, s.subtask}, suite.Failure{
			Says: "an event came out in another key group and subtask than the arithmetic names", Input: fmt.Sprintf("%+v", s.event), Rerun: rerun,
		})
		if before, ok := last[s.key]; ok && before.subtask != s.subtask {
			suite.Wrong(t, suite.Failure{
				Says:  "the events of one request met in two subtasks: neither knows of the other, and nobody bills the request",
				Input: s.key, Got: fmt.Sprintf("subtasks %d and %d", before.subtask, s.subtask), Rerun: rerun,
			})
		}
		last[s.key] = s
	}
	for subtask := range scenarioParallelism {
		if used[subtask] == 0 {
			suite.Wrong(t, suite.Failure{Says: fmt.Sprintf("subtask %d saw no event at all", subtask), Rerun: rerun})
		}
	}
	inLogOrder(t, written, seen, rerun)
}

// inLogOrder checks that each request's events were seen in the order in which they stand in the topic.
func inLogOrder(t *testing.T, written []stream.Message, seen []sighting, rerun string) {
	t.Helper()
	_, functions, err := pipeline.Ours(pipeline.FirstStage)
	suite.Harness(t, err)
	want := map[string][]gateway.Event{}
	for _, m := range written {
		if e, err := functions.Decode(m); err == nil {
			want[e.RequestID] = append(want[e.RequestID], e)
		}
	}
	for _, s := range seen {
		due := want[s.key]
		if len(due) == 0 || due[0] != s.event {
			suite.Wrong(t, suite.Failure{
				Says:  "a request's events came out of order, twice, or not at all",
				Input: s.key, Got: fmt.Sprintf("%+v", s.event), Want: fmt.Sprintf("%.1v", due), Rerun: rerun,
			})
		}
		want[s.key] = due[1:]
	}
}
