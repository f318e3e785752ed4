package conformance

import (
	"cmp"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"gatewaymeter/gateway"
	"gatewaymeter/harness"
	operators "gatewaymeter/labs/03-stateful-operators/solution"
	windows "gatewaymeter/labs/04-windows/solution"
	timers "gatewaymeter/labs/06-timers/solution"
	"gatewaymeter/stream"
)

type meterCase struct {
	ID       string        `json:"id"`
	Disorder int64         `json:"out_of_orderness_ms"` // of the script's watermarks
	Actions  []meterAction `json:"actions"`
	End      meterEnd      `json:"end"`
}

type meterAction struct {
	Op               string `json:"op"`
	RequestID        string `json:"request_id"`
	TenantID         string `json:"tenant_id"`
	Model            string `json:"model"`
	StartedTS        int64  `json:"started_ts"`
	PromptTokens     int64  `json:"prompt_tokens"`
	CompletedTS      int64  `json:"completed_ts"`
	CompletionTokens int64  `json:"completion_tokens"`
	Status           string `json:"status"`
	TS               int64  `json:"ts"`
	meterSeen
}

func (a meterAction) String() string {
	switch a.Op {
	case "started":
		return fmt.Sprintf("started %s of %s, %s, %d tokens @%d", a.RequestID, a.TenantID, a.Model, a.PromptTokens, a.StartedTS)
	case "completed":
		return fmt.Sprintf("completed %s, %d tokens, %s @%d", a.RequestID, a.CompletionTokens, a.Status, a.CompletedTS)
	case "watermark":
		return fmt.Sprintf("watermark %d", a.TS)
	}
	return a.Op
}

// meterSeen is everything that is seen right after an action.
type meterSeen struct {
	Records     []meterRecord `json:"records"`
	Windows     []meterWindow `json:"windows"`
	Late        []meterLate   `json:"late"`
	Dropped     int64         `json:"dropped"`
	Open        int           `json:"open"`
	Timers      int           `json:"timers"`
	OpenWindows int           `json:"open_windows"`
}

// equal takes a list that is absent for an empty one.
func (want meterSeen) equal(got meterSeen) bool {
	return slices.Equal(want.Records, got.Records) && slices.Equal(want.Windows, got.Windows) &&
		slices.Equal(want.Late, got.Late) && want.Dropped == got.Dropped && want.Open == got.Open &&
		want.Timers == got.Timers && want.OpenWindows == got.OpenWindows
}

type meterRecord struct {
	gateway.RequestRecord
	CostNano   gateway.NanoUSD `json:"cost_nano"`
	TotalNano  gateway.NanoUSD `json:"total_nano"`
	TotalMicro int64           `json:"total_micro"`
	TotalUSD   float64         `json:"total_usd"`
}

type meterWindow struct {
	TenantID string          `json:"tenant_id"`
	Start    int64           `json:"start"`
	End      int64           `json:"end"`
	Sum      gateway.NanoUSD `json:"sum_nano"`
	Count    int64           `json:"count"`
}

type meterLate struct {
	TenantID    string          `json:"tenant_id"`
	Cost        gateway.NanoUSD `json:"cost_nano"`
	CompletedTS int64           `json:"completed_ts"`
}

// meterEnd is what is left of the three operators. Flink's tenant cost has two states.
type meterEnd struct {
	AssemblerEntries int   `json:"assembler_entries"`
	AssemblerTimers  int   `json:"assembler_timers"`
	CostEntries      int   `json:"cost_entries"`
	WindowEntries    int   `json:"window_entries"`
	WindowTimers     int   `json:"window_timers"`
	WindowDropped    int64 `json:"window_dropped"`
}

// meter is the three operators, one behind the other.
type meter struct {
	t        *testing.T
	prices   gateway.Prices
	assemble *harness.Keyed[gateway.Event, gateway.RequestRecord]
	totals   *harness.Keyed[gateway.RequestRecord, gateway.TenantTotal]
	minutes  *harness.Keyed[gateway.RequestRecord, gateway.TenantWindow]
	usd      map[string]float64 // what a sum of doubles comes to; see meter.bill
}

func newMeter(t *testing.T) *meter {
	m := &meter{t: t, prices: gateway.ListPrices(), usd: map[string]float64{}}
	m.open([3][]harness.Option{})
	return m
}

func (m *meter) open(from [3][]harness.Option) {
	byTenant := func(r gateway.RequestRecord) string { return r.TenantID }
	m.assemble = harness.NewKeyed(m.t, parts(m.t), func(e gateway.Event) string { return e.RequestID }, timers.NewAssembler(), from[0]...)
	m.totals = harness.NewKeyed(m.t, parts(m.t), byTenant, operators.NewTenantCost(m.prices), from[1]...)
	m.minutes = harness.NewKeyed(m.t, parts(m.t), byTenant, windows.NewMinuteInvoice(m.prices, 0), from[2]...)
}

func (m *meter) restore() {
	from := [3][]harness.Option{
		{harness.From(m.assemble.Snapshot())}, {harness.From(m.totals.Snapshot())}, {harness.From(m.minutes.Snapshot())},
	}
	m.assemble.Close()
	m.totals.Close()
	m.minutes.Close()
	m.open(from)
}

func (m *meter) run(a meterAction) meterSeen {
	switch a.Op {
	case "started":
		m.assemble.ProcessElement(gateway.Event{
			Type: gateway.RequestStarted, RequestID: a.RequestID, TenantID: a.TenantID, Model: a.Model,
			TS: a.StartedTS, PromptTokens: a.PromptTokens,
		}, stream.Time(a.StartedTS))
	case "completed":
		m.assemble.ProcessElement(gateway.Event{
			Type: gateway.RequestCompleted, RequestID: a.RequestID, TS: a.CompletedTS,
			CompletionTokens: a.CompletionTokens, Status: a.Status,
		}, stream.Time(a.CompletedTS))
	case "watermark":
		m.assemble.ProcessWatermark(stream.Time(a.TS))
	case "restore":
		m.restore()
	default:
		require.Failf(m.t, "unknown op", "%q", a.Op)
	}
	var seen meterSeen
	for _, r := range m.assemble.Outputs() {
		seen.Records = append(seen.Records, m.bill(r))
	}
	if a.Op == "watermark" { // behind the records
		m.totals.ProcessWatermark(stream.Time(a.TS))
		m.minutes.ProcessWatermark(stream.Time(a.TS))
	}
	m.collect(&seen)
	return seen
}

// bill passes a record on to the two operators behind the assembler. The engine has no sum of doubles,
// so the test keeps it: the file's shows that the records come in Flink's order.
func (m *meter) bill(r stream.Record[gateway.RequestRecord]) meterRecord {
	m.totals.ProcessElement(r.Value, r.Time)
	m.minutes.ProcessElement(r.Value, r.Time)
	line := m.totals.Values()[0]
	usd := map[string][2]float64{"model-a": {0.0025, 0.0100}, "model-b": {0.0005, 0.0015}}[r.Value.Model]
	prompt, completion := float64(r.Value.PromptTokens)/1000*usd[0], float64(r.Value.CompletionTokens)/1000*usd[1]
	m.usd[line.TenantID] += prompt + completion
	if r.Value.Status != gateway.StatusAbandoned {
		// The scripts' completions do not tell their latency, as the gateway's do.
		r.Value.LatencyMS = r.Value.CompletedTS - r.Value.StartedTS
	}
	return meterRecord{
		RequestRecord: r.Value, CostNano: line.Cost, TotalNano: line.Total,
		TotalMicro: (int64(line.Total) + 500) / 1000, TotalUSD: m.usd[line.TenantID],
	}
}

func (m *meter) collect(seen *meterSeen) {
	for _, w := range m.minutes.Values() {
		seen.Windows = append(seen.Windows, meterWindow{w.TenantID, w.Start, w.End, w.Sum, w.Requests})
	}
	slices.SortStableFunc(seen.Windows, func(a, b meterWindow) int {
		return cmp.Or(cmp.Compare(a.End, b.End), cmp.Compare(a.TenantID, b.TenantID))
	})
	for _, r := range harness.SideOutputs(m.minutes, windows.Late) {
		v := r.Value
		seen.Late = append(seen.Late, meterLate{v.TenantID, m.prices[v.Model].Cost(v.PromptTokens, v.CompletionTokens), v.CompletedTS})
	}
	seen.Dropped = m.assemble.Counter("unmatched")
	seen.Open, seen.Timers = m.assemble.Entries("open"), m.assemble.EventTimers()
	seen.OpenWindows = m.openWindows()
}

func (m *meter) openWindows() (n int) {
	m.minutes.Each(windows.StateName, func(_ string, v any) error {
		n += len(v.([]stream.MapEntry))
		return nil
	})
	return n
}

// TestGatewaymeter: the application's three operators, without the EventTimeRule, which Flink's job
// does not have.
func TestGatewaymeter(t *testing.T) {
	Each(t, "gatewaymeter.jsonl", func(t *testing.T, line int, c meterCase) {
		m := newMeter(t)
		for i, a := range c.Actions {
			if got := m.run(a); !a.equal(got) {
				t.Fatalf("line %d, case %s\n%sgot  %+v\nwant %+v", line, c.ID, steps(c.Actions[:i+1]), got, a.meterSeen)
			}
		}
		require.Equal(t, c.End, meterEnd{
			AssemblerEntries: m.assemble.Entries("open"),
			AssemblerTimers:  m.assemble.EventTimers(),
			CostEntries:      2 * m.totals.Entries("usd_total"),
			WindowEntries:    m.openWindows(),
			WindowTimers:     m.minutes.EventTimers(),
			WindowDropped:    m.minutes.Counter(windows.CountDropped),
		}, c.ID)
	})
}
