package crashtable

import (
	"fmt"

	"gatewaymeter/engine"
	operators "gatewaymeter/labs/03-stateful-operators/solution"
	windows "gatewaymeter/labs/04-windows/solution"
	"gatewaymeter/oracle"
	"gatewaymeter/pipeline"
	"gatewaymeter/stream"
)

// amounts is how much there is of something, by identity.
type amounts map[string]int64

// kind says how a row's fate is found out; see the package doc.
type kind uint8

const (
	entries kind = iota
	sums
	offsets
	lines
)

// row is one line of a table: a number of the job, and where it is found.
type row struct {
	name string
	kind kind
	// now is what a life holds at the moment; of entries and sums.
	now func(pipeline.Life) amounts
	// sets is the entry that a step puts into the state; of entries.
	sets func(stream.Step) (id string, ok bool)
	// said is what an output holds; of lines.
	said func(*pipeline.Output) amounts
	// ends is what a sum has come to at the end of the run, owed what the oracle wants of it; owed is of
	// lines too.
	ends func(end) amounts
	owed func(*pipeline.CrashLog) amounts
}

// end is what a run has come to.
type end struct {
	last   pipeline.Life
	stands *pipeline.Output // the lines of all lives
}

// rows are the numbers of a stage's job: first what is in it, then what it has said.
func rows(stage int) []row {
	all := []row{
		{name: "offsets: messages read", kind: offsets},
		stateRow("`dedupe`: events seen", "dedupe", "seen", stream.String),
		valueRow("`assemble`: open requests", "assemble", "open"),
	}
	if stage >= 6 {
		all = append(all, timerRow("`assemble`: timers of open requests", "assemble"))
	}
	if stage == 3 {
		all = append(all, row{
			name: "`tenant-cost`: requests in totals", kind: sums, now: totals,
			ends: func(e end) amounts { return totals(e.last) }, owed: owedTotals,
		})
	} else {
		all = append(all, row{
			name: "`tenant-minute`: requests not billed yet", kind: sums, now: minutes,
			ends: func(e end) amounts { return invoiceLines(e.stands) }, owed: owedMinutes,
		})
	}
	if stage >= 6 {
		all = append(all, stateRow("`velocity-check`: minutes of cards", "velocity-check", "minutes", stream.Times))
	}
	all = append(all, row{
		name: "counters: duplicates, unmatched, …", kind: sums, now: counters,
		ends: func(e end) amounts { return counters(e.last) }, owed: owedCounts,
	})
	return append(all, outputs(stage)...)
}

func walk(s *engine.Simulation, uid, state string, f func(key string, v any)) {
	err := s.Each(uid, state, func(key string, v any) error {
		f(key, v)
		return nil
	})
	if err != nil {
		panic(fmt.Sprintf("state %q of operator %q cannot be read: %v", state, uid, err)) // heap state always can
	}
}

func totals(l pipeline.Life) amounts {
	a := amounts{}
	walk(l.Simulation, "tenant-cost", "usd_total", func(tenant string, v any) { a[tenant] = v.(*operators.Total).Seq })
	return a
}

// minutes are the requests in each tenant's minutes that are on no line of this life yet. A minute that has
// been billed is kept for late requests, and is nothing to lose.
func minutes(l pipeline.Life) amounts {
	a, billed := amounts{}, invoiceLines(l.Out)
	walk(l.Simulation, "tenant-minute", windows.StateName, func(tenant string, v any) {
		for _, e := range v.([]stream.MapEntry) {
			w, err := stream.Spans.Decode(e.Key)
			if err != nil {
				panic(err)
			}
			id := minuteID(tenant, int64(w.Start))
			a[id] = e.Value.(*windows.Bill).Requests - billed[id]
		}
	})
	return a
}

func minuteID(tenant string, start int64) string { return fmt.Sprintf("%s@%d", tenant, start) }

// counted are the job's counters, and the oracle's names for them.
var counted = []struct {
	counter string
	of      func(oracle.Counts) int64
}{
	{"gateway-source/malformed", func(c oracle.Counts) int64 { return c.Malformed }},
	{"dedupe/duplicates", func(c oracle.Counts) int64 { return c.Duplicates }},
	{"assemble/unmatched", func(c oracle.Counts) int64 { return c.Unmatched }},
	{"assemble/abandoned", func(c oracle.Counts) int64 { return c.Abandoned }},
	{"tenant-cost/unpriced", func(c oracle.Counts) int64 { return c.Unpriced }},
	{"tenant-minute/unpriced", func(c oracle.Counts) int64 { return c.Unpriced }},
}

func counters(l pipeline.Life) amounts {
	a, of := amounts{}, l.Simulation.Result().Counters
	for _, c := range counted {
		a[c.counter] = of[c.counter]
	}
	return a
}

func owedCounts(l *pipeline.CrashLog) amounts {
	a := amounts{}
	for _, c := range counted {
		a[c.counter] = c.of(l.Invoice().Counts)
	}
	return a
}

func owedTotals(l *pipeline.CrashLog) amounts {
	a := amounts{}
	for _, of := range l.Invoice().Tenants {
		a[of.TenantID] = of.Requests
	}
	return a
}

func owedMinutes(l *pipeline.CrashLog) amounts {
	a := amounts{}
	for _, w := range l.Invoice().Windows {
		a[minuteID(w.TenantID, w.Start)] = w.Requests
	}
	return a
}
