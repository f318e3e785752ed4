package checkpoints

import (
	"cmp"
	"slices"
	"sync"

	"gatewaymeter/gateway"
	"gatewaymeter/stream"
	"gatewaymeter/todo" // made from ../solution by "go tool lab starters"; this file is yours to edit
)

// BillID is the identity of an invoice line: a function of what it says, never of when it was said. A
// line that is sent again after a restore has the same.
type BillID struct {
	Tenant string
	Minute int64 // window_start, ms since the epoch
}

// IDOf is the identity of a line.
func IDOf(w gateway.TenantWindow) BillID {
	//lab:begin 7g
	panic(todo.Exercise("7g"))
	//lab:end
}

// Upserts is a table of bills that may be told the same line twice: a later line of the same identity
// replaces the earlier one. It stands for a database with that key, and survives the job. It may be
// used from several goroutines.
type Upserts struct {
	mu    sync.Mutex
	bills map[BillID]gateway.TenantWindow
}

// NewUpserts makes an empty table.
func NewUpserts() *Upserts { return &Upserts{bills: map[BillID]gateway.TenantWindow{}} }

// Sink writes into the table.
func (u *Upserts) Sink() stream.Sink[gateway.TenantWindow] { return upsertSink{u} }

// Bills are the lines that stand, by minute, then tenant.
func (u *Upserts) Bills() []gateway.TenantWindow {
	u.mu.Lock()
	defer u.mu.Unlock()
	lines := make([]gateway.TenantWindow, 0, len(u.bills))
	for _, w := range u.bills {
		lines = append(lines, w)
	}
	slices.SortFunc(lines, func(a, b gateway.TenantWindow) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.TenantID, b.TenantID))
	})
	return lines
}

type upsertSink struct{ to *Upserts }

func (upsertSink) Open(*stream.Context) error { return nil }

// Write puts a line into the table, over the one that stands there.
func (s upsertSink) Write(_ *stream.Context, w gateway.TenantWindow) error {
	//lab:begin 7g
	panic(todo.Exercise("7g"))
	//lab:end
}

func (upsertSink) Flush() stream.Work { return nil }
