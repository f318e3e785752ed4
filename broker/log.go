package broker

import (
	"fmt"
	"sync"
	"time"

	"github.com/IBM/sarama"

	"gatewaymeter/stream"
)

// Message is one message of a partition, as the engine sees it.
type Message = stream.Message

var (
	_ stream.Log        = (*Log)(nil)
	_ stream.Positioned = (*Log)(nil)
)

// Log reads the partitions of one topic, each from the offset that the caller asks for, without ever
// waiting: in the background it fetches ahead, a bounded amount of each partition.
//
// One goroutine uses a Log at a time; Close may come from another.
type Log struct {
	addr     string
	topic    string
	patience time.Duration
	client   sarama.Client
	ready    chan struct{}
	stop     chan struct{} // closed by Close

	mu      sync.Mutex
	readers map[int32]*reader // by partition
	retired []*reader         // that another has replaced, and that may not have ended yet

	closeOnce sync.Once
	closeErr  error
}

// OpenLog opens a topic for reading. A topic that is not there is ErrNoTopic. Close it.
func (b *Broker) OpenLog(topic string) (*Log, error) {
	if _, err := b.TopicPartitions(topic); err != nil {
		return nil, err
	}
	client, err := sarama.NewClient([]string{b.addr}, b.opts.config())
	if err != nil {
		return nil, unreachable(b.addr, fmt.Sprintf("read topic %q", topic), err, adviceOther)
	}
	return &Log{
		addr: b.addr, topic: topic, patience: b.opts.Patience,
		client:  client,
		ready:   make(chan struct{}, 1),
		stop:    make(chan struct{}),
		readers: map[int32]*reader{},
	}, nil
}

// Fetch is up to max messages of a partition, from the given offset on, in offset order. It never
// waits: nothing there yet is no messages and no error. The slice is valid until the next Fetch of
// that partition; keys and values stay valid.
//
// The first Fetch of a partition starts to read it. A Fetch from elsewhere than where the last one
// ended starts anew from there, as after a restore. Offsets may have gaps, where a transaction was ended or aborted: go on
// from the last offset + 1.
//
// A partition that cannot be read is a *ReadError, and stays one: an offset that is not in the log, a
// topic that is gone, or a broker that has not answered for Options.Patience. What was fetched before
// that comes first.
func (l *Log) Fetch(partition int32, from int64, max int) ([]Message, error) {
	if max < 1 {
		return nil, fmt.Errorf("fetch from %s/%d: at most %d messages were asked for, and 1 is the least", l.topic, partition, max)
	}
	r, err := l.reader(partition, from)
	if err != nil {
		return nil, err
	}
	return r.take(max)
}

// reader is the one that reads a partition from the given offset, made if need be.
func (l *Log) reader(partition int32, from int64) (*reader, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	select {
	case <-l.stop:
		return nil, fmt.Errorf("fetch from %s/%d: the log is closed", l.topic, partition)
	default:
	}
	old := l.readers[partition]
	if old != nil && old.next == from {
		return old, nil
	}
	if old != nil {
		old.cancel()
		l.retired = append(l.retired, old)
	}
	r := newReader(l, partition, from)
	l.readers[partition] = r
	return r, nil
}

// Position implements stream.Positioned: where no message stands any more before some offset, such as
// behind the marker that ends a transaction, it moves on although Fetch gives nothing. A partition that
// was never fetched is at 0.
func (l *Log) Position(partition int32) int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	if r := l.readers[partition]; r != nil {
		return r.position()
	}
	return 0
}

// End is the offset that the next message of a partition will get, as of now. It asks the broker, and
// waits for the answer.
func (l *Log) End(partition int32) (int64, error) {
	return endOffset(l.client, l.addr, l.topic, partition)
}

// Ready gets a token when a Fetch that gave nothing may give something: messages, or an error.
func (l *Log) Ready() <-chan struct{} { return l.ready }

func (l *Log) signal() {
	select {
	case l.ready <- struct{}{}:
	default:
	}
}

// Close ends reading. It waits for the fetches that are under way, which a healthy broker answers in
// fetchWait and a hanging one costs half of Options.Patience. A second Close does nothing and returns
// what the first did.
func (l *Log) Close() error {
	l.closeOnce.Do(func() {
		l.mu.Lock()
		close(l.stop)
		all := l.retired
		for _, r := range l.readers {
			r.cancel()
			all = append(all, r)
		}
		l.mu.Unlock()
		for _, r := range all {
			<-r.done
		}
		l.closeErr = l.client.Close()
	})
	return l.closeErr
}
