package broker

import (
	"errors"
	"fmt"
	"strings"

	"github.com/IBM/sarama"
)

// UnreachableError is a broker that could not be talked to: what was tried, what came of it, and what
// to do. Compare with errors.As.
type UnreachableError struct {
	Addr   string // HOST:PORT
	Tried  string // "connect, and nothing listens there"
	Err    error  // what came of it
	Advice string // what to do; may be empty
}

func (e *UnreachableError) Error() string {
	s := fmt.Sprintf("broker %s cannot be reached: tried to %s: %v", e.Addr, e.Tried, e.Err)
	if e.Advice != "" {
		s += ". " + e.Advice
	}
	return s
}

func (e *UnreachableError) Unwrap() error { return e.Err }

func unreachable(addr, tried string, err error, advice string) error {
	return &UnreachableError{Addr: addr, Tried: tried, Err: err, Advice: advice}
}

// What to do about a broker that does not answer, by the reason.
const (
	adviceNone     = ""
	adviceStart    = "Start one with `go tool lab broker` or `docker compose up`, correct the address, or leave --broker away to use the embedded one"
	adviceName     = "Correct the host's name, or use 127.0.0.1 for a broker on this machine"
	adviceRoute    = "Check the address and the firewall between here and there"
	adviceSilent   = "Something accepts connections there but does not answer: a broker that is still starting or hangs, or another program. Look at what listens on that port"
	adviceNotKafka = "Something other than a plain-text Kafka listener has that port: check the port number, and that the listener is PLAINTEXT, without TLS or SASL"
	adviceOther    = "Look at the broker's log"
)

// TopicError is something wrong with a topic by its name.
type TopicError struct {
	Topic  string
	Addr   string // of the broker
	Reason string // what is wrong and what to do
	Err    error
}

func (e *TopicError) Error() string {
	s := fmt.Sprintf("topic %q on broker %s: %s", e.Topic, e.Addr, e.Reason)
	if e.Err != nil {
		s += fmt.Sprintf(" (%v)", e.Err)
	}
	return s
}

func (e *TopicError) Unwrap() error { return e.Err }

// ErrNoTopic: the topic does not exist.
var ErrNoTopic = errors.New("no such topic")

// TooLargeError is a message that is larger than Kafka would take. It was not sent, and the producer
// can go on.
type TooLargeError struct {
	Topic     string
	Partition int32
	Key       []byte
	Size      int // bytes, with the record around key and value
	Limit     int // bytes
}

func (e *TooLargeError) Error() string {
	return fmt.Sprintf("message for %s/%d with key %.40q is too large: %d bytes, limit %d; it was not sent: make it smaller or split it",
		e.Topic, e.Partition, e.Key, e.Size, e.Limit)
}

// NotAcknowledgedError ends a producer: some messages were sent or queued and the broker did not say
// that it has them. It may have them all the same.
type NotAcknowledgedError struct {
	Addr       string
	Partitions []Unacknowledged // by topic, then partition
	Err        error
}

// Unacknowledged counts what a partition is not known to have.
type Unacknowledged struct {
	Topic     string
	Partition int32
	Messages  int64
}

func (e *NotAcknowledgedError) Error() string {
	var total int64
	var where []string
	for i, p := range e.Partitions {
		total += p.Messages
		if i < 8 {
			where = append(where, fmt.Sprintf("%s/%d: %d", p.Topic, p.Partition, p.Messages))
		}
	}
	if more := len(e.Partitions) - len(where); more > 0 {
		where = append(where, fmt.Sprintf("and %d more partitions", more))
	}
	return fmt.Sprintf("broker %s did not acknowledge %d messages (%s): %v. They may or may not be in the topic: run again on a topic of its own, or restore from a checkpoint",
		e.Addr, total, strings.Join(where, ", "), e.Err)
}

func (e *NotAcknowledgedError) Unwrap() error { return e.Err }

// ReadError is a partition that cannot be read any further.
type ReadError struct {
	Addr      string
	Topic     string
	Partition int32
	Offset    int64 // the next that was to be read
	Err       error
}

func (e *ReadError) Error() string {
	advice := "the broker is gone or does not answer: start it again, then run again or restore from a checkpoint"
	switch {
	case errors.Is(e.Err, sarama.ErrOffsetOutOfRange):
		advice = "that offset is not in the log, which was made anew or trimmed: start without the restored offsets"
	case errors.Is(e.Err, sarama.ErrUnknownTopicOrPartition), errors.Is(e.Err, ErrNoTopic):
		advice = "the topic or the partition is not there (any more): check its name and partition count"
	case errors.Is(e.Err, sarama.ErrTopicAuthorizationFailed):
		advice = "the broker does not let us read it"
	}
	return fmt.Sprintf("cannot read %s/%d at offset %d from broker %s: %v; %s",
		e.Topic, e.Partition, e.Offset, e.Addr, e.Err, advice)
}

func (e *ReadError) Unwrap() error { return e.Err }
