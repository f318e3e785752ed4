package oracle

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// minute is the length of a window in ms.
const minute = 60_000

// prices is what a token costs in nano-USD, by model: for the prompt, for the completion.
var prices = map[string][2]int64{
	"model-a": {2500, 10000},
	"model-b": {500, 1500},
}

// Options say which job the invoice is for, and how it ran.
type Options struct {
	Stage    int    // 3 to 7
	Bound    int64  // ms by which the job's watermarks stay behind the greatest ts; used from stage 04 on
	Lateness int64  // ms that a window's state is kept for late records
	Topic    string // the input topic, as dead letters name it; "gateway-events" if empty

	// Resumed is for tests of idle partitions (lab 05): from its offset on, a partition is read after
	// having been idle, so the watermark may already be past its records.
	Resumed map[int32]int64

	// Repeats says that the job was restored on its way: lines may stand in an output topic more than
	// once, but then all lines of the same identity must be equal.
	Repeats bool
}

// Counts are the figures of a run, under the names of `lab run --json`.
type Counts struct {
	Requests    int64 `json:"requests"` // request ids with at least one well-formed event
	Events      int64 `json:"events"`   // messages in the log, all of them
	Malformed   int64 `json:"malformed"`
	Duplicates  int64 `json:"duplicates"`
	Records     int64 `json:"records"` // unpriced and abandoned ones included
	Abandoned   int64 `json:"abandoned"`
	Unmatched   int64 `json:"unmatched"`
	Unpriced    int64 `json:"unpriced"`
	Late        int64 `json:"late"` // expected: none, see Invoice.MayBeLate
	OpenEntries int64 `json:"open_entries"`
	Timers      int64 `json:"timers"`  // left at the end: none
	Tenants     int64 `json:"tenants"` // with at least one priced record
	USDNano     int64 `json:"usd_nano"`
}

// Bill is a record and what it costs.
type Bill struct {
	Record
	Cost   int64
	Surely bool // cannot be late: see the package doc
	onTime bool // cannot even make its window fire again
}

// Tenant is what a tenant owes in all.
type Tenant struct {
	TenantID string
	Requests int64
	Total    int64
}

// Invoice is what a correct job makes of a log. The lists are sorted by their identity.
type Invoice struct {
	Options     Options
	Counts      Counts
	Records     []Record // all, by request id
	Bills       []Bill   // the priced ones, by request id
	Unpriced    []Record
	Open        []string // request ids
	Tenants     []Tenant
	Windows     []Window // by start, then tenant, over all bills, late or not; nil at stage 03
	MayBeLate   int64    // how many bills may be in topic late instead of their window
	MaxLag      int64    // ms by which a first event stood behind the greatest ts before it in its partition
	DeadLetters []DeadLetter
}

// Expect works out the invoice of a log. The log holds the messages of all partitions, in any order
// between partitions and in the order of the log within each.
//
// It returns an error when the options make no sense or the log cannot be judged.
func Expect(log []Message, o Options) (*Invoice, error) {
	return ExpectUntil(func() error { return nil }, log, o)
}

// ExpectUntil is Expect that may be given up: it asks stop every thousand messages or so, and returns its
// error as soon as there is one. A context's Err is such a function.
func ExpectUntil(stop func() error, log []Message, o Options) (*Invoice, error) {
	if o.Stage < 3 || o.Stage > 7 || o.Bound < 0 || o.Lateness < 0 {
		return nil, fmt.Errorf("oracle: stage %d, bound %d ms, lateness %d ms: want a stage from 3 to 7 and no negative time", o.Stage, o.Bound, o.Lateness)
	}
	if o.Topic == "" {
		o.Topic = "gateway-events"
	}
	r, err := read(stop, log, o.Topic)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(r.requests, func(a, b *request) int { return strings.Compare(a.id, b.id) })

	v := &Invoice{Options: o, DeadLetters: r.deadLetters, MaxLag: r.maxLag}
	v.Counts = Counts{
		Requests: int64(len(r.requests)), Events: int64(len(log)),
		Malformed: int64(len(r.deadLetters)), Duplicates: r.duplicates,
	}
	for _, q := range r.requests {
		v.add(q, settle(q, o.Stage))
	}
	v.sum()
	return v, nil
}

// add enters one request.
func (v *Invoice) add(q *request, o outcome) {
	c := &v.Counts
	if o.unmatched {
		c.Unmatched++
	}
	if o.open {
		c.OpenEntries++
		v.Open = append(v.Open, q.id)
	}
	if o.record == nil {
		return
	}
	c.Records++
	if o.abandoned {
		c.Abandoned++
	}
	v.Records = append(v.Records, *o.record)
	price, known := prices[o.record.Model]
	if !known {
		c.Unpriced++
		v.Unpriced = append(v.Unpriced, *o.record)
		return
	}
	b := Bill{Record: *o.record, Surely: true, onTime: true}
	b.Cost = price[0]*b.PromptTokens + price[1]*b.CompletionTokens
	if v.Options.Stage >= 4 && !o.abandoned {
		b.Surely = v.safe(q, b.CompletedTS, v.Options.Lateness)
		b.onTime = v.safe(q, b.CompletedTS, 0)
	}
	v.Bills = append(v.Bills, b)
	if !b.Surely {
		v.MayBeLate++
	}
}

// safe tells whether the watermark cannot have passed the end of the window of completed, plus
// lateness, when the Completed event was read.
func (v *Invoice) safe(q *request, completed, lateness int64) bool {
	if from, resumed := v.Options.Resumed[q.partition]; resumed && q.offset >= from {
		return false
	}
	end := windowStart(completed) + minute
	return q.before == none || end-1+lateness > q.before-v.Options.Bound-1
}

func windowStart(ts int64) int64 { return ts - ts%minute }

// sum adds up the bills, per tenant and, from stage 04 on, per window.
func (v *Invoice) sum() {
	tenants := map[string]*Tenant{}
	for _, b := range v.Bills {
		t := tenants[b.TenantID]
		if t == nil {
			t = &Tenant{TenantID: b.TenantID}
			tenants[b.TenantID] = t
		}
		t.Requests++
		t.Total += b.Cost
		v.Counts.USDNano += b.Cost
	}
	for _, t := range tenants {
		v.Tenants = append(v.Tenants, *t)
	}
	slices.SortFunc(v.Tenants, func(a, b Tenant) int { return strings.Compare(a.TenantID, b.TenantID) })
	v.Counts.Tenants = int64(len(v.Tenants))
	if v.Options.Stage >= 4 {
		v.Windows = windows(v.Bills)
	}
}

// windowID is the identity of an invoice line.
type windowID struct {
	start  int64
	tenant string
}

func (a windowID) compare(b windowID) int {
	return cmp.Or(cmp.Compare(a.start, b.start), strings.Compare(a.tenant, b.tenant))
}

func (b Bill) window() windowID { return windowID{windowStart(b.CompletedTS), b.TenantID} }

// windows adds up bills per tenant and minute of completion.
func windows(bills []Bill) []Window {
	sums := map[windowID]*Window{}
	for _, b := range bills {
		id := b.window()
		w := sums[id]
		if w == nil {
			w = &Window{TenantID: id.tenant, Start: id.start, End: id.start + minute}
			sums[id] = w
		}
		w.Requests++
		w.Sum += b.Cost
	}
	lines := make([]Window, 0, len(sums))
	for _, w := range sums {
		lines = append(lines, *w)
	}
	slices.SortFunc(lines, func(a, b Window) int {
		return windowID{a.Start, a.TenantID}.compare(windowID{b.Start, b.TenantID})
	})
	return lines
}
