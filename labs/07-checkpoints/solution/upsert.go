package checkpoints

import (
	"sync"

	"gatewaymeter/gateway"
	"gatewaymeter/stream"
)

// BillID is the identity of an invoice line: a function of what it says, never of when it was said. A
// line that is sent again after a restore has the same.
type BillID struct {
	Tenant string
	Minute int64 // window_start, ms since the epoch
}

// BillIDOf is the identity of a line of the invoice.
func BillIDOf(w gateway.TenantWindow) BillID {
	//lab:begin 7g
	return BillID{Tenant: w.TenantID, Minute: w.Start}
	//lab:end
}

// AlertID is the identity of an alert. While a card goes on within its minute, alerts with a greater total
// follow: they are the same alert.
type AlertID struct {
	Card   string
	Minute int64 // its start, ms since the epoch
}

// AlertIDOf is the identity of an alert.
func AlertIDOf(a gateway.Alert) AlertID {
	//lab:begin 7g
	return AlertID{Card: a.Card, Minute: a.Minute}
	//lab:end
}

// Upserts is a table that may be told the same line twice: a later line of the same identity replaces the
// earlier one (Kafka Connect and Flink's JDBC sink call it upsert mode). It stands for a database with
// that primary key, and survives the job. It may be used from several goroutines.
type Upserts[ID comparable, T any] struct {
	idOf func(T) ID

	mu    sync.Mutex
	lines map[ID]T
	order []ID // as they were first told
}

// NewUpserts makes an empty table whose primary key is idOf.
func NewUpserts[ID comparable, T any](idOf func(T) ID) *Upserts[ID, T] {
	return &Upserts[ID, T]{idOf: idOf, lines: map[ID]T{}}
}

// Sink writes into the table.
func (u *Upserts[ID, T]) Sink() stream.Sink[T] { return upsertSink[ID, T]{u} }

// Lines are the lines that stand, in the order in which each identity was first told.
func (u *Upserts[ID, T]) Lines() []T {
	u.mu.Lock()
	defer u.mu.Unlock()
	lines := make([]T, len(u.order))
	for i, id := range u.order {
		lines[i] = u.lines[id]
	}
	return lines
}

type upsertSink[ID comparable, T any] struct{ to *Upserts[ID, T] }

func (upsertSink[ID, T]) Open(*stream.Context) error { return nil }

// Write puts a line into the table, over the one that stands there.
func (s upsertSink[ID, T]) Write(_ *stream.Context, v T) error {
	//lab:begin 7g
	s.to.mu.Lock()
	defer s.to.mu.Unlock()
	id := s.to.idOf(v)
	if _, known := s.to.lines[id]; !known {
		s.to.order = append(s.to.order, id)
	}
	s.to.lines[id] = v
	return nil
	//lab:end
}

func (upsertSink[ID, T]) Flush() stream.Work { return nil }
