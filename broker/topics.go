package broker

import (
	"errors"
	"fmt"
	"regexp"
	"sort"
	"strings"
	"time"

	"github.com/IBM/sarama"
)

// topicName is Kafka's rule. It is checked here because not every broker does.
var topicName = regexp.MustCompile(`^[a-zA-Z0-9._-]{1,249}$`)

const badTopicName = "is not a name for a topic: use letters, digits, dots, dashes and underscores, 249 at most"

// CreateTopic makes a topic with a number of partitions and no replicas. A topic that is there with
// that number is left as it is; one with another number is an error, since keys would go astray.
// It returns once every partition can be written.
func (b *Broker) CreateTopic(topic string, partitions int32) error {
	if partitions < 1 {
		return &TopicError{Topic: topic, Addr: b.addr, Reason: fmt.Sprintf("cannot have %d partitions: ask for 1 or more", partitions)}
	}
	if !topicName.MatchString(topic) || strings.Trim(topic, ".") == "" {
		return &TopicError{Topic: topic, Addr: b.addr, Reason: badTopicName}
	}
	admin, err := sarama.NewClusterAdminFromClient(b.client)
	if err != nil {
		return unreachable(b.addr, fmt.Sprintf("create topic %q", topic), err, adviceOther)
	}
	// The admin borrows the client, and its Close would close that too: let it go.
	err = admin.CreateTopic(topic, &sarama.TopicDetail{NumPartitions: partitions, ReplicationFactor: 1}, false)
	switch {
	case errors.Is(err, sarama.ErrTopicAlreadyExists), err == nil:
		return b.awaitTopic(topic, partitions)
	case errors.Is(err, sarama.ErrInvalidTopic):
		return &TopicError{Topic: topic, Addr: b.addr, Err: err, Reason: badTopicName}
	case isKafkaError(err):
		return &TopicError{Topic: topic, Addr: b.addr, Err: err, Reason: "the broker did not create it"}
	}
	return unreachable(b.addr, fmt.Sprintf("create topic %q", topic), err, adviceOther)
}

// awaitTopic waits until the broker knows a leader for each partition: the answer to a creation can
// come before that. Then the number of partitions is compared.
func (b *Broker) awaitTopic(topic string, want int32) error {
	deadline := time.Now().Add(b.opts.Patience)
	for {
		got, err := b.countPartitions(topic)
		if err == nil && got == want {
			return nil
		}
		if err == nil && got != want {
			return &TopicError{Topic: topic, Addr: b.addr, Reason: fmt.Sprintf(
				"has %d partitions, and %d are asked for: use --partitions %d, or another topic (--output-prefix)", got, want, got)}
		}
		if time.Now().After(deadline) {
			return &TopicError{Topic: topic, Addr: b.addr, Err: err, Reason: "was created, and " + b.opts.Patience.String() + " later cannot be written yet"}
		}
		time.Sleep(b.opts.Patience / 500)
	}
}

// countPartitions asks the broker, not the cache, and wants a leader for each. It asks once: the client
// library's own question goes on for a second when the topic is not there.
func (b *Broker) countPartitions(topic string) (int32, error) {
	req := sarama.NewMetadataRequest(b.client.Config().Version, []string{topic})
	meta, err := ask(b.client, func(any *sarama.Broker) (*sarama.MetadataResponse, error) { return any.GetMetadata(req) })
	switch {
	case err != nil:
		return 0, err
	case len(meta.Topics) != 1:
		return 0, sarama.ErrIncompleteResponse
	case meta.Topics[0].Err != sarama.ErrNoError:
		return 0, meta.Topics[0].Err
	}
	for _, p := range meta.Topics[0].Partitions {
		if p.Err == sarama.ErrLeaderNotAvailable {
			return 0, p.Err
		}
	}
	return int32(len(meta.Topics[0].Partitions)), nil
}

// ask puts a question to the controller, and again over a new connection if the old one is broken.
func ask[T any](client sarama.Client, question func(*sarama.Broker) (T, error)) (T, error) {
	var none T
	controller, err := client.Controller()
	if err != nil {
		return none, err
	}
	answer, err := question(controller)
	if err == nil {
		return answer, nil
	}
	_ = controller.Close() // broken already
	if controller, err = client.RefreshController(); err != nil {
		return none, err
	}
	return question(controller)
}

// TopicPartitions is the number of partitions of a topic: they are 0 to that number, less one. A topic
// that is not there is ErrNoTopic, with what to do.
func (b *Broker) TopicPartitions(topic string) (int32, error) {
	n, err := b.countPartitions(topic)
	switch {
	case err == nil:
		return n, nil
	case errors.Is(err, sarama.ErrUnknownTopicOrPartition):
		return 0, b.noTopic(topic)
	case isKafkaError(err):
		return 0, &TopicError{Topic: topic, Addr: b.addr, Err: err, Reason: "cannot be used"}
	}
	return 0, unreachable(b.addr, fmt.Sprintf("ask for the partitions of topic %q", topic), err, adviceOther)
}

// noTopic says which topics there are, as the mistake is most often in the name.
func (b *Broker) noTopic(topic string) error {
	reason := "is not there: check the name, or fill it with `go tool lab generate --to " + topic + "`"
	if names, err := b.Topics(); err == nil {
		if len(names) > 10 {
			names = append(names[:10], "…")
		}
		if len(names) == 0 {
			names = []string{"none"}
		}
		reason += "; topics there: " + strings.Join(names, ", ")
	}
	return &TopicError{Topic: topic, Addr: b.addr, Err: ErrNoTopic, Reason: reason}
}

// Topics are the names of the topics there, sorted, without Kafka's own.
func (b *Broker) Topics() ([]string, error) {
	if err := b.client.RefreshMetadata(); err != nil {
		return nil, unreachable(b.addr, "ask for its topics", err, adviceOther)
	}
	all, err := b.client.Topics()
	if err != nil {
		return nil, unreachable(b.addr, "ask for its topics", err, adviceOther)
	}
	var names []string
	for _, name := range all {
		if !strings.HasPrefix(name, "__") {
			names = append(names, name)
		}
	}
	sort.Strings(names)
	return names, nil
}

// EndOffsets are, by partition, the offsets that the next messages will get, as of now.
func (b *Broker) EndOffsets(topic string) ([]int64, error) {
	n, err := b.TopicPartitions(topic)
	if err != nil {
		return nil, err
	}
	ends := make([]int64, n)
	for p := range ends {
		err := b.patiently(topic, func() (err error) {
			ends[p], err = endOffset(b.client, b.addr, topic, int32(p))
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return ends, nil
}

// patiently calls f again while the partition's leader is not known, or not the one that was asked: so
// it is for a moment after a topic was created, and while a broker starts.
func (b *Broker) patiently(topic string, f func() error) error {
	deadline := time.Now().Add(b.opts.Patience)
	for {
		err := f()
		leaderless := errors.Is(err, sarama.ErrNotLeaderForPartition) || errors.Is(err, sarama.ErrLeaderNotAvailable)
		if !leaderless || time.Now().After(deadline) {
			return err
		}
		time.Sleep(b.opts.Patience / 500)
		if err := b.client.RefreshMetadata(topic); err != nil && !isKafkaError(err) {
			return err
		}
	}
}

// endOffset asks the partition's leader. A client that hides open transactions gets the end of what
// is decided, which the client library's own call for this does not give.
func endOffset(client sarama.Client, addr, topic string, partition int32) (int64, error) {
	fail := func(err error) (int64, error) {
		return 0, &ReadError{Addr: addr, Topic: topic, Partition: partition, Offset: sarama.OffsetNewest, Err: err}
	}
	leader, err := client.Leader(topic, partition)
	if err != nil {
		return fail(err)
	}
	req := sarama.NewOffsetRequest(client.Config().Version)
	req.IsolationLevel = client.Config().Consumer.IsolationLevel
	req.AddBlock(topic, partition, sarama.OffsetNewest, 1)
	resp, err := leader.GetAvailableOffsets(req)
	if err != nil {
		return fail(err)
	}
	block := resp.GetBlock(topic, partition)
	switch {
	case block == nil || len(block.Offsets) != 1 && block.Err == sarama.ErrNoError:
		return fail(sarama.ErrIncompleteResponse)
	case block.Err != sarama.ErrNoError:
		return fail(block.Err)
	}
	return block.Offsets[0], nil
}

// isKafkaError says whether the broker answered, and with a refusal.
func isKafkaError(err error) bool {
	var k sarama.KError
	return errors.As(err, &k)
}
