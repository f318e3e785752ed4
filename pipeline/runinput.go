package pipeline

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"

	"gatewaymeter/generator"
	"gatewaymeter/stream"
)

// input is a topic that the job reads.
type input struct {
	topic    string
	splits   []stream.Split
	messages []stream.Message // read back, up to where the job stopped
}

// source readies a topic that the job is to read, up to where it ends now: the given one, or one of this
// run that fill writes, unless an earlier start of a restored job has.
func (r *run) source(ctx context.Context, in *input, given, own string, fill func(ctx context.Context, topic string) error) error {
	in.topic = given
	if given == "" {
		in.topic = r.Prefix + own
	}
	if given == "" && !r.restores() {
		if err := r.newTopic(in.topic); err != nil {
			return err
		}
		if err := fill(ctx, in.topic); err != nil {
			return err
		}
	}
	ends, err := r.Broker.EndOffsets(in.topic)
	for p, end := range ends {
		in.splits = append(in.splits, stream.Split{Topic: in.topic, Partition: int32(p), Stop: end})
	}
	return err
}

// newTopic makes a topic, which must be empty if it is there: lines of two runs in one topic would be
// neither run's bill.
func (r *run) newTopic(topic string) error {
	if err := r.Broker.CreateTopic(topic, int32(r.Partitions)); err != nil {
		return err
	}
	ends, err := r.Broker.EndOffsets(topic)
	if err != nil {
		return err
	}
	for _, end := range ends {
		if end > 0 {
			return fmt.Errorf("topic %s holds messages of an earlier run: choose another output prefix", topic)
		}
	}
	return nil
}

// traffic writes the generated events.
func (r *run) traffic(ctx context.Context, topic string) error {
	total := int64(2 * r.Traffic.Requests)
	if len(r.Stopped) > 0 {
		return r.produce(ctx, topic, Stopped(r.Traffic, r.Partitions, r.Stopped), total)
	}
	g := generator.New(r.Traffic)
	if err := r.produce(ctx, topic, g.All(), total); err != nil {
		return err
	}
	counts := g.Counts()
	r.report.Truth = &counts
	return nil
}

// checkClaim refuses what the caller says of the traffic of a restored run, if its topics hold other messages.
func (r *run) checkClaim(ctx context.Context) error {
	if len(r.Claimed) == 0 || !r.restores() {
		return nil
	}
	if r.Input == "" {
		if err := r.holds(ctx, r.events, Stopped(r.Traffic, r.Partitions, r.Stopped)); err != nil {
			return err
		}
	}
	if r.CardsInput == "" && r.Cards > 0 {
		messages, _ := generator.NewTransactions(CardTraffic(r.Cards, r.Traffic.Seed))
		return r.holds(ctx, r.cards, slices.Values(messages))
	}
	return nil
}

// holds compares a topic, up to where the first start saw its end, with what it is said to hold. Without such
// an end it may hold more.
func (r *run) holds(ctx context.Context, in input, messages iter.Seq[generator.Message]) error {
	all, err := r.Broker.ReadAll(ctx, in.topic)
	if err != nil {
		return err
	}
	there := map[int32][]stream.Message{}
	for _, m := range upTo(all, in.splits) {
		there[m.Partition] = append(there[m.Partition], m)
	}
	other := fmt.Errorf("--restore goes on with what the first run wrote to topic %s, and %s would make other traffic: leave that out, or give what the first run was given",
		in.topic, strings.Join(r.Claimed, " "))
	for m := range messages {
		p := generator.PartitionOf(m.Key, r.Partitions)
		if len(there[p]) == 0 || !bytes.Equal(there[p][0].Key, m.Key) || !bytes.Equal(there[p][0].Value, m.Value) {
			return other
		}
		there[p] = there[p][1:]
	}
	for _, more := range there {
		if len(more) > 0 && !r.Follow {
			return other
		}
	}
	return nil
}

// cardTraffic writes the generated card transactions.
func (r *run) cardTraffic(ctx context.Context, topic string) error {
	messages, _ := generator.NewTransactions(CardTraffic(r.Cards, r.Traffic.Seed))
	return r.produce(ctx, topic, slices.Values(messages), int64(len(messages)))
}

// produce writes messages to a topic; total is about how many there are.
func (r *run) produce(ctx context.Context, topic string, messages iter.Seq[generator.Message], total int64) error {
	p, err := r.Broker.NewProducer()
	if err != nil {
		return err
	}
	defer p.Close()
	var written int64
	for m := range messages {
		if err := p.Send(topic, generator.PartitionOf(m.Key, r.Partitions), m.Key, m.Value); err != nil {
			return err
		}
		if written++; written%1024 == 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
			r.Progress(Progress{Phase: "traffic", Done: written, Total: total})
		}
	}
	return p.Flush(ctx)
}

// reading is how the job reads an input: to where it ends now, or on and on.
func (r *run) reading(in input) Input {
	splits := slices.Clone(in.splits)
	for i := range splits {
		if r.Follow {
			splits[i].Stop = stream.Unbounded
		}
	}
	return Input{Splits: splits, Every: 1000, Log: func(int) (stream.Log, error) { return r.Broker.OpenLog(in.topic) }}
}

// upTo leaves out what was written to the input after the run started.
func upTo(messages []stream.Message, splits []stream.Split) []stream.Message {
	stops := map[int32]int64{}
	for _, s := range splits {
		stops[s.Partition] = s.Stop
	}
	kept := messages[:0]
	for _, m := range messages {
		if m.Offset < stops[m.Partition] {
			kept = append(kept, m)
		}
	}
	return kept
}
