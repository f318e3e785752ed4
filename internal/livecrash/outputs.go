package livecrash

import (
	"context"

	"gatewaymeter/broker"
	"gatewaymeter/gateway"
)

// outputs counts what a job has written, as anybody could who can read its topics. It may meet a broker
// that is just dying: then there is no count for the moment.
type outputs struct {
	ctx          context.Context
	addr, prefix string
	b            *broker.Broker
}

// count is the number of lines in the topics that grow all the time.
func (o *outputs) count() (n int64, ok bool) {
	var err error
	if o.b == nil {
		if o.b, err = broker.Open(o.ctx, o.addr, broker.Options{Patience: patience}); err != nil {
			return 0, false
		}
	}
	for _, topic := range []string{gateway.TopicInvoice, gateway.TopicDeadLetters} {
		ends, err := o.b.EndOffsets(o.prefix + topic)
		if err != nil {
			o.close()
			return 0, false
		}
		for _, end := range ends {
			n += end
		}
	}
	return n, true
}

func (o *outputs) close() {
	if o.b != nil {
		_ = o.b.Close() // it was only looked at
		o.b = nil
	}
}
