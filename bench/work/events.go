package work

import "strconv"

// What the work is made of. Times are in ms of event time.
const (
	PoolSize       = 1000          // requests in flight at once
	T0             = 1700000040000 // the first event's time; a multiple of a minute
	Disorder       = 5000          // an event is late by less than this
	TimeoutMS      = 300_000       // a request is abandoned this long after its start
	WindowMS       = 60_000        // the size of a window
	WatermarkEvery = 200           // events between two watermarks
)

// DefaultSeed is the seed of WORK.md's tables.
const DefaultSeed = 42

// Kind tells a request's start from its completion.
type Kind uint8

// The kinds of events.
const (
	Started Kind = iota
	Completed
)

// Event is one message of the input. Tenant, Model and Prompt are those of a start, Completion that of
// a completion; what an event does not have is zero.
type Event struct {
	ID         string
	Tenant     string
	TS         int64
	Prompt     int32
	Completion int32
	Kind       Kind
	Model      uint8 // 0 model-a, 1 model-b
}

// Events makes the input of a number of requests.
type Events struct {
	requests int64
	seed     uint64
	started  int64
	next     uint64 // the number of the next event
	pool     []pooled
	tenant   []uint16
	names    []string
}

// pooled is a request in flight.
type pooled struct{ n, startedTS int64 }

// NewEvents is the input from its start.
func NewEvents(requests int64, seed uint64) *Events {
	table, _ := TenantTable()
	return &Events{
		requests: requests, seed: seed,
		pool: make([]pooled, 0, PoolSize), tenant: table, names: tenantNames(),
	}
}

// Next fills e with the next event; false is the end of input.
func (g *Events) Next(e *Event) bool {
	r := random(^g.seed, g.next+1)
	ts := int64(T0 + g.next)
	if r&7 == 0 {
		ts -= int64((((r >> 3) & 0xFFFF) * Disorder) >> 16)
	}
	var n int64
	switch {
	case g.started < g.requests && len(g.pool) < PoolSize:
		n = g.start(e, ts)
	case len(g.pool) > 0:
		n = g.complete(e, ts, r)
	default:
		return false
	}
	g.next++
	var buf [24]byte
	e.ID = string(strconv.AppendInt(append(buf[:0], 'r', '-'), n, 10)) // built anew, as decoding would
	return true
}

// start makes the next request's first event, and gives its number.
func (g *Events) start(e *Event, ts int64) int64 {
	n := g.started
	g.started++
	a := random(g.seed, uint64(2*n+1))
	*e = Event{
		Kind: Started, TS: ts, Tenant: g.names[g.tenant[a&0xFFFF]],
		Model: uint8(a>>16) & 1, Prompt: 1 + int32((a>>17)&2047),
	}
	if !abandoned(g.seed, n) {
		g.pool = append(g.pool, pooled{n, ts})
	}
	return n
}

// complete makes the second event of a request in flight, which r picks, and gives its number.
func (g *Events) complete(e *Event, ts int64, r uint64) int64 {
	j := ((r >> 32) * uint64(len(g.pool))) >> 32
	p := g.pool[j]
	last := len(g.pool) - 1
	g.pool[j] = g.pool[last]
	g.pool = g.pool[:last]
	b := random(g.seed, uint64(2*p.n+2))
	*e = Event{Kind: Completed, TS: max(ts, p.startedTS+1), Completion: 1 + int32(b&1023)}
	return p.n
}

// Abandoned counts the requests that are never completed.
func Abandoned(requests int64, seed uint64) (count int64) {
	for n := range requests {
		if abandoned(seed, n) {
			count++
		}
	}
	return count
}

func abandoned(seed uint64, n int64) bool {
	b := random(seed, uint64(2*n+2))
	return ((b>>32)*100)>>32 == 0
}

// Cost is what a request costs, in nano-USD.
func Cost(model uint8, prompt, completion int32) int64 {
	if model == 0 {
		return int64(prompt)*2500 + int64(completion)*10000
	}
	return int64(prompt)*500 + int64(completion)*1500
}

// WindowStart is the start of the window that a time falls into.
func WindowStart(ts int64) int64 {
	rem := ts % WindowMS
	if rem < 0 {
		rem += WindowMS
	}
	return ts - rem
}
