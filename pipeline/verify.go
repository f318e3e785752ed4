package pipeline

import (
	"time"

	"gatewaymeter/engine"
	"gatewaymeter/gateway"
	"gatewaymeter/oracle"
	"gatewaymeter/stream"
)

// Bound is B: how far the job's watermarks stay behind the greatest timestamp of a partition. It is
// the generator's bound, so that no event is late.
const Bound = 5 * time.Second

// Lateness is how long a window is kept for late records.
const Lateness = 30 * time.Second

// Expect asks the oracle for what a correct job makes of an input.
func Expect(stage int, topic string, input []stream.Message) (*oracle.Invoice, error) {
	return ExpectUntil(func() error { return nil }, stage, topic, input)
}

// ExpectUntil is Expect until stop, which is asked now and then, has an error.
func ExpectUntil(stop func() error, stage int, topic string, input []stream.Message) (*oracle.Invoice, error) {
	return oracle.ExpectUntil(stop, OracleLog(input), oracle.Options{
		Stage: stage, Bound: Bound.Milliseconds(), Lateness: Lateness.Milliseconds(), Topic: topic,
	})
}

// OracleLog is messages as the oracle reads them: it knows no type of this module.
func OracleLog(input []stream.Message) []oracle.Message {
	log := make([]oracle.Message, len(input))
	for i, m := range input {
		log[i] = oracle.Message{Partition: m.Partition, Offset: m.Offset, Key: m.Key, Value: m.Value}
	}
	return log
}

// Verify holds a job's output and counts against the oracle's invoice. The order of the differences is
// the oracle's.
func Verify(invoice *oracle.Invoice, out *Output, counts oracle.Counts) []oracle.Difference {
	return invoice.Check(oracle.Outputs{
		Totals: totalLines(out.Totals), Windows: windowLines(out.Invoice), Late: recordLines(out.Late),
		Unpriced: recordLines(out.Unpriced), DeadLetters: deadLetterLines(out.DeadLetters), Counts: counts,
	})
}

// Count is the figures of a run: the job's own counters, which are checkpointed state, and sums over
// what it has written. Requests is the oracle's, since no operator counts requests.
func Count(stage int, invoice *oracle.Invoice, out *Output, result *engine.Result) oracle.Counts {
	c := oracle.Counts{
		Requests:    invoice.Counts.Requests,
		Events:      result.Counters["gateway-source/events"],
		Malformed:   result.Counters["gateway-source/malformed"],
		Duplicates:  result.Counters["dedupe/duplicates"],
		Abandoned:   result.Counters["assemble/abandoned"],
		Unmatched:   result.Counters["assemble/unmatched"],
		Unpriced:    result.Counters["tenant-cost/unpriced"] + result.Counters["tenant-minute/unpriced"],
		Late:        int64(len(out.Late)),
		OpenEntries: int64(result.Entries["assemble/open"]),
		Timers:      int64(result.Timers),
	}
	last, count := standing(stage, out)
	for id, sum := range last {
		c.USDNano += int64(sum)
		c.Records += count[id]
	}
	prices := gateway.ListPrices()
	for _, r := range out.Late {
		c.USDNano += int64(prices[r.Model].Cost(r.PromptTokens, r.CompletionTokens))
	}
	c.Records += c.Unpriced + c.Late
	c.Tenants = tenants(out)
	return c
}

// billed identifies a line of the bill: a later line with the same identity replaces it.
type billed struct {
	tenant string
	start  int64
}

// standing is what each bill stands at after all its lines, and how many records are in it: the total
// of a tenant in stage 03, the sum of a tenant's minute later on.
func standing(stage int, out *Output) (last map[billed]gateway.NanoUSD, count map[billed]int64) {
	last, count = map[billed]gateway.NanoUSD{}, map[billed]int64{}
	if stage == 3 {
		for _, t := range out.Totals {
			id := billed{tenant: t.TenantID}
			if t.Seq >= count[id] {
				last[id], count[id] = t.Total, t.Seq
			}
		}
	} else {
		for _, w := range out.Invoice {
			id := billed{w.TenantID, w.Start}
			last[id], count[id] = w.Sum, w.Requests
		}
	}
	return last, count
}

// tenants counts the tenants with a bill, late ones included.
func tenants(out *Output) int64 {
	seen := map[string]bool{}
	for _, t := range out.Totals {
		seen[t.TenantID] = true
	}
	for _, w := range out.Invoice {
		seen[w.TenantID] = true
	}
	for _, r := range out.Late {
		seen[r.TenantID] = true
	}
	return int64(len(seen))
}

// The oracle knows no type of this module, so its lines are copied field by field.

func totalLines(in []gateway.TenantTotal) []oracle.Total {
	out := make([]oracle.Total, len(in))
	for i, t := range in {
		out[i] = oracle.Total{TenantID: t.TenantID, RequestID: t.RequestID, Seq: t.Seq, Cost: int64(t.Cost), Total: int64(t.Total)}
	}
	return out
}

func windowLines(in []gateway.TenantWindow) []oracle.Window {
	out := make([]oracle.Window, len(in))
	for i, w := range in {
		out[i] = oracle.Window{TenantID: w.TenantID, Start: w.Start, End: w.End, Requests: w.Requests, Sum: int64(w.Sum)}
	}
	return out
}

func recordLines(in []gateway.RequestRecord) []oracle.Record {
	out := make([]oracle.Record, len(in))
	for i, r := range in {
		out[i] = oracle.Record(r)
	}
	return out
}

func deadLetterLines(in []gateway.DeadLetter) []oracle.DeadLetter {
	out := make([]oracle.DeadLetter, len(in))
	for i, d := range in {
		out[i] = oracle.DeadLetter{Raw: d.Raw, Reason: d.Reason, Topic: d.Topic, Partition: d.Partition, Offset: d.Offset}
	}
	return out
}

// Bills is what each tenant owes by the output's invoice or totals, the highest bill first. Open is
// always 0.
func Bills(out *Output) []TenantLine {
	b := NewBoard()
	stage := FirstStage
	if len(out.Totals) == 0 {
		stage = LastStage
	}
	last, count := standing(stage, out)
	for id, sum := range last {
		l := b.line(id.tenant)
		l.Bill += sum
		l.Requests += count[id]
	}
	return b.Lines()
}
