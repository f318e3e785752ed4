package pipeline

import (
	"cmp"
	"slices"
	"sync"

	"gatewaymeter/gateway"
	"gatewaymeter/stream"
)

// Board is what a running job shows: each tenant's requests, open requests and bill so far, and the alerts. It only
// watches: a job with a board gives the same results as one without. Its methods may be called from
// several goroutines.
type Board struct {
	mu      sync.Mutex
	tenants map[string]*TenantLine
	bills   map[billed]gateway.NanoUSD // of stages with windows: a later line replaces
	alerts  map[string]bool            // by id
}

// TenantLine is a tenant's line on the board.
type TenantLine struct {
	Tenant   string
	Requests int64 // finished, with a price or without; of Bills: on the bill
	Open     int64
	Bill     gateway.NanoUSD
}

// NewBoard makes an empty board.
func NewBoard() *Board {
	return &Board{tenants: map[string]*TenantLine{}, bills: map[billed]gateway.NanoUSD{}, alerts: map[string]bool{}}
}

// Lines are the tenants, the highest bill first.
func (b *Board) Lines() []TenantLine {
	b.mu.Lock()
	defer b.mu.Unlock()
	lines := make([]TenantLine, 0, len(b.tenants))
	for _, l := range b.tenants {
		lines = append(lines, *l)
	}
	slices.SortFunc(lines, func(x, y TenantLine) int {
		return cmp.Or(cmp.Compare(y.Bill, x.Bill), cmp.Compare(x.Tenant, y.Tenant))
	})
	return lines
}

// Alerts is how many alerts of the velocity check there are, by card and minute.
func (b *Board) Alerts() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.alerts)
}

func (b *Board) alert(a gateway.Alert) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.alerts[alertID(a)] = true
}

// Watch puts the board behind a job's functions and sinks.
func (b *Board) Watch(f *Functions, s *Sinks) {
	assemble := f.Assemble
	f.Assemble = func() stream.KeyedFunction[gateway.Event, gateway.RequestRecord] {
		return &watched{inner: assemble(), board: b}
	}
	totals, invoice, alerts := s.Totals, s.Invoice, s.Alerts
	s.Alerts = func() stream.Sink[gateway.Alert] { return watchedSink[gateway.Alert]{alerts(), b.alert} }
	s.Totals = func() stream.Sink[gateway.TenantTotal] {
		return watchedSink[gateway.TenantTotal]{totals(), func(t gateway.TenantTotal) { b.bill(t.TenantID, 0, t.Total) }}
	}
	s.Invoice = func() stream.Sink[gateway.TenantWindow] {
		return watchedSink[gateway.TenantWindow]{invoice(), func(w gateway.TenantWindow) { b.bill(w.TenantID, w.Start, w.Sum) }}
	}
}

func (b *Board) line(tenant string) *TenantLine {
	l := b.tenants[tenant]
	if l == nil {
		l = &TenantLine{Tenant: tenant}
		b.tenants[tenant] = l
	}
	return l
}

// bill replaces what a bill stood at: a tenant's total, or its sum of one minute.
func (b *Board) bill(tenant string, start int64, sum gateway.NanoUSD) {
	b.mu.Lock()
	defer b.mu.Unlock()
	id := billed{tenant, start}
	b.line(tenant).Bill += sum - b.bills[id]
	b.bills[id] = sum
}

func (b *Board) started(tenant string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.line(tenant).Open++
}

func (b *Board) finished(tenant string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	l := b.line(tenant)
	l.Open--
	l.Requests++
}

// watched is an assembler with the board beside it.
type watched struct {
	inner stream.KeyedFunction[gateway.Event, gateway.RequestRecord]
	board *Board
}

func (w *watched) Open(c *stream.Context) error { return w.inner.Open(c) }

func (w *watched) ProcessElement(c *stream.Context, e gateway.Event, out stream.Collector[gateway.RequestRecord]) error {
	if e.Type == gateway.RequestStarted {
		w.board.started(e.TenantID)
	}
	return w.inner.ProcessElement(c, e, watchedOut{out, w.board})
}

// OnTimer implements stream.TimerFunction; it is called only if the inner function asked for a timer.
func (w *watched) OnTimer(c *stream.Context, t stream.Timer, out stream.Collector[gateway.RequestRecord]) error {
	return w.inner.(stream.TimerFunction[gateway.RequestRecord]).OnTimer(c, t, watchedOut{out, w.board})
}

type watchedOut struct {
	out   stream.Collector[gateway.RequestRecord]
	board *Board
}

func (w watchedOut) Collect(r gateway.RequestRecord) {
	w.board.finished(r.TenantID)
	w.out.Collect(r)
}

// watchedSink is a sink with the board beside it.
type watchedSink[T any] struct {
	stream.Sink[T]
	note func(T)
}

func (s watchedSink[T]) Write(c *stream.Context, v T) error {
	s.note(v)
	return s.Sink.Write(c, v)
}
