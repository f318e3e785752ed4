package broker

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/IBM/sarama"
)

// ReadAll reads a topic from its beginning to where it ended when the call began: partition by
// partition, in offset order. It is how a test, or a command that prints an invoice, looks at what a
// job wrote, as any other consumer would.
func (b *Broker) ReadAll(ctx context.Context, topic string) ([]Message, error) {
	ends, err := b.EndOffsets(topic)
	if err != nil {
		return nil, err
	}
	got := make([][]Message, len(ends))
	errs := make([]error, len(ends))
	var readers sync.WaitGroup
	for p := range ends {
		readers.Go(func() { got[p], errs[p] = b.readPartition(ctx, topic, int32(p), ends[p]) })
	}
	readers.Wait()
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	var all []Message
	for _, messages := range got {
		all = append(all, messages...)
	}
	return all, nil
}

// readPartition reads the offsets of a partition that are below end and still there.
func (b *Broker) readPartition(ctx context.Context, topic string, partition int32, end int64) ([]Message, error) {
	var start int64
	err := b.patiently(topic, func() (err error) {
		start, err = b.client.GetOffset(topic, partition, sarama.OffsetOldest)
		return err
	})
	if err != nil {
		return nil, &ReadError{Addr: b.addr, Topic: topic, Partition: partition, Offset: sarama.OffsetOldest, Err: err}
	}
	f := newFetcher(b.client, b.opts.Patience, topic, partition, start)
	defer f.disconnect()
	var got []Message
	for f.next < end {
		if ctx.Err() != nil {
			return nil, fmt.Errorf("read all of %s/%d: %w", topic, partition, ctx.Err())
		}
		messages, err := f.fetch(ctx.Done())
		if err != nil {
			return nil, &ReadError{Addr: b.addr, Topic: topic, Partition: partition, Offset: f.next, Err: err}
		}
		got = append(got, messages...)
	}
	for len(got) > 0 && got[len(got)-1].Offset >= end {
		got = got[:len(got)-1] // written after the call began
	}
	return got, nil
}
