package events

import (
	"bytes"

	"gatewaymeter/gateway"
	"gatewaymeter/stream"
)

// NewDeadLetter is what is kept of a message that could not be read because of err: its bytes as they
// came, the reason in words, and where it stands in the log, so that it can be found, mended and sent
// again. It keeps nothing of m, whose memory belongs to the log.
func NewDeadLetter(m stream.Message, err error) gateway.DeadLetter {
	//lab:begin 1c
	return gateway.DeadLetter{
		Raw:       bytes.Clone(m.Value), // the log may use its buffer again
		Reason:    err.Error(),
		Topic:     m.Topic,
		Partition: m.Partition,
		Offset:    m.Offset,
	}
	//lab:end
}
