package engine

import "gatewaymeter/stream"

// broadcast runs a BroadcastFunction: the inputs of its first connection are keyed, those of the
// second are copies of the broadcast stream (Flink: CoBroadcastWithKeyedOperator).
type broadcast[In, B, Out any] struct {
	keyed[In, Out]
	fn stream.BroadcastFunction[In, B, Out]
}

func newBroadcastOp[In, B, Out any](b *base, keyOf func(In) string, fn stream.BroadcastFunction[In, B, Out]) *broadcast[In, B, Out] {
	return &broadcast[In, B, Out]{keyed: *newKeyedOp[In, Out](b, keyOf, fn), fn: fn}
}

func (o *broadcast[In, B, Out]) records(input int, p stream.Packet) error {
	if rules, ok := p.(*stream.Batch[B]); ok && o.task.connectionOf(input) == 1 {
		return o.rules(rules)
	}
	return o.keyed.records(input, p)
}

func (o *broadcast[In, B, Out]) rules(b *stream.Batch[B]) error {
	o.ctx.Broadcasting = true
	defer func() { o.ctx.Broadcasting = false }()
	for _, r := range b.Records {
		o.ctx.Time = r.Time
		o.ctx.NoKey()
		if err := o.fn.ProcessBroadcast(o.ctx, r.Value, o.out); err != nil {
			return err
		}
	}
	return nil
}
