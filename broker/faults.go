package broker

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// Op is a kind of request that a fault can hit.
type Op int16

// The requests of a producer, a consumer and a transaction, by their numbers in the protocol.
const (
	OpProduce         Op = 0
	OpFetch           Op = 1
	OpListOffsets     Op = 2
	OpMetadata        Op = 3
	OpCommitOffsets   Op = 8
	OpCreateTopics    Op = 19
	OpInitProducerID  Op = 22
	OpAddPartitions   Op = 24
	OpEndTransaction  Op = 26
	OpCommitTxOffsets Op = 28
)

func (o Op) String() string { return strings.ToLower(kmsg.NameForKey(int16(o))) }

// Answer is what a faulty broker does with a request.
type Answer struct {
	name string
	err  *kerr.Error // nil: no answer at all
	hang bool        // without err: keep the connection open rather than break it
}

func (a Answer) String() string { return a.name }

// What a faulty broker can do.
var (
	Disconnect          = Answer{name: "disconnect"}
	Hang                = Answer{name: "hang", hang: true}
	RefuseNotLeader     = Answer{name: "refuse: not leader", err: kerr.NotLeaderForPartition}
	RefuseTopic         = Answer{name: "refuse: unknown topic or partition", err: kerr.UnknownTopicOrPartition}
	RefuseSize          = Answer{name: "refuse: message too large", err: kerr.MessageTooLarge}
	RefuseOffset        = Answer{name: "refuse: offset out of range", err: kerr.OffsetOutOfRange}
	RefuseAccess        = Answer{name: "refuse: not authorized", err: kerr.TopicAuthorizationFailed}
	RefuseEpoch         = Answer{name: "refuse: fenced by a newer producer", err: kerr.InvalidProducerEpoch}
	DoneButTimedOut     = Answer{name: "do it, but answer that it timed out", err: kerr.RequestTimedOut}
	DoneButUnreplicated = Answer{name: "do it, but answer that replicas are missing", err: kerr.NotEnoughReplicasAfterAppend}
)

// Fault is a failure to come: an answer to some requests. It prints itself, and a test that injects
// one asks afterwards whether it fired.
type Fault struct {
	Op        Op
	Topic     string  // only requests that name it; empty for any
	Partition []int32 // only these of the topic; nil for any. Hang and Disconnect look at topics only
	Answer    Answer
	Times     int // how many requests; 0 is one, -1 all until Remove
}

// String is such as "produce on tenant-totals/[0]: disconnect, 1 times".
func (f Fault) String() string {
	var s strings.Builder
	s.WriteString(f.Op.String())
	if f.Topic != "" {
		s.WriteString(" on " + f.Topic)
		if f.Partition != nil {
			fmt.Fprintf(&s, "/%v", f.Partition)
		}
	}
	switch n := f.times(); n {
	case -1:
		fmt.Fprintf(&s, ": %s, every time", f.Answer)
	default:
		fmt.Fprintf(&s, ": %s, %d times", f.Answer, n)
	}
	return s.String()
}

func (f Fault) times() int {
	if f.Times == 0 {
		return 1
	}
	return f.Times
}

// Injected is a fault in place.
type Injected struct {
	Fault  Fault
	hits   func() int
	wait   func(ctx context.Context, n int) error
	remove func()
}

// Fired is how many requests it has hit.
func (i *Injected) Fired() int { return i.hits() }

// Wait waits until it has hit n requests, or says that it has not.
func (i *Injected) Wait(ctx context.Context, n int) error {
	if err := i.wait(ctx, n); err != nil {
		return fmt.Errorf("fault %q has fired %d times, not %d: %w", i.Fault, i.Fired(), n, err)
	}
	return nil
}

// Remove ends it. The broker is healthy again.
func (i *Injected) Remove() { i.remove() }

// Inject makes the broker fail. Several faults may be in place; the first that matches answers.
func (e *Embedded) Inject(f Fault) *Injected {
	if f.Answer.err == nil {
		return e.silence(f)
	}
	h := e.cluster.Fault(kfake.Fault{
		Keys: []kmsg.Key{kmsg.Key(f.Op)}, Topic: f.Topic, Partitions: f.Partition,
		Err: f.Answer.err, Count: f.times(),
	})
	return &Injected{Fault: f, hits: h.Hits, wait: h.Wait, remove: h.Remove}
}

// Watch counts the requests of a kind for a topic and its partitions (none named is all), and lets
// them pass.
func (e *Embedded) Watch(op Op, topic string, partitions ...int32) *Injected {
	h := e.cluster.Fault(kfake.Fault{
		Keys: []kmsg.Key{kmsg.Key(op)}, Topic: topic, Partitions: partitions, Count: -1, Observe: true,
	})
	f := Fault{Op: op, Topic: topic, Partition: partitions, Answer: Answer{name: "pass"}, Times: -1}
	return &Injected{Fault: f, hits: h.Hits, wait: h.Wait, remove: h.Remove}
}

// silence takes requests and answers none of them.
func (e *Embedded) silence(f Fault) *Injected {
	var c counter
	left, removed := f.times(), false // guarded by c.mu
	e.cluster.ControlKey(int16(f.Op), func(req kmsg.Request) (kmsg.Response, error, bool) {
		c.mu.Lock()
		defer c.mu.Unlock()
		if removed || left == 0 {
			e.cluster.DropControl()
			return nil, nil, false
		}
		if f.Topic != "" && !slices.Contains(topicsOf(req), f.Topic) {
			return nil, nil, false
		}
		if left > 0 {
			left--
		}
		if left != 0 {
			e.cluster.KeepControl()
		}
		c.hit()
		if f.Answer.hang {
			return nil, nil, true
		}
		return nil, fmt.Errorf("fault %q", f), true
	})
	return &Injected{Fault: f, hits: c.hits, wait: c.wait, remove: func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		removed = true
	}}
}

// topicsOf are the topics that a request names.
func topicsOf(req kmsg.Request) []string {
	var names []string
	switch r := req.(type) {
	case *kmsg.ProduceRequest:
		for _, t := range r.Topics {
			names = append(names, t.Topic)
		}
	case *kmsg.FetchRequest:
		for _, t := range r.Topics {
			names = append(names, t.Topic)
		}
	case *kmsg.ListOffsetsRequest:
		for _, t := range r.Topics {
			names = append(names, t.Topic)
		}
	case *kmsg.CreateTopicsRequest:
		for _, t := range r.Topics {
			names = append(names, t.Topic)
		}
	case *kmsg.MetadataRequest:
		for _, t := range r.Topics {
			if t.Topic != nil {
				names = append(names, *t.Topic)
			}
		}
	}
	return names
}

// counter counts hits and lets others wait for them.
type counter struct {
	mu      sync.Mutex
	n       int
	changed chan struct{} // closed at the next hit; nil if nobody waits
}

// hit counts one. The caller holds mu.
func (c *counter) hit() {
	c.n++
	if c.changed != nil {
		close(c.changed)
		c.changed = nil
	}
}

func (c *counter) hits() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.n
}

func (c *counter) wait(ctx context.Context, n int) error {
	for {
		c.mu.Lock()
		if c.n >= n {
			c.mu.Unlock()
			return nil
		}
		if c.changed == nil {
			c.changed = make(chan struct{})
		}
		changed := c.changed
		c.mu.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
