package lab05_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"gatewaymeter/broker"
	"gatewaymeter/engine"
	"gatewaymeter/gateway"
	"gatewaymeter/generator"
	"gatewaymeter/internal/kit/suite"
	watermarks "gatewaymeter/labs/05-watermarks/starter"
	"gatewaymeter/oracle"
	"gatewaymeter/pipeline"
	"gatewaymeter/stream"
)

const (
	scenarioSeed     = 5
	scenarioRequests = 1500
	busyPartitions   = 2 // the third has no message
)

// TestScenario: Minutes close on a topic with a quiet partition
//
// The job of stage 05 runs on the broker that BROKER names, with your watermarks and your valve, on a
// topic that does not end. One of its three partitions has never had a message. Every minute that the
// busy ones have passed must be billed, exactly, while the job goes on waiting for more.
func TestScenario(t *testing.T) {
	suite.Exercise(t, "scenario", func(t *testing.T) {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		b, err := broker.Open(ctx, suite.Broker(), broker.Options{})
		suite.Harness(t, err)
		defer b.Close()
		prefix := fmt.Sprintf("lab05-%d.", time.Now().UnixNano())
		input := quietTopic(ctx, t, b, prefix+gateway.TopicEvents)
		expected := closedMinutes(t, prefix+gateway.TopicEvents, input)
		unread := unreadOf(t, input)
		job := startJob(ctx, t, b, prefix, unread)
		got := awaitMinutes(ctx, t, b, prefix, job, unread, len(expected))
		job.Cancel(errStopped)
		if _, err := job.Wait(); !errors.Is(err, errStopped) {
			suite.NoError(t, err, "the job goes on until it is stopped")
		}
		for _, w := range got {
			id := minuteOf(w)
			want, ok := expected[id]
			if !ok {
				continue // the end of the stream: the last minutes go when all partitions fall silent
			}
			if (want != billOf{w.Requests, int64(w.Sum)}) {
				suite.Wrong(t, suite.Failure{
					Says: "a minute was billed before all of its records were there", Input: fmt.Sprintf("seed %d, %s", scenarioSeed, id),
					Got: fmt.Sprintf("%d requests, %v", w.Requests, w.Sum), Want: fmt.Sprintf("%d requests, %v", want.requests, gateway.NanoUSD(want.nano)),
				})
			}
		}
	})
}

// errStopped ends the job when everything has been seen.
var errStopped = errors.New("seen enough")

type billOf struct{ requests, nano int64 }

func minuteOf(w gateway.TenantWindow) string {
	return fmt.Sprintf("%s in the minute from %d", w.TenantID, w.Start)
}

// quietTopic writes traffic to the first partitions of a topic, none to the last.
func quietTopic(ctx context.Context, t *testing.T, b *broker.Broker, topic string) []stream.Message {
	t.Helper()
	suite.Harness(t, b.CreateTopic(topic, busyPartitions+1))
	p, err := b.NewProducer()
	suite.Harness(t, err)
	defer p.Close()
	for m := range generator.New(generator.Default(scenarioRequests, scenarioSeed)).All() {
		suite.Harness(t, p.Send(topic, generator.PartitionOf(m.Key, busyPartitions), m.Key, m.Value))
	}
	suite.Harness(t, p.Flush(ctx))
	input, err := b.ReadAll(ctx, topic)
	suite.Harness(t, err)
	return input
}

// closedMinutes is the oracle's bill for the minutes that the watermark must have passed when all has
// been read: those that end before the slower of the busy partitions, less the bound.
func closedMinutes(t *testing.T, topic string, input []stream.Message) map[string]billOf {
	t.Helper()
	invoice, err := pipeline.Expect(5, topic, input)
	suite.Harness(t, err)
	_, functions, err := pipeline.Ours(5)
	suite.Harness(t, err)
	highest := map[int32]int64{}
	for _, m := range input {
		if e, err := functions.Decode(m); err == nil {
			highest[m.Partition] = max(highest[m.Partition], e.TS)
		}
	}
	mark := min(highest[0], highest[1]) - pipeline.Bound.Milliseconds() - 1
	closed := map[string]billOf{}
	for _, w := range invoice.Windows {
		if w.End-1 <= mark {
			closed[windowID(w)] = billOf{w.Requests, w.Sum}
		}
	}
	if len(closed) == 0 {
		suite.Harness(t, fmt.Errorf("no minute of the traffic closes before %d", mark))
	}
	return closed
}

func windowID(w oracle.Window) string {
	return minuteOf(gateway.TenantWindow{TenantID: w.TenantID, Start: w.Start})
}

// unread is what the job has not read yet of the busy partitions: how many events, and when the first of
// each partition is.
type unread struct {
	left  atomic.Int64
	first [busyPartitions]stream.Time
}

func unreadOf(t *testing.T, input []stream.Message) *unread {
	t.Helper()
	_, functions, err := pipeline.Ours(5)
	suite.Harness(t, err)
	u := &unread{}
	for _, m := range slices.Backward(input) {
		if e, err := functions.Decode(m); err == nil {
			u.left.Add(1)
			u.first[m.Partition] = stream.Time(e.TS)
		}
	}
	return u
}

// attentive is the student's watermarks on a machine that may be slow: as long as not all has been read, a
// busy partition is not quiet, whoever is late with its next event. Its last one is told again.
type attentive struct {
	stream.SplitWatermarks
	unread *unread
	last   map[int]stream.Time // of the busy partitions that this subtask reads
}

func (a attentive) Add(split int) {
	a.SplitWatermarks.Add(split)
	if split < busyPartitions {
		a.last[split] = a.unread.first[split]
	}
}

func (a attentive) Event(split int, at stream.Time) {
	a.SplitWatermarks.Event(split, at)
	a.last[split] = at
	a.unread.left.Add(-1)
}

func (a attentive) Emit(now stream.Time) stream.Signal {
	if a.unread.left.Load() > 0 {
		for split, at := range a.last {
			a.SplitWatermarks.Event(split, at)
		}
	}
	return a.SplitWatermarks.Emit(now)
}

// startJob runs the job with the student's watermarks, on splits without an end.
func startJob(ctx context.Context, t *testing.T, b *broker.Broker, prefix string, unread *unread) *engine.Execution {
	t.Helper()
	parts, functions, err := pipeline.Ours(5)
	suite.Harness(t, err)
	parts.Watermarks = func() stream.SplitWatermarks {
		return attentive{watermarks.NewSplits(pipeline.Bound, watermarks.WithIdleness(time.Second)), unread, map[int]stream.Time{}}
	}
	parts.Valve = watermarks.NewValve
	topic := prefix + gateway.TopicEvents
	var splits []stream.Split
	for partition := range int32(busyPartitions + 1) {
		splits = append(splits, stream.Split{Topic: topic, Partition: partition, Stop: stream.Unbounded})
	}
	for _, out := range []string{gateway.TopicInvoice, gateway.TopicDeadLetters, gateway.TopicUnpriced, gateway.TopicLate} {
		suite.Harness(t, b.CreateTopic(prefix+out, 1))
	}
	p, err := b.NewProducer()
	suite.Harness(t, err)
	t.Cleanup(func() { p.Close() })
	j, err := pipeline.Build(pipeline.Config{
		Stage: 5, Parallelism: 2, Parts: parts, Functions: functions, Sinks: pipeline.KafkaSinks(p, prefix, 1),
		Events: pipeline.Input{Splits: splits, Every: 100, Log: func(int) (stream.Log, error) { return b.OpenLog(topic) }},
	})
	suite.Harness(t, err)
	e, err := j.Start(ctx, engine.Options{})
	suite.NoError(t, err, "the job starts")
	return e
}

// awaitMinutes reads the invoice until so many closed minutes stand in it, or the job ends, or all is read
// and nothing has come for ten seconds.
func awaitMinutes(ctx context.Context, t *testing.T, b *broker.Broker, prefix string, job *engine.Execution, unread *unread, closed int) []gateway.TenantWindow {
	t.Helper()
	patience := time.NewTimer(10 * time.Second)
	defer patience.Stop()
	look := time.NewTicker(50 * time.Millisecond)
	defer look.Stop()
	var invoice []gateway.TenantWindow
	for {
		select {
		case <-job.Done():
			_, err := job.Wait()
			suite.NoError(t, err, "the job goes on until it is stopped")
			suite.Harness(t, fmt.Errorf("a job without an end has ended"))
		case <-patience.C:
			suite.Wrong(t, suite.Failure{
				Says:  "minutes stay open: the partition without messages holds time back",
				Input: fmt.Sprintf("seed %d, partitions 0 and 1 read to their end, partition 2 empty", scenarioSeed),
				Got:   fmt.Sprintf("%d bills", len(invoice)), Want: fmt.Sprintf("at least %d", closed),
			})
		case <-look.C:
		}
		before := len(invoice)
		if invoice = readInvoice(ctx, t, b, prefix); len(invoice) >= closed {
			return invoice
		}
		if unread.left.Load() > 0 || len(invoice) > before {
			patience.Reset(10 * time.Second)
		}
	}
}

func readInvoice(ctx context.Context, t *testing.T, b *broker.Broker, prefix string) []gateway.TenantWindow {
	t.Helper()
	messages, err := b.ReadAll(ctx, prefix+gateway.TopicInvoice)
	suite.Harness(t, err)
	invoice := make([]gateway.TenantWindow, len(messages))
	for i, m := range messages {
		suite.Harness(t, json.Unmarshal(m.Value, &invoice[i]))
	}
	return invoice
}
