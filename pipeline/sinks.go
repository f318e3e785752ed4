package pipeline

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"gatewaymeter/gateway"
	"gatewaymeter/stream"
)

// Producer is what a sink needs of a Kafka producer; package broker's satisfies it. It may be used by
// several goroutines.
type Producer interface {
	Send(topic string, partition int32, key, value []byte) error
	Flush(ctx context.Context) error
}

// kafkaSink writes JSON lines to a topic, keyed, the partition a function of the key: all lines of a
// key are in the order in which its subtask wrote them.
type kafkaSink[T any] struct {
	producer   Producer
	topic      string
	partitions int
	keyOf      func(T) string
}

func (s *kafkaSink[T]) Open(*stream.Context) error { return nil }

func (s *kafkaSink[T]) Write(_ *stream.Context, v T) error {
	value, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("topic %s: %w", s.topic, err)
	}
	key := s.keyOf(v)
	return s.producer.Send(s.topic, PartitionOf(key, s.partitions), []byte(key), value)
}

func (s *kafkaSink[T]) Flush() stream.Work {
	return func() error { return s.producer.Flush(context.Background()) }
}

// KafkaSinks write every output to the topic of its name, behind a prefix.
func KafkaSinks(p Producer, prefix string, partitions int) Sinks {
	return Sinks{
		Totals:      toTopic(p, prefix+gateway.TopicTotals, partitions, func(t gateway.TenantTotal) string { return t.TenantID }),
		Invoice:     toTopic(p, prefix+gateway.TopicInvoice, partitions, func(w gateway.TenantWindow) string { return w.TenantID }),
		DeadLetters: toTopic(p, prefix+gateway.TopicDeadLetters, partitions, func(d gateway.DeadLetter) string { return fmt.Sprintf("%d/%d", d.Partition, d.Offset) }),
		Unpriced:    toTopic(p, prefix+gateway.TopicUnpriced, partitions, func(r gateway.RequestRecord) string { return r.RequestID }),
		Late:        toTopic(p, prefix+gateway.TopicLate, partitions, func(r gateway.RequestRecord) string { return r.RequestID }),
		Alerts:      toTopic(p, prefix+gateway.TopicAlerts, partitions, alertID),
	}
}

func toTopic[T any](p Producer, topic string, partitions int, keyOf func(T) string) func() stream.Sink[T] {
	return func() stream.Sink[T] {
		return &kafkaSink[T]{producer: p, topic: topic, partitions: partitions, keyOf: keyOf}
	}
}

// Output is what a job has written, for runs without a broker. It stands for the outside world: it
// survives a crash of the job. Its sinks may be used by several subtasks.
type Output struct {
	mu          sync.Mutex
	Totals      []gateway.TenantTotal
	Invoice     []gateway.TenantWindow
	DeadLetters []gateway.DeadLetter
	Unpriced    []gateway.RequestRecord
	Late        []gateway.RequestRecord
	Alerts      []gateway.Alert
}

// Sinks are sinks that append to the output.
func (o *Output) Sinks() Sinks {
	return Sinks{
		Totals:      appendTo(o, &o.Totals),
		Invoice:     appendTo(o, &o.Invoice),
		DeadLetters: appendTo(o, &o.DeadLetters),
		Unpriced:    appendTo(o, &o.Unpriced),
		Late:        appendTo(o, &o.Late),
		Alerts:      appendTo(o, &o.Alerts),
	}
}

// Copy is the output so far.
func (o *Output) Copy() *Output {
	o.mu.Lock()
	defer o.mu.Unlock()
	return &Output{
		Totals: slices.Clone(o.Totals), Invoice: slices.Clone(o.Invoice), DeadLetters: slices.Clone(o.DeadLetters),
		Unpriced: slices.Clone(o.Unpriced), Late: slices.Clone(o.Late), Alerts: slices.Clone(o.Alerts),
	}
}

type memorySink[T any] struct {
	out *Output
	to  *[]T
}

func appendTo[T any](o *Output, to *[]T) func() stream.Sink[T] {
	return func() stream.Sink[T] { return &memorySink[T]{o, to} }
}

func (s *memorySink[T]) Open(*stream.Context) error { return nil }

func (s *memorySink[T]) Write(_ *stream.Context, v T) error {
	s.out.mu.Lock()
	defer s.out.mu.Unlock()
	*s.to = append(*s.to, v)
	return nil
}

func (s *memorySink[T]) Flush() stream.Work { return nil }
