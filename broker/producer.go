package broker

import (
	"context"
	"errors"
	"fmt"
	"sort"
	"sync"
	"sync/atomic"
	"time"

	"github.com/IBM/sarama"
)

// Producer writes messages to partitions that the caller names. Messages of one partition keep the
// order in which they were sent, and each is there once, also when the connection breaks and they are
// sent again.
//
// Send only hands over: many messages are on their way at a time, which is where the speed comes
// from. Flush waits until all have arrived. Once a message is given up the producer is finished, and
// every call returns the same error: what comes after a gap must not be written as if there were none.
//
// Its methods may be called from several goroutines at once.
type Producer struct {
	addr     string
	patience time.Duration
	client   sarama.Client
	async    sarama.AsyncProducer

	send   sync.Mutex // held while a message is handed over: keeps order
	closed bool       // guarded by send

	lanesMu sync.Mutex
	lanes   map[lane]*laneCount
	acks    chan struct{} // closed at the next acknowledgement that finds a flush waiting; guarded by lanesMu
	flushes atomic.Int32  // that wait

	failOnce sync.Once
	failed   chan struct{} // closed when failure is set
	failure  error

	drained chan struct{} // closed when no acknowledgement or error will come any more
	stop    chan struct{} // closed to end watch
	watched sync.WaitGroup

	closeOnce sync.Once
	closeErr  error
}

// lane is a partition of a topic.
type lane struct {
	topic     string
	partition int32
}

// laneCount counts what was sent to a lane and what has arrived. A lane keeps its order, so the first n
// messages have arrived when n have; across lanes nothing of the kind is true: while one is being tried
// again, the others go on.
type laneCount struct {
	sent, acked atomic.Int64
	progress    atomic.Int64 // when a message was last acknowledged, or first sent after a pause
}

// unacknowledged is what is on its way.
func (c *laneCount) unacknowledged() int64 { return c.sent.Load() - c.acked.Load() }

// NewProducer opens a producer with a connection of its own. Close it.
func (b *Broker) NewProducer() (*Producer, error) {
	p := &Producer{
		addr: b.addr, patience: b.opts.Patience,
		lanes:   map[lane]*laneCount{},
		failed:  make(chan struct{}),
		drained: make(chan struct{}),
		stop:    make(chan struct{}),
	}
	if err := p.open(b.opts.config()); err != nil {
		return nil, unreachable(b.addr, "open a producer", err, adviceOther)
	}
	go p.collect()
	p.watched.Go(p.watch)
	return p, nil
}

// open connects and gets the id that makes writing idempotent. The client library asks for that a
// number of times; patience ends it by closing the connections.
func (p *Producer) open(conf *sarama.Config) (err error) {
	wait := conf.Producer.Retry.Backoff
	conf.Producer.Retry.BackoffFunc = func(int, int) time.Duration {
		select {
		case <-p.failed:
			return 0 // all is lost: the queue is given back message by message, at full speed
		default:
			return wait
		}
	}
	if p.client, err = sarama.NewClient([]string{p.addr}, conf); err != nil {
		return err
	}
	limit := time.AfterFunc(p.patience, func() { p.client.Close() })
	defer limit.Stop()
	if p.async, err = sarama.NewAsyncProducerFromClient(p.client); err != nil {
		if !p.client.Closed() {
			p.client.Close()
		}
	}
	return err
}

// Send queues one message. It waits only while too many are on their way. Key and value must not be
// changed before the next Flush has returned. A nil key is a message without one.
//
// A *TooLargeError concerns this message only. A *NotAcknowledgedError ends the producer.
func (p *Producer) Send(topic string, partition int32, key, value []byte) error {
	m := &sarama.ProducerMessage{Topic: topic, Partition: partition}
	if key != nil {
		m.Key = sarama.ByteEncoder(key)
	}
	if value != nil {
		m.Value = sarama.ByteEncoder(value)
	}
	const recordVersion = 2 // of the message format
	if size := m.ByteSize(recordVersion); size > MaxMessageBytes {
		return &TooLargeError{Topic: topic, Partition: partition, Key: key, Size: size, Limit: MaxMessageBytes}
	}
	p.send.Lock()
	defer p.send.Unlock()
	if p.closed {
		return fmt.Errorf("send to %s/%d: the producer is closed", topic, partition)
	}
	select {
	case <-p.failed:
		return p.failure
	default:
	}
	count := p.lane(topic, partition)
	m.Metadata = count
	if count.unacknowledged() == 0 {
		count.progress.Store(now()) // the clock of watch starts with the first message on its way
	}
	count.sent.Add(1)
	select {
	case p.async.Input() <- m:
		return nil
	case <-p.failed:
		return p.failure
	}
}

func (p *Producer) lane(topic string, partition int32) *laneCount {
	p.lanesMu.Lock()
	defer p.lanesMu.Unlock()
	l := lane{topic, partition}
	count := p.lanes[l]
	if count == nil {
		count = new(laneCount)
		p.lanes[l] = count
	}
	return count
}

// Flush waits until the broker has acknowledged every message whose Send has returned, each by name: that
// as many have arrived as were sent says nothing while others are sent. It fails with a
// *NotAcknowledgedError once the broker has acknowledged nothing of a partition for Options.Patience, or
// when ctx ends.
func (p *Producer) Flush(ctx context.Context) error {
	p.flushes.Add(1)
	defer p.flushes.Add(-1)
	var waiting []target
	for {
		acks := p.nextAck()
		if waiting == nil {
			waiting = p.targets()
		}
		select {
		case <-p.failed:
			return p.failure
		default:
		}
		for len(waiting) > 0 && waiting[0].reached() {
			waiting = waiting[1:]
		}
		if len(waiting) == 0 {
			return nil
		}
		select {
		case <-acks:
		case <-p.failed:
		case <-ctx.Done():
			return p.notAcknowledged(ctx.Err())
		}
	}
}

// target is how many messages of a lane a flush waits for.
type target struct {
	count *laneCount
	sent  int64
}

func (t target) reached() bool { return t.count.acked.Load() >= t.sent }

// targets are those of everything sent so far.
func (p *Producer) targets() []target {
	p.lanesMu.Lock()
	defer p.lanesMu.Unlock()
	all := make([]target, 0, len(p.lanes))
	for _, count := range p.lanes {
		all = append(all, target{count, count.sent.Load()})
	}
	return all
}

// nextAck is closed at the next acknowledgement.
func (p *Producer) nextAck() <-chan struct{} {
	p.lanesMu.Lock()
	defer p.lanesMu.Unlock()
	if p.acks == nil {
		p.acks = make(chan struct{})
	}
	return p.acks
}

// collect takes the broker's answers until the client library has no more.
func (p *Producer) collect() {
	defer close(p.drained)
	var both sync.WaitGroup
	both.Go(func() {
		for m := range p.async.Successes() {
			count := m.Metadata.(*laneCount)
			count.progress.Store(now())
			count.acked.Add(1)
			if p.flushes.Load() > 0 {
				p.wake()
			}
		}
	})
	both.Go(func() {
		for e := range p.async.Errors() {
			p.fail(explainSend(e))
		}
	})
	both.Wait()
}

// wake lets the flushes look again.
func (p *Producer) wake() {
	p.lanesMu.Lock()
	defer p.lanesMu.Unlock()
	if p.acks != nil {
		close(p.acks)
		p.acks = nil
	}
}

// watch ends the producer when messages are on their way to a lane and none arrives for as long as
// patience. The client library would try on: how often it tries says little about how long that takes.
func (p *Producer) watch() {
	tick := time.NewTicker(p.patience / 10)
	defer tick.Stop()
	for {
		select {
		case <-p.stop:
			return
		case <-tick.C:
			if quiet := p.quiet(); quiet > p.patience {
				p.fail(fmt.Errorf("no answer for %s: the broker is gone or hangs", quiet.Round(time.Second/10)))
				return
			}
		}
	}
}

// quiet is for how long the lane that waits the longest has waited.
func (p *Producer) quiet() (longest time.Duration) {
	p.lanesMu.Lock()
	defer p.lanesMu.Unlock()
	for _, count := range p.lanes {
		if count.unacknowledged() > 0 {
			longest = max(longest, time.Duration(now()-count.progress.Load()))
		}
	}
	return longest
}

// fail ends the producer. The first reason stays.
func (p *Producer) fail(err error) {
	p.failOnce.Do(func() {
		p.failure = p.notAcknowledged(err)
		close(p.failed)
	})
}

func (p *Producer) notAcknowledged(err error) error {
	return &NotAcknowledgedError{Addr: p.addr, Partitions: p.pending(), Err: err}
}

// pending lists what is on its way, by topic and partition.
func (p *Producer) pending() []Unacknowledged {
	p.lanesMu.Lock()
	defer p.lanesMu.Unlock()
	var list []Unacknowledged
	for l, count := range p.lanes {
		if n := count.unacknowledged(); n > 0 {
			list = append(list, Unacknowledged{Topic: l.topic, Partition: l.partition, Messages: n})
		}
	}
	sort.Slice(list, func(i, j int) bool {
		if list[i].Topic != list[j].Topic {
			return list[i].Topic < list[j].Topic
		}
		return list[i].Partition < list[j].Partition
	})
	return list
}

// explainSend says which partition refused, and why if that is known.
func explainSend(e *sarama.ProducerError) error {
	where := fmt.Sprintf("%s/%d", e.Msg.Topic, e.Msg.Partition)
	switch {
	case errors.Is(e.Err, sarama.ErrMessageSizeTooLarge):
		return fmt.Errorf("%s refused a message of %d bytes: raise the topic's max.message.bytes or send less (%w)",
			where, e.Msg.ByteSize(2), e.Err)
	case errors.Is(e.Err, sarama.ErrUnknownTopicOrPartition), errors.Is(e.Err, sarama.ErrInvalidPartition):
		return fmt.Errorf("%s is not there: create the topic first, with enough partitions (%w)", where, e.Err)
	}
	return fmt.Errorf("%s: %w", where, e.Err)
}

// Close flushes and ends the producer. It returns the error that ended it, if one did, and takes at
// most twice Options.Patience. A second Close does nothing and returns what the first did.
func (p *Producer) Close() error {
	p.closeOnce.Do(func() {
		err := p.Flush(context.Background())
		p.send.Lock()
		p.closed = true
		p.send.Unlock()
		close(p.stop)
		p.watched.Wait()
		p.async.AsyncClose()
		if err == nil {
			<-p.drained
		}
		// A broker that is gone is retried until the connections are taken away.
		cerr := p.client.Close()
		<-p.drained
		p.closeErr = errors.Join(err, cerr)
	})
	return p.closeErr
}

var started = time.Now()

// now is a monotonic reading in nanoseconds.
func now() int64 { return int64(time.Since(started)) }
