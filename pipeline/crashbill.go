package pipeline

import (
	"fmt"
	"slices"

	"gatewaymeter/gateway"
	"gatewaymeter/oracle"
)

// report works out what became of each line of the bill.
func (c *crash) report() (*CrashReport, error) {
	r := &CrashReport{
		Seed: c.Seed, From: c.From, Fault: c.Fault, Fired: c.fired(), Oracle: "match",
		Deaths: c.deaths, Aborted: c.aborted, Events: len(c.Log.events.order),
	}
	if n := len(c.deaths); n > 0 {
		r.At = c.deaths[n-1].At
	}
	last := c.lives[len(c.lives)-1]
	before, after := linesOf(c.Stage, c.written(len(c.lives)-1)), linesOf(c.Stage, last.out)
	again := c.readAgain()
	for _, l := range c.Log.owed {
		first, wasWritten := before[l.id]
		second, isWritten := after[l.id]
		stands := second
		if !isWritten {
			stands = first
		}
		r.Survived.add(l.id, first, wasWritten)
		r.Recomputed.add(l.id, second, isWritten && slices.ContainsFunc(l.requests, func(id string) bool { return again[id] }))
		r.EmittedTwice.add(l.id, second, wasWritten && isWritten)
		r.NeverBilled.add(l.id, l.sum-stands, stands < l.sum)
	}
	all := c.standing()
	r.Repeated = all.repeated()
	if r.Wrong = oracle.Table(c.judge(all), 5); r.Wrong != "" {
		r.Oracle = "mismatch"
	}
	if c.From == FromEarliest {
		r.Alone = oracle.Table(c.judge(last.out), 5)
	}
	return r, nil
}

func (m *Money) add(id string, nano int64, when bool) {
	if when {
		m.Lines = append(m.Lines, id)
		m.USDNano += nano
	}
}

// judge holds an output against the oracle.
func (c *crash) judge(out *Output) []oracle.Difference {
	invoice := c.Log.invoice
	ds := Verify(invoice, out, Count(c.Stage, invoice, out, c.result))
	if c.Log.alerts != nil {
		_, more := judgeCards(c.Log.alerts, out, c.result)
		ds = append(ds, more...)
	}
	return ds
}

// repeated counts the lines that say what an earlier one had said: the same identity on the same topic.
func (o *Output) repeated() int {
	type position struct {
		partition int32
		offset    int64
	}
	return repeats(o.Totals, func(t gateway.TenantTotal) string { return t.RequestID }) +
		repeats(o.Invoice, func(w gateway.TenantWindow) billed { return billed{w.TenantID, w.Start} }) +
		repeats(o.DeadLetters, func(d gateway.DeadLetter) position { return position{d.Partition, d.Offset} }) +
		repeats(o.Unpriced, func(r gateway.RequestRecord) string { return r.RequestID }) +
		repeats(o.Late, func(r gateway.RequestRecord) string { return r.RequestID }) +
		repeats(o.Alerts, func(a gateway.Alert) gateway.Alert { return a })
}

func repeats[T any, ID comparable](lines []T, id func(T) ID) int {
	seen := make(map[ID]bool, len(lines))
	for _, l := range lines {
		seen[id(l)] = true
	}
	return len(lines) - len(seen)
}

func (o *Output) append(more *Output) {
	o.Totals = append(o.Totals, more.Totals...)
	o.Invoice = append(o.Invoice, more.Invoice...)
	o.DeadLetters = append(o.DeadLetters, more.DeadLetters...)
	o.Unpriced = append(o.Unpriced, more.Unpriced...)
	o.Late = append(o.Late, more.Late...)
	o.Alerts = append(o.Alerts, more.Alerts...)
}

// owedLine is a line of the right bill, and the requests on it.
type owedLine struct {
	id       string
	sum      int64
	requests []string
}

// owed is the right bill: a line a request in stage 03, a line a tenant and minute later on. In order.
func owed(stage int, invoice *oracle.Invoice) (lines []owedLine) {
	if stage == 3 {
		for _, b := range invoice.Bills {
			lines = append(lines, owedLine{b.RequestID, b.Cost, []string{b.RequestID}})
		}
		return lines
	}
	at := map[string]int{}
	for _, w := range invoice.Windows {
		id := lineID(w.TenantID, w.Start)
		at[id] = len(lines)
		lines = append(lines, owedLine{id: id, sum: w.Sum})
	}
	for _, b := range invoice.Bills {
		l := &lines[at[lineID(b.TenantID, b.CompletedTS-b.CompletedTS%60_000)]]
		l.requests = append(l.requests, b.RequestID)
	}
	return lines
}

func lineID(tenant string, minute int64) string { return fmt.Sprintf("%s@%d", tenant, minute) }

// linesOf is what an output says of each line, the last word if it says more than one.
func linesOf(stage int, o *Output) map[string]int64 {
	lines := map[string]int64{}
	if stage == 3 {
		for _, t := range o.Totals {
			lines[t.RequestID] = int64(t.Cost)
		}
		return lines
	}
	for _, w := range o.Invoice {
		lines[lineID(w.TenantID, w.Start)] = int64(w.Sum)
	}
	return lines
}

// written is what the first n lives have written, in order.
func (c *crash) written(n int) *Output {
	all := &Output{}
	for _, l := range c.lives[:n] {
		all.append(l.out)
	}
	return all
}

// standing is what all lives have written and what is not taken back.
func (c *crash) standing() *Output {
	all := c.written(len(c.lives))
	if c.TakenBack {
		last := c.lives[len(c.lives)-1].out // it holds what stands of these two
		all.Invoice, all.Late = last.Invoice, last.Late
	}
	return all
}

// readAgain are the requests of which the last life read a message that had been read before.
func (c *crash) readAgain() map[string]bool {
	ids := map[string]bool{}
	if len(c.lives) < 2 {
		return ids
	}
	starts, read := c.lives[len(c.lives)-1].starts, c.lives[len(c.lives)-2].read
	for partition, billed := range c.Log.billed {
		for offset := starts[partition]; offset < read[partition]; offset++ {
			if id := billed[offset]; id != "" {
				ids[id] = true
			}
		}
	}
	return ids
}
