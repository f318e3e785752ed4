package pipeline

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"gatewaymeter/broker"
	"gatewaymeter/gateway"
	"gatewaymeter/stream"
)

// ReadOutput reads a job's output topics back with a plain consumer.
func ReadOutput(ctx context.Context, b *broker.Broker, prefix string) (*Output, error) {
	o := &Output{}
	reads := []func() error{
		func() error { return readTopic(ctx, b, prefix+gateway.TopicTotals, &o.Totals) },
		func() error { return readTopic(ctx, b, prefix+gateway.TopicInvoice, &o.Invoice) },
		func() error { return readTopic(ctx, b, prefix+gateway.TopicDeadLetters, &o.DeadLetters) },
		func() error { return readTopic(ctx, b, prefix+gateway.TopicUnpriced, &o.Unpriced) },
		func() error { return readTopic(ctx, b, prefix+gateway.TopicLate, &o.Late) },
		func() error { return readTopic(ctx, b, prefix+gateway.TopicAlerts, &o.Alerts) },
	}
	errs := make([]error, len(reads))
	var all sync.WaitGroup
	for i, read := range reads { // at once: most of the time is waiting for the broker
		all.Go(func() { errs[i] = read() })
	}
	all.Wait()
	return o, errors.Join(errs...)
}

// readTopic reads a topic of JSON lines to its present end.
func readTopic[T any](ctx context.Context, b *broker.Broker, topic string, to *[]T) error {
	messages, err := b.ReadAll(ctx, topic)
	if err != nil {
		return err
	}
	return decodeAll(messages, to)
}

func decodeAll[T any](messages []stream.Message, to *[]T) error {
	for _, m := range messages {
		var v T
		if err := json.Unmarshal(m.Value, &v); err != nil {
			return fmt.Errorf("topic %s, partition %d, offset %d: this is no line of ours: %w", m.Topic, m.Partition, m.Offset, err)
		}
		*to = append(*to, v)
	}
	return nil
}
