package broker

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/IBM/sarama"
)

// fetcher reads one partition, a fetch request at a time, over a connection of its own.
//
// The client library has a consumer for this, and it is not used: it lets partitions share a
// connection, so that an idle one keeps a busy one waiting, it takes a third of a second to start and
// as long to stop, it is silent about offsets that hold no message, and it retries a dead broker for
// ever. What is left without it is one request and one decision about its error.
type fetcher struct {
	client    sarama.Client // knows who leads the partition; shared
	topic     string
	partition int32
	patience  time.Duration

	conn *sarama.Broker // nil while not connected
	next int64          // the offset to fetch from
	good time.Time      // when the broker last answered
}

func newFetcher(client sarama.Client, patience time.Duration, topic string, partition int32, from int64) *fetcher {
	return &fetcher{client: client, patience: patience, topic: topic, partition: partition, next: from, good: time.Now()}
}

// fetch is the next messages of the partition, and moves on behind them. It waits a moment for some
// (fetchWait), and having none then is no error. A broker that is gone is retried until it has not
// answered for as long as patience, or stop is closed.
func (f *fetcher) fetch(stop <-chan struct{}) ([]Message, error) {
	if f.next < 0 {
		return nil, fmt.Errorf("%w: offsets begin at 0", sarama.ErrOffsetOutOfRange)
	}
	for {
		block, err := f.request()
		if err == nil {
			f.good = time.Now()
			return f.decode(block)
		}
		f.disconnect()
		if isFinal(err) {
			return nil, err
		}
		if silent := time.Since(f.good); silent >= f.patience {
			return nil, fmt.Errorf("no answer for %s: %w", silent.Round(time.Second/10), err)
		}
		select {
		case <-stop:
			return nil, errStopped
		case <-time.After(f.client.Config().Metadata.Retry.Backoff):
		}
		// Another broker may lead the partition now. Only a topic that is gone ends it here: what
		// else goes wrong with the question is the trouble we are in already.
		if err := f.client.RefreshMetadata(f.topic); isFinal(err) {
			return nil, err
		}
	}
}

var errStopped = errors.New("reading was stopped")

// isFinal says whether trying again is in vain.
func isFinal(err error) bool {
	for _, final := range []error{
		sarama.ErrOffsetOutOfRange, sarama.ErrTopicAuthorizationFailed, sarama.ErrMessageSizeTooLarge,
		sarama.ErrUnknownTopicOrPartition, sarama.ErrInvalidTopic, sarama.ErrClosedClient,
	} {
		if errors.Is(err, final) {
			return true
		}
	}
	return false
}

// request is one fetch.
func (f *fetcher) request() (*sarama.FetchResponseBlock, error) {
	if err := f.connect(); err != nil {
		return nil, err
	}
	req := &sarama.FetchRequest{
		Version: 11, MinBytes: 1, MaxBytes: fetchBytes,
		MaxWaitTime: int32(fetchWait(f.patience).Milliseconds()),
		Isolation:   f.client.Config().Consumer.IsolationLevel,
		// No session, in which a request would name only what has changed since the last.
		SessionEpoch: -1,
	}
	const anyEpoch = -1
	req.AddBlock(f.topic, f.partition, f.next, fetchBytes, anyEpoch)
	resp, err := f.conn.Fetch(req)
	if err != nil {
		return nil, err
	}
	block := resp.GetBlock(f.topic, f.partition)
	switch {
	case block == nil:
		return nil, sarama.ErrIncompleteResponse
	case block.Err != sarama.ErrNoError:
		return nil, block.Err
	}
	return block, nil
}

// connect opens a connection to the partition's leader.
func (f *fetcher) connect() error {
	if f.conn != nil {
		return nil
	}
	leader, err := f.client.Leader(f.topic, f.partition)
	if err != nil {
		return err
	}
	conn := sarama.NewBroker(leader.Addr())
	if err := conn.Open(f.client.Config()); err != nil {
		return err
	}
	f.conn = conn
	return nil
}

func (f *fetcher) disconnect() {
	if f.conn != nil {
		// It may not be connected, or be broken. There is nothing to be done about either.
		_ = f.conn.Close()
		f.conn = nil
	}
}

// decode is the messages of an answer. Two kinds of batches are passed over: markers that end
// transactions and, for a reader of committed messages, what aborted transactions wrote. The answer
// lists those: each is open from its first offset to its producer's next marker.
func (f *fetcher) decode(block *sarama.FetchResponseBlock) ([]Message, error) {
	begins := slices.SortedFunc(slices.Values(block.AbortedTransactions), func(a, b *sarama.AbortedTransaction) int {
		return cmp.Compare(a.FirstOffset, b.FirstOffset)
	})
	aborting := map[int64]bool{} // by producer
	var messages []Message
	for _, records := range block.RecordsSet {
		batch := records.RecordBatch
		if batch == nil {
			return nil, errors.New("the log holds messages in a format from before Kafka 0.11")
		}
		for len(begins) > 0 && begins[0].FirstOffset <= batch.LastOffset() {
			aborting[begins[0].ProducerID] = true
			begins = begins[1:]
		}
		hidden := batch.IsTransactional && aborting[batch.ProducerID]
		switch {
		case batch.Control:
			delete(aborting, batch.ProducerID)
		case !hidden:
			messages = f.appendBatch(messages, batch)
		}
		f.next = max(f.next, batch.LastOffset()+1)
	}
	return messages, nil
}

// appendBatch adds a batch's messages from next on: a fetch answers whole batches, also when it asked
// for the middle of one.
func (f *fetcher) appendBatch(messages []Message, batch *sarama.RecordBatch) []Message {
	messages = slices.Grow(messages, len(batch.Records))
	for _, r := range batch.Records {
		if offset := batch.FirstOffset + r.OffsetDelta; offset >= f.next {
			messages = append(messages, Message{
				Topic: f.topic, Partition: f.partition, Offset: offset, Key: r.Key, Value: r.Value,
			})
		}
	}
	return messages
}
