package broker

import (
	"time"

	"github.com/IBM/sarama"
)

// DefaultPatience is how long a broker that does not answer is waited for.
const DefaultPatience = 10 * time.Second

// MaxMessageBytes is the largest message a Producer takes: key, value and the record around them. It
// is a little below the limit of a broker that nobody has configured (1,048,588 bytes for a batch).
const MaxMessageBytes = 1_000_000

// fetchBytes is how much of one partition a fetch asks for. It bounds what a slow reader holds.
const fetchBytes = 1 << 20

// fetchWait is how long the broker holds a fetch that it has nothing for. It is short because closing
// waits for it.
func fetchWait(patience time.Duration) time.Duration { return min(50*time.Millisecond, patience/10) }

// Options of Open. The zero value is right for most.
type Options struct {
	// ClientID is the name under which the broker sees us in its logs. Default "gatewaymeter".
	ClientID string
	// Patience is how long a broker that does not answer, or refuses, is waited for before that is
	// an error. It holds for Open, for a flush that makes no progress and for a read. Default
	// DefaultPatience.
	Patience time.Duration
	// ReadCommitted hides the messages of transactions that are open or aborted. Log ends then are
	// the offset of the first message still undecided.
	ReadCommitted bool
	// Embedded says how Open("embedded") starts its broker.
	Embedded EmbeddedOptions
	// Container starts the broker of Open("container"): container.Start, which is passed in so
	// that only those link Docker's client who use it.
	Container Starter
}

func (o Options) withDefaults() Options {
	if o.ClientID == "" {
		o.ClientID = "gatewaymeter"
	}
	if o.Patience <= 0 {
		o.Patience = DefaultPatience
	}
	return o
}

// config is the one place where the Kafka client is configured.
//
// Three clocks bound what a dead broker can cost, and all derive from Patience: one request waits for
// half of it, finding out who leads a partition waits for half of it in all, and whoever retries
// (Producer.watch, fetcher.fetch) stops once it is used up.
func (o Options) config() *sarama.Config {
	c := sarama.NewConfig()
	c.ClientID = o.ClientID
	// The newest protocol that both brokers of the course speak. The client still asks the broker
	// which versions it knows, and takes the lower ones.
	c.Version = sarama.V3_6_0_0

	request := o.Patience / 2
	c.Net.DialTimeout = request
	c.Net.ReadTimeout = request
	c.Net.WriteTimeout = request
	c.Metadata.Timeout = request
	c.Metadata.Retry.Max = 3
	c.Metadata.Retry.Backoff = o.Patience / 40
	c.Admin.Timeout = request
	c.Admin.Retry.Max = 3
	// A topic that is missing is a mistake in a name. It must not come into being by being read.
	c.Metadata.AllowAutoTopicCreation = false

	configureProducer(c, o)
	configureConsumer(c, o)
	return c
}

func configureProducer(c *sarama.Config, o Options) {
	c.Producer.Partitioner = sarama.NewManualPartitioner
	c.Producer.MaxMessageBytes = MaxMessageBytes
	// Idempotence: the broker drops what a retry sends twice and refuses what would leave a gap.
	// It needs every replica's acknowledgement and one request in flight.
	c.Producer.Idempotent = true
	c.Producer.RequiredAcks = sarama.WaitForAll
	c.Net.MaxOpenRequests = 1
	c.Producer.Timeout = o.Patience / 2
	// Retries end by the clock (see Producer.watch), not by a count.
	c.Producer.Retry.Max = 1000
	c.Producer.Retry.Backoff = o.Patience / 100
	c.Producer.Transaction.Retry.Max = 20 // asking for the id of an idempotent producer counts as one
	c.Producer.Transaction.Retry.Backoff = o.Patience / 100
	// Both are needed to know what is still on its way.
	c.Producer.Return.Successes = true
	c.Producer.Return.Errors = true
}

func configureConsumer(c *sarama.Config, o Options) {
	c.Consumer.Offsets.AutoCommit.Enable = false
	if o.ReadCommitted {
		c.Consumer.IsolationLevel = sarama.ReadCommitted
	}
}
