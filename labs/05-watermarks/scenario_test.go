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

	// idleAfter is short, since somebody waits for it: attentive keeps the busy partitions awake.
	idleAfter = 200 * time.Millisecond
)

// TestScenario: Minutes close on a topic with a quiet partition
//
// The job of stage 05 runs on the broker that BROKER names, with your watermarks and your valve, on a
// topic that does not end. One of its three partitions has never had a message. Every minute that the
// busy ones have passed must be billed, exactly, while the job goes on waiting for more; and no other,
// since an event that lags by the whole bound is still to come.
func TestScenario(t *testing.T) {
	suite.Exercise(t, "scenario", func(t *testing.T) {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		b, err := broker.Open(ctx, suite.Broker(), broker.Options{})
		suite.Harness(t, err)
		defer b.Close()
		r := &rehearsal{t: t, b: b, prefix: fmt.Sprintf("lab05-%d.", time.Now().UnixNano())}
		first, second, end := batches()
		suite.Harness(t, b.CreateTopic(r.topic(), busyPartitions+1))
		input := r.write(ctx, first)
		expected := closedMinutes(t, r.topic(), input)
		r.unread = unreadOf(t, input, len(second))
		job := r.start(ctx)
		early := r.await(ctx, job, expected, int64(len(second)))
		exactly(t, early, expected)
		tooEarly(t, early, expected, end)

		expected = closedMinutes(t, r.topic(), r.write(ctx, second))
		got := r.await(ctx, job, expected, 0)
		job.Cancel(errStopped)
		if _, err := job.Wait(); !errors.Is(err, errStopped) {
			suite.NoError(t, err, "the job goes on until it is stopped")
		}
		exactly(t, got, expected)
		r.noneLate(ctx)
	})
}

// exactly holds the bills of the closed minutes against the oracle's. Others are those of the end of the
// stream: they go when all partitions fall silent.
func exactly(t *testing.T, got []gateway.TenantWindow, expected map[string]billOf) {
	t.Helper()
	for _, w := range got {
		id := minuteOf(w)
		if want, ok := expected[id]; ok && (want != billOf{w.Requests, int64(w.Sum)}) {
			suite.Wrong(t, suite.Failure{
				Says: "a minute was billed before all of its records were there", Input: fmt.Sprintf("seed %d, %s", scenarioSeed, id),
				Got: fmt.Sprintf("%d requests, %v", w.Requests, w.Sum), Want: fmt.Sprintf("%d requests, %v", want.requests, gateway.NanoUSD(want.nano)),
			})
		}
	}
}

// tooEarly looks for bills of minutes that the watermark cannot have passed yet.
func tooEarly(t *testing.T, got []gateway.TenantWindow, expected map[string]billOf, end int64) {
	t.Helper()
	for _, w := range got {
		if _, ok := expected[minuteOf(w)]; !ok {
			suite.Wrong(t, suite.Failure{
				Says:  "a minute was billed too early: time has come as far as the slower of the busy partitions, less the bound and a millisecond",
				Input: fmt.Sprintf("seed %d, a bound of %v; partition 1 has come to %d, partition 0 is minutes ahead", scenarioSeed, pipeline.Bound, end-1+pipeline.Bound.Milliseconds()),
				Got:   "a bill of " + minuteOf(w), Want: fmt.Sprintf("only minutes that end before %d", end),
			})
		}
	}
}

// errStopped ends the job when everything has been seen.
var errStopped = errors.New("seen enough")

type billOf struct{ requests, nano int64 }

func minuteOf(w gateway.TenantWindow) string {
	return fmt.Sprintf("%s in the minute from %d", w.TenantID, w.Start)
}

// message is what a batch writes to a partition.
type message struct {
	partition int32
	generator.Message
}

// batches is the traffic in two parts. The first ends with events around the end of a minute: partition 1
// stops at the last instant at which that minute must still stay open, partition 0 is far ahead. The
// second is written when all minutes before have been seen. It begins with the end of a request in that
// minute, which lags by just the bound, and ends with one that closes the minute.
func batches() (first, second []message, end int64) {
	last := int64(0)
	for m := range generator.New(generator.Default(scenarioRequests, scenarioSeed)).All() {
		last = max(last, m.TS)
		m.Key, m.Value = slices.Clone(m.Key), slices.Clone(m.Value)
		first = append(first, message{generator.PartitionOf(m.Key, busyPartitions), m})
	}
	const minute = 60_000
	end = (last/minute + 2) * minute
	event := func(partition int32, kind gateway.EventType, id string, ts int64) message {
		e := gateway.Event{Type: kind, RequestID: id, TenantID: "tenant-0001", Model: "model-a", TS: ts}
		if kind == gateway.RequestStarted {
			e.PromptTokens = 100
		} else {
			e.CompletionTokens, e.Status = 10, "ok"
		}
		return message{partition, generator.NewMessage(e)}
	}
	bound := pipeline.Bound.Milliseconds()
	first = append(first,
		event(0, gateway.RequestStarted, "ahead-1", end-10_000),
		event(0, gateway.RequestCompleted, "ahead-1", end-9_000),
		event(0, gateway.RequestStarted, "ahead-2", end+4*minute),
		event(0, gateway.RequestCompleted, "ahead-2", end+5*minute),
		event(1, gateway.RequestStarted, "slow-1", end-10_000),
		event(1, gateway.RequestStarted, "slow-2", end-10_000),
		event(1, gateway.RequestCompleted, "slow-1", end-9_000),
		event(1, gateway.RequestStarted, "slow-3", end),
		event(1, gateway.RequestCompleted, "slow-3", end-1+bound))
	second = append(second,
		event(1, gateway.RequestCompleted, "slow-2", end-1),
		event(1, gateway.RequestStarted, "slow-4", end+6*minute),
		event(1, gateway.RequestCompleted, "slow-4", end+7*minute))
	return first, second, end
}

// rehearsal is the scenario's job and its topics.
type rehearsal struct {
	t      *testing.T
	b      *broker.Broker
	prefix string
	unread *unread
}

func (r *rehearsal) topic() string { return r.prefix + gateway.TopicEvents }

// write sends a batch and returns all that the topic holds then.
func (r *rehearsal) write(ctx context.Context, batch []message) []stream.Message {
	r.t.Helper()
	p, err := r.b.NewProducer()
	suite.Harness(r.t, err)
	defer p.Close()
	for _, m := range batch {
		suite.Harness(r.t, p.Send(r.topic(), m.partition, m.Key, m.Value))
	}
	suite.Harness(r.t, p.Flush(ctx))
	input, err := r.b.ReadAll(ctx, r.topic())
	suite.Harness(r.t, err)
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
// each partition is. From the first batch it knows how far each must come.
type unread struct {
	left   atomic.Int64
	first  [busyPartitions]stream.Time
	mark   [busyPartitions]stream.Time // the watermark of the partition after the first batch
	passed atomic.Int64                // busy partitions whose subtask has given that watermark out
}

// unreadOf counts the events of the first batch, and so many that follow.
func unreadOf(t *testing.T, input []stream.Message, follow int) *unread {
	t.Helper()
	_, functions, err := pipeline.Ours(5)
	suite.Harness(t, err)
	u := &unread{}
	u.left.Store(int64(follow))
	for _, m := range slices.Backward(input) {
		if e, err := functions.Decode(m); err == nil {
			u.left.Add(1)
			u.first[m.Partition] = stream.Time(e.TS)
			u.mark[m.Partition] = max(u.mark[m.Partition], stream.Time(e.TS-pipeline.Bound.Milliseconds()-1))
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
	passed bool
}

func (a *attentive) Add(split int) {
	a.SplitWatermarks.Add(split)
	if split < busyPartitions {
		a.last[split] = a.unread.first[split]
	}
}

func (a *attentive) Event(split int, at stream.Time) {
	a.SplitWatermarks.Event(split, at)
	a.last[split] = at
	a.unread.left.Add(-1)
}

func (a *attentive) Emit(now stream.Time) stream.Signal {
	least := stream.MaxTime
	for split, at := range a.last {
		least = min(least, a.unread.mark[split])
		if a.unread.left.Load() > 0 {
			a.SplitWatermarks.Event(split, at)
		}
	}
	s := a.SplitWatermarks.Emit(now)
	if !a.passed && s.Watermark >= least {
		a.passed = true
		a.unread.passed.Add(int64(len(a.last)))
	}
	return s
}

// start runs the job with the student's watermarks, on splits without an end.
func (r *rehearsal) start(ctx context.Context) *engine.Execution {
	t := r.t
	t.Helper()
	parts, functions, err := pipeline.Ours(5)
	suite.Harness(t, err)
	parts.Watermarks = func() stream.SplitWatermarks {
		return &attentive{SplitWatermarks: watermarks.NewSplits(pipeline.Bound, watermarks.WithIdleness(idleAfter)), unread: r.unread, last: map[int]stream.Time{}}
	}
	parts.Valve = watermarks.NewValve
	var splits []stream.Split
	for partition := range int32(busyPartitions + 1) {
		splits = append(splits, stream.Split{Topic: r.topic(), Partition: partition, Stop: stream.Unbounded})
	}
	for _, out := range []string{gateway.TopicInvoice, gateway.TopicDeadLetters, gateway.TopicUnpriced, gateway.TopicLate} {
		suite.Harness(t, r.b.CreateTopic(r.prefix+out, 1))
	}
	p, err := r.b.NewProducer()
	suite.Harness(t, err)
	t.Cleanup(func() { p.Close() })
	j, err := pipeline.Build(pipeline.Config{
		Stage: 5, Parallelism: 2, Parts: parts, Functions: functions, Sinks: pipeline.KafkaSinks(p, r.prefix, 1),
		Events: pipeline.Input{Splits: splits, Every: 100, Log: func(int) (stream.Log, error) { return r.b.OpenLog(r.topic()) }},
	})
	suite.Harness(t, err)
	e, err := j.Start(ctx, engine.Options{})
	suite.NoError(t, err, "the job starts")
	return e
}

// await reads the invoice until each of the closed minutes stands in it and the sources have said how far
// they are, or the job ends, or all but so many events are read and nothing has come for ten seconds.
func (r *rehearsal) await(ctx context.Context, job *engine.Execution, closed map[string]billOf, but int64) []gateway.TenantWindow {
	t := r.t
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
				Got:   fmt.Sprintf("%d bills", len(invoice)), Want: fmt.Sprintf("%d of closed minutes", len(closed)),
			})
		case <-look.C:
		}
		r.noneLate(ctx) // what is lost there would be waited for in vain
		before, all := len(invoice), r.unread.passed.Load() == busyPartitions
		invoice = readTopic[gateway.TenantWindow](ctx, r, gateway.TopicInvoice)
		if all && missing(closed, invoice) == 0 {
			return invoice
		}
		if r.unread.left.Load() > but || len(invoice) > before {
			patience.Reset(10 * time.Second)
		}
	}
}

// missing counts the closed minutes without a bill.
func missing(closed map[string]billOf, invoice []gateway.TenantWindow) int {
	there := map[string]bool{}
	for _, w := range invoice {
		there[minuteOf(w)] = true
	}
	n := 0
	for id := range closed {
		if !there[id] {
			n++
		}
	}
	return n
}

// noneLate fails if a record was late: all events come within the bound.
func (r *rehearsal) noneLate(ctx context.Context) {
	r.t.Helper()
	for _, late := range readTopic[gateway.RequestRecord](ctx, r, gateway.TopicLate) {
		suite.Wrong(r.t, suite.Failure{
			Says:  "a record went to the late topic, and no event lags by more than the bound: time was ahead of what was still to come",
			Input: fmt.Sprintf("seed %d, a bound of %v", scenarioSeed, pipeline.Bound), Got: fmt.Sprintf("%+v", late), Want: "nothing late",
		})
	}
}

func readTopic[T any](ctx context.Context, r *rehearsal, topic string) []T {
	r.t.Helper()
	messages, err := r.b.ReadAll(ctx, r.prefix+topic)
	suite.Harness(r.t, err)
	all := make([]T, len(messages))
	for i, m := range messages {
		suite.Harness(r.t, json.Unmarshal(m.Value, &all[i]))
	}
	return all
}
