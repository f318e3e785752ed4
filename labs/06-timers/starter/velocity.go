package timers

import (
	"time"

	"gatewaymeter/gateway"
	"gatewaymeter/stream"
	"gatewaymeter/todo" // made from ../solution by "go tool lab starters"; this file is yours to edit
)

const (
	minute = time.Minute
	span   = 3 * minute // how long a minute counts
	limit  = 5          // transactions in a span that raise no alert
)

// NewVelocityCheck makes the check that alerts when a card is used too often: uid "velocity-check",
// keyed by card, topic card-transactions.
//
// It counts by the minute and not by the transaction: state "minutes" is a map from the start of a
// minute to a count, at most a few entries a card however often it is used, and each has one timer.
// What that gives up is exactness at the edges; investigation 6.5 measures it.
func NewVelocityCheck() stream.KeyedFunction[gateway.Transaction, gateway.Alert] {
	return &velocityCheck{}
}

type velocityCheck struct {
	minutes stream.Map[stream.Time, int64] // start of a minute -> transactions in it
}

// Open declares the state (given).
func (v *velocityCheck) Open(c *stream.Context) error {
	v.minutes = stream.NewMap(c, "minutes", stream.Times, stream.Int64, stream.RemovedBy(stream.ByTimer))
	return nil
}

// ProcessElement adds one to the transaction's minute and sets an event timer at the minute's start +
// 3m: one for each minute, however many transactions it has, since timers are a set. If this minute
// and the two before it come to more than 5, it emits an Alert with the card, this minute, and that
// total; at every further transaction again.
func (v *velocityCheck) ProcessElement(c *stream.Context, t gateway.Transaction, out stream.Collector[gateway.Alert]) error {
	//lab:begin 6e
	panic(todo.Exercise("6e"))
	//lab:end
}

// OnTimer forgets the minute whose timer this is. The timer at MaxTime, where the minutes near the end
// of time meet, forgets all.
func (v *velocityCheck) OnTimer(c *stream.Context, t stream.Timer, _ stream.Collector[gateway.Alert]) error {
	//lab:begin 6e
	panic(todo.Exercise("6e"))
	//lab:end
}

// minuteOf is the start of a time's minute, also before the epoch (FLINK-26334: the remainder of a
// negative time is negative). The first minute of all begins at NoTime.
func minuteOf(t stream.Time) stream.Time {
	const ms = stream.Time(minute / time.Millisecond)
	rest := t % ms
	if rest < 0 {
		rest += ms
	}
	if start := t - rest; start <= t {
		return start
	}
	return stream.NoTime
}
