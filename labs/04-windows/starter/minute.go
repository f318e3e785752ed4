package windows

import (
	"time"

	"gatewaymeter/gateway"
	operators "gatewaymeter/labs/03-stateful-operators/solution"
	"gatewaymeter/stream"
)

// Late is the side output for records that came after their minute had been cleaned up: nobody's
// invoice holds them, so their money is reported apart.
var Late = stream.Tag[gateway.RequestRecord]{Name: gateway.TopicLate}

// Unpriced is the side output for records of a model that the price table does not have.
var Unpriced = operators.Unpriced

// Names of the minute invoice's counters, besides CountLate.
const (
	CountUnpriced = "unpriced"  // records that went to Unpriced
	CountLateNano = "late_nano" // what the records that went to Late cost, in nano-USD
)

// NewMinuteInvoice makes the job's invoice from stage 04 on: keyed by tenant, what its requests cost
// in each minute of the record's timestamp. A minute is emitted when the watermark has passed it, and
// once more for each record that comes within lateness after that; the last line for a tenant and
// minute is the bill.
//
// A record of an unknown model goes to Unpriced, however late it is. One that is too late goes to
// Late, and is counted in money.
func NewMinuteInvoice(prices gateway.Prices, lateness time.Duration) stream.KeyedFunction[gateway.RequestRecord, gateway.TenantWindow] {
	return &minuteInvoice{prices: prices, minutes: New(Config[gateway.RequestRecord, Bill, gateway.TenantWindow, gateway.TenantWindow]{
		Assigner:  tumbling{size: stream.Time(time.Minute.Milliseconds())},
		Aggregate: TenantCost{prices},
		Codec:     Bills,
		Function:  InvoiceLine,
		Retention: Allowed(lateness),
		Late:      Late,
	})}
}

type minuteInvoice struct {
	prices   gateway.Prices
	minutes  *Operator[gateway.RequestRecord, Bill, gateway.TenantWindow, gateway.TenantWindow]
	unpriced stream.Collector[gateway.RequestRecord]
	count    stream.Counter
}

var _ stream.TimerFunction[gateway.TenantWindow] = (*minuteInvoice)(nil)

func (m *minuteInvoice) Open(c *stream.Context) error {
	m.unpriced = stream.SideOutput(c, Unpriced)
	m.count = stream.NewCounter(c, CountUnpriced)
	if err := m.minutes.Open(c); err != nil {
		return err
	}
	m.minutes.late = &priced{m.prices, stream.NewCounter(c, CountLateNano), m.minutes.late}
	return nil
}

func (m *minuteInvoice) ProcessElement(c *stream.Context, r gateway.RequestRecord, out stream.Collector[gateway.TenantWindow]) error {
	if _, known := m.prices[r.Model]; !known {
		m.count.Add(1)
		m.unpriced.Collect(r)
		return nil
	}
	return m.minutes.ProcessElement(c, r, out)
}

func (m *minuteInvoice) OnTimer(c *stream.Context, t stream.Timer, out stream.Collector[gateway.TenantWindow]) error {
	return m.minutes.OnTimer(c, t, out)
}

// priced counts the money of the records that pass.
type priced struct {
	prices gateway.Prices
	nano   stream.Counter
	to     stream.Collector[gateway.RequestRecord]
}

func (p *priced) Collect(r gateway.RequestRecord) {
	p.nano.Add(int64(p.prices[r.Model].Cost(r.PromptTokens, r.CompletionTokens)))
	p.to.Collect(r)
}
