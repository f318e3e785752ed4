package generator

import (
	"strconv"

	"gatewaymeter/gateway"
)

// Message is one message to put into a topic. Its slices are its own.
type Message struct {
	Key, Value []byte

	// TS is the event time, ms since the epoch, and fit for Kafka's record timestamp. A malformed
	// message has none; its TS is the greatest one before it.
	TS int64

	// Partition is where the message stood when it was read back from a topic, or NoPartition:
	// PartitionOf the key decides.
	Partition int32
}

// NoPartition marks a message whose partition is still to be decided.
const NoPartition = -1

// PartitionOf is the partition of a key, of n. It is a function of the two, so that all messages of a
// request (of a card) share a partition, in their order. It panics if n is below 1.
func PartitionOf[K string | []byte](key K, n int) int32 {
	if n < 1 {
		panic("generator: PartitionOf needs at least one partition, got " + strconv.Itoa(n))
	}
	h := uint64(0xcbf29ce484222325) // FNV-1a
	for i := range len(key) {
		h = (h ^ uint64(key[i])) * 0x100000001b3
	}
	return int32(mix(h) % uint64(n))
}

// encode writes an event as the gateway does. The generator's own strings need no JSON escapes.
func encode(e gateway.Event) []byte {
	b := make([]byte, 0, 240)
	b = append(b, `{"event_type":"`...)
	b = append(b, e.Type...)
	b = append(b, `","request_id":"`...)
	b = append(b, e.RequestID...)
	b = append(b, `","tenant_id":"`...)
	b = append(b, e.TenantID...)
	b = append(b, `","model":"`...)
	b = append(b, e.Model...)
	b = append(b, `","ts":`...)
	b = strconv.AppendInt(b, e.TS, 10)
	if e.Type == gateway.RequestStarted {
		b = append(b, `,"payload":{"prompt_tokens":`...)
		b = strconv.AppendInt(b, e.PromptTokens, 10)
		return append(b, `}}`...)
	}
	b = append(b, `,"payload":{"completion_tokens":`...)
	b = strconv.AppendInt(b, e.CompletionTokens, 10)
	b = append(b, `,"latency_ms":`...)
	b = strconv.AppendInt(b, e.LatencyMS, 10)
	b = append(b, `,"status":"`...)
	b = append(b, e.Status...)
	return append(b, `"}}`...)
}
