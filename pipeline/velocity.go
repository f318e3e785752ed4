package pipeline

import (
	"fmt"

	"gatewaymeter/engine"
	"gatewaymeter/gateway"
	"gatewaymeter/generator"
	"gatewaymeter/oracle"
	"gatewaymeter/stream"
)

// The velocity check is the job's second branch, from stage 06: topic card-transactions in, topic alerts
// out. It shares nothing with the bill but the engine, and has a verdict of the oracle of its own.

// FirstWithCards is the stage whose job watches cards.
const FirstWithCards = 6

// CardTraffic is the card transactions that go with so many requests: fewer, with bursts of single cards
// among them, and cards enough for every subtask.
func CardTraffic(requests int, seed uint64) generator.TransactionParams {
	p := generator.DefaultTransactions(max(80, requests/4), seed)
	p.Cards = min(max(p.Cards, p.Transactions/5), 1000)
	return p
}

// RecordCards makes generated card transactions a topic in memory.
func RecordCards(p generator.TransactionParams, topic string, partitions int) *Recorded {
	r := NewRecorded(topic, partitions)
	messages, _ := generator.NewTransactions(p)
	for _, m := range messages {
		r.Append(m.Key, m.Value)
	}
	return r
}

// CardsReport is what the velocity check came to in a run, besides its differences.
type CardsReport struct {
	Transactions int64 `json:"transactions"` // read from card-transactions, malformed ones included
	Alerts       int64 `json:"alerts"`       // ids card + minute in topic alerts, however often each was told
}

// JudgeCards holds the velocity check's output and counts against the oracle's alerts for its input. The
// identity of an alert is card and minute, and of its lines the one with the largest total stands: so
// neither the rise of a total within a minute nor a repetition after a restore is a difference.
func JudgeCards(input []stream.Message, out *Output, result *engine.Result) (CardsReport, []oracle.Difference, error) {
	v, err := oracle.ExpectAlerts(OracleLog(input))
	if err != nil {
		return CardsReport{}, nil, err
	}
	r, ds := judgeCards(v, out, result)
	return r, ds, nil
}

// judgeCards is JudgeCards for an input that the oracle has read.
func judgeCards(v *oracle.Velocity, out *Output, result *engine.Result) (CardsReport, []oracle.Difference) {
	r := CardsReport{Transactions: result.Counters["card-source/events"]}
	ids := map[string]bool{}
	lines := make([]oracle.Alert, len(out.Alerts))
	for i, a := range out.Alerts {
		lines[i] = oracle.Alert(a)
		ids[alertID(a)] = true
	}
	r.Alerts = int64(len(ids))
	ds := v.CheckAlerts(lines)
	for _, c := range []struct {
		name      string
		got, want int64
	}{
		{"transactions", r.Transactions, v.Events},
		{"malformed transactions", result.Counters["card-source/malformed"], v.Malformed},
		{"minutes left", int64(result.Entries["velocity-check/minutes"]), 0},
	} {
		if c.got != c.want {
			ds = append(ds, oracle.Difference{Where: c.name, Engine: fmt.Sprint(c.got), Oracle: fmt.Sprint(c.want)})
		}
	}
	return r, ds
}

// alertID is the identity of an alert, and its key in topic alerts: who reads the topic as a table has
// one row for each, and a later line of the same id replaces the earlier one.
func alertID(a gateway.Alert) string { return fmt.Sprintf("%s@%d", a.Card, a.Minute) }
