package pipeline

import (
	"fmt"
	"slices"

	"gatewaymeter/gateway"
	"gatewaymeter/oracle"
)

// report works out what became of each line of the bill.
func (c *crash) report() (*CrashReport, error) {
	invoice, err := c.expect()
	if err != nil {
		return nil, err
	}
	r := &CrashReport{
		Seed: c.Seed, From: c.From, At: c.died.point.String(), Fired: c.died.fired, Oracle: "match",
		Point: c.died.point, Barriers: c.died.barriers, Taken: c.died.taken, Events: len(c.topic.Messages()),
	}
	if !r.Fired {
		r.At = ""
	}
	last := c.lives[len(c.lives)-1]
	before, after := c.linesUntil(len(c.lives)-1), linesOf(c.Stage, last.out)
	again, err := c.readAgain()
	if err != nil {
		return nil, err
	}
	for _, l := range owed(c.Stage, invoice) {
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
	r.Wrong = oracle.Table(c.judge(invoice), 5)
	if r.Wrong != "" {
		r.Oracle = "mismatch"
	}
	return r, nil
}

func (m *Money) add(id string, nano int64, when bool) {
	if when {
		m.Lines = append(m.Lines, id)
		m.USDNano += nano
	}
}

// expect is the oracle's invoice. From stage 07 on a line may stand in the output more than once, but
// always the same.
func (c *crash) expect() (*oracle.Invoice, error) {
	invoice, err := Expect(c.Stage, c.topic.Topic, c.topic.Messages())
	if err == nil {
		invoice.Options.Repeats = c.Stage >= 7
	}
	return invoice, err
}

// judge holds everything that was ever written against the oracle.
func (c *crash) judge(invoice *oracle.Invoice) []oracle.Difference {
	all := &Output{}
	for i, l := range c.lives {
		if c.TakenBack && i < len(c.lives)-1 {
			l.out.Invoice, l.out.Late = nil, nil // the last life holds what stands of them
		}
		all.append(l.out)
	}
	return Verify(invoice, all, Count(c.Stage, invoice, all, c.result))
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

// linesUntil is what the first n lives have written.
func (c *crash) linesUntil(n int) map[string]int64 {
	all := &Output{}
	for _, l := range c.lives[:n] {
		all.append(l.out)
	}
	return linesOf(c.Stage, all)
}

// readAgain are the requests of which the last life read a message that had been read before.
func (c *crash) readAgain() (map[string]bool, error) {
	ids := map[string]bool{}
	if len(c.lives) < 2 {
		return ids, nil
	}
	starts, read := c.lives[len(c.lives)-1].starts, c.lives[len(c.lives)-2].read
	for _, m := range c.topic.Messages() {
		if m.Offset < starts[m.Partition] || m.Offset >= read[m.Partition] {
			continue
		}
		if e, err := c.Functions.Decode(m); err == nil && (e.Type == gateway.RequestCompleted || c.Stage >= 6) {
			ids[e.RequestID] = true
		}
	}
	return ids, nil
}
