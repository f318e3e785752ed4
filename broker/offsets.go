package broker

import (
	"errors"
	"fmt"
	"time"

	"github.com/IBM/sarama"

	"gatewaymeter/stream"
)

// CommitOffsets writes down, under the name of a consumer group, where each partition is to be read on:
// the Next of each split. It is for whoever watches how far a job is behind, with Kafka's own tools: a job
// starts from its checkpoint, and nothing of ours reads this for a start. The group has no members.
//
// It is done when the broker has answered, within about Options.Patience.
func (b *Broker) CommitOffsets(group string, splits []stream.Split) error {
	req := &sarama.OffsetCommitRequest{
		Version: 2, ConsumerGroup: group, ConsumerGroupGeneration: sarama.GroupGenerationUndefined, RetentionTime: -1,
	}
	for _, s := range splits {
		req.AddBlock(s.Topic, s.Partition, s.Next, 0, "")
	}
	return b.withCoordinator(group, func(c *sarama.Broker) error {
		resp, err := c.CommitOffset(req)
		if err != nil {
			return err
		}
		for _, s := range splits {
			if code := resp.Errors[s.Topic][s.Partition]; code != sarama.ErrNoError {
				return fmt.Errorf("committing the offset of %s/%d: %w", s.Topic, s.Partition, code)
			}
		}
		return nil
	})
}

// CommittedOffsets is what a group has committed for a topic, by partition: where to read on, or -1.
func (b *Broker) CommittedOffsets(group, topic string) ([]int64, error) {
	n, err := b.TopicPartitions(topic)
	if err != nil {
		return nil, err
	}
	req := &sarama.OffsetFetchRequest{Version: 1, ConsumerGroup: group}
	for p := range n {
		req.AddPartition(topic, p)
	}
	next := make([]int64, n)
	return next, b.withCoordinator(group, func(c *sarama.Broker) error {
		resp, err := c.FetchOffset(req)
		if err != nil {
			return err
		}
		for p := range next {
			next[p] = -1
			block := resp.GetBlock(topic, int32(p))
			if block == nil {
				continue // a group that has never committed anything, to some brokers
			}
			if block.Err != sarama.ErrNoError {
				return fmt.Errorf("reading the offset of %s/%d: %w", topic, p, block.Err)
			}
			next[p] = block.Offset
		}
		return nil
	})
}

// withCoordinator calls f with the broker that keeps a group. While there is none yet, or it still reads
// what it is to keep, it is asked again until patience ends; a connection that breaks is made anew once.
func (b *Broker) withCoordinator(group string, f func(*sarama.Broker) error) error {
	deadline, broken := time.Now().Add(b.opts.Patience), 0
	for {
		coordinator, err := b.client.Coordinator(group)
		if err == nil {
			err = f(coordinator)
		}
		if err == nil {
			return nil
		}
		if !isKafkaError(err) {
			broken++
			if coordinator != nil {
				_ = coordinator.Close() // broken already
			}
		}
		starting := errors.Is(err, sarama.ErrConsumerCoordinatorNotAvailable) || errors.Is(err, sarama.ErrNotCoordinatorForConsumer) ||
			errors.Is(err, sarama.ErrOffsetsLoadInProgress)
		if !starting && broken != 1 || time.Now().After(deadline) {
			return fmt.Errorf("consumer group %q on broker %s: %w", group, b.addr, err)
		}
		time.Sleep(b.opts.Patience / 500)
		_ = b.client.RefreshCoordinator(group) // Coordinator says what is wrong
	}
}
