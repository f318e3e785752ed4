package oracle

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// limit is how many transactions a card may make in a minute and the two before it.
const limit = 5

// Velocity is what VelocityCheck (lab 06) must make of topic card-transactions.
type Velocity struct {
	Events    int64
	Malformed int64
	Alerts    []Alert // by card, then minute: the one with the largest total for each
}

// ExpectAlerts works out the alerts of a log of topic card-transactions. Per card, in the order of the
// log, each transaction counts itself and those before it whose minute is its own or one of the two
// before that; more than five make an alert for the card and its minute.
//
// A transaction is a JSON object in valid UTF-8 with card (a string, the message's key), id (a string,
// not empty), amount_cents and ts (integers, 0 to 2^53-1); all else is malformed and counts for nothing.
// There is no rule against duplicates: each message is a transaction.
//
// It returns an error when a card is in two partitions or offsets do not ascend.
func ExpectAlerts(log []Message) (*Velocity, error) {
	type id struct {
		card   string
		minute int64
	}
	v := &Velocity{Events: int64(len(log))}
	count, total := map[id]int64{}, map[id]int64{}
	home, next := map[string]int32{}, map[int32]int64{}
	for _, m := range log {
		if m.Offset < next[m.Partition] {
			return nil, fmt.Errorf("oracle: offset %d of partition %d comes after offset %d: pass each partition's messages once, in the order of the log",
				m.Offset, m.Partition, next[m.Partition]-1)
		}
		next[m.Partition] = m.Offset + 1
		card, ts, ok := transaction(m)
		if !ok {
			v.Malformed++
			continue
		}
		if p, seen := home[card]; seen && p != m.Partition {
			return nil, fmt.Errorf("oracle: card %q is in partitions %d and %d: their order is not known", card, p, m.Partition)
		}
		home[card] = m.Partition
		now := windowStart(ts)
		count[id{card, now}]++
		total[id{card, now}] = count[id{card, now}] + count[id{card, now - minute}] + count[id{card, now - 2*minute}]
	}
	for k, n := range total { // within a minute the sum only rises, so the last one is the largest
		if n > limit {
			v.Alerts = append(v.Alerts, Alert{Card: k.card, Minute: k.minute, Total: n})
		}
	}
	slices.SortFunc(v.Alerts, func(a, b Alert) int {
		return cmp.Or(strings.Compare(a.Card, b.Card), cmp.Compare(a.Minute, b.Minute))
	})
	return v, nil
}

// transaction reads the two fields that matter, and whether the message is well-formed.
func transaction(m Message) (card string, ts int64, ok bool) {
	if !utf8.Valid(m.Value) || !json.Valid(m.Value) {
		return "", 0, false
	}
	object, fault := members(m.Value)
	f := &fields{of: object}
	card = f.text("card")
	f.text("id")
	f.integer("amount_cents", maxInteger)
	ts = f.integer("ts", maxInteger)
	return card, ts, fault == "" && len(f.faults) == 0 && card == string(m.Key)
}

// CheckAlerts compares topic alerts. A card's minute may alert again and again with a rising total: the
// largest stands.
func (v *Velocity) CheckAlerts(got []Alert) []Difference {
	lines := func(alerts []Alert) []line {
		out := make([]line, len(alerts))
		for i, a := range alerts {
			out[i] = line{fmt.Sprintf("%s %d", a.Card, a.Minute), fmt.Sprintf("%d transactions", a.Total)}
		}
		return out
	}
	type id struct {
		card   string
		minute int64
	}
	at := map[id]int{} // where the card's minute stands in last
	var last []Alert
	for _, a := range got {
		i, seen := at[id{a.Card, a.Minute}]
		if !seen {
			at[id{a.Card, a.Minute}] = len(last)
			last = append(last, a)
			continue
		}
		last[i].Total = max(last[i].Total, a.Total)
	}
	return compare("alerts", lines(v.Alerts), lines(last), false)
}
