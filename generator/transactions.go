package generator

import (
	"encoding/json"
	"fmt"
	"iter"
	"time"

	"gatewaymeter/gateway"
)

// TransactionParams say what to generate for topic card-transactions (VelocityCheck, lab 06).
type TransactionParams struct {
	Seed         uint64
	Transactions int           // in all
	Cards        int           // equally busy
	Start        int64         // event time of the first transaction, ms since the epoch
	Bound        time.Duration // B: how far a transaction may lag behind the greatest ts before it
	Disorder     float64       // of transactions: lag by 0 to B
	Bursts       float64       // of minutes: some card makes 6 to 12 transactions within that minute
}

// DefaultTransactions returns quiet cards with a burst every other minute.
func DefaultTransactions(transactions int, seed uint64) TransactionParams {
	return TransactionParams{
		Seed: seed, Transactions: transactions, Cards: 20, Start: 1_700_000_040_000,
		Bound: 5 * time.Second, Disorder: 0.25, Bursts: 0.5,
	}
}

// Validate returns an error that names the first parameter that is out of range, and the range.
func (p TransactionParams) Validate() error {
	bad := func(field string, got any, want string) error {
		return fmt.Errorf("generator: %s is %v: want %s", field, got, want)
	}
	switch {
	case p.Transactions < 0:
		return bad("Transactions", p.Transactions, "0 or more")
	case p.Cards < 1 || p.Cards > 1_000_000:
		return bad("Cards", p.Cards, "1 to 1000000")
	case p.Bound < 0 || p.Bound > 24*time.Hour:
		return bad("Bound", p.Bound, "0s to 24h")
	case p.Start < p.Bound.Milliseconds() || p.Start > 1<<52:
		return bad("Start", p.Start, fmt.Sprintf("Bound (%d ms) to 2^52 ms", p.Bound.Milliseconds()))
	case !(p.Disorder >= 0 && p.Disorder <= 1):
		return bad("Disorder", p.Disorder, "a share from 0 to 1")
	case !(p.Bursts >= 0 && p.Bursts <= 1):
		return bad("Bursts", p.Bursts, "a share from 0 to 1")
	}
	return nil
}

// Burst is a card that makes more than five transactions within one minute, so that an alert is sure.
type Burst struct {
	Card   string
	Minute int64 // its start, ms since the epoch
	Count  int   // transactions of the burst; the card may make one more on its own
}

// NewTransactions returns the messages and the truth about them. Minute by minute, a card that is not
// in a burst makes at most one transaction, which is never enough for an alert without a burst.
// Messages lag at most B, and those of a card belong in one partition: see PartitionOf.
//
// It panics if the parameters are invalid.
func NewTransactions(p TransactionParams) ([]Message, []Burst) {
	if err := p.Validate(); err != nil {
		panic(err)
	}
	g := &transactions{p: p, from: newRandom(p.Seed, "cards")}
	bursts := newSchedule(p.Seed, "bursts", p.Bursts)
	for minute := int64(0); g.made < p.Transactions; minute++ {
		start := p.Start - p.Start%60_000 + (minute+1)*60_000
		if bursts.take(minute) {
			g.burst(start)
		}
		for c := range p.Cards {
			if g.from.next()&3 == 0 {
				g.add(c, start+g.from.below(60_000))
			}
		}
	}
	var out []Message
	for m := range g.all() {
		out = append(out, m)
	}
	return out, g.bursts
}

type transactions struct {
	p       TransactionParams
	from    random
	waiting queue[gateway.Transaction]
	made    int
	bursts  []Burst
}

// burst is left out if the end of the input would cut it short.
func (g *transactions) burst(start int64) {
	n := int(g.from.between(6, 12))
	if g.made+n > g.p.Transactions {
		return
	}
	card := int(g.from.below(int64(g.p.Cards)))
	g.bursts = append(g.bursts, Burst{Card: cardName(card), Minute: start, Count: n})
	for range n {
		g.add(card, start+g.from.below(60_000))
	}
}

// add sends a transaction on its way. It reaches the log at its ts plus a lag, so that it lags no more.
func (g *transactions) add(card int, ts int64) {
	if g.made == g.p.Transactions {
		return
	}
	t := gateway.Transaction{Card: cardName(card), ID: fmt.Sprintf("t-%d", g.made), Amount: 1 + g.from.skewed(100_000), TS: ts}
	g.made++
	share, lag := g.from.share(), g.from.between(0, g.p.Bound.Milliseconds())
	if share >= g.p.Disorder {
		lag = 0
	}
	g.waiting.push(ts+lag, t)
}

func (g *transactions) all() iter.Seq[Message] {
	return func(yield func(Message) bool) {
		for !g.waiting.empty() {
			_, t := g.waiting.pop()
			value, err := json.Marshal(t)
			if err != nil { // strings and integers always marshal
				panic(err)
			}
			if !yield(Message{Key: []byte(t.Card), Value: value, TS: t.TS, Partition: NoPartition}) {
				return
			}
		}
	}
}

func cardName(c int) string { return fmt.Sprintf("card-%04d", c) }
