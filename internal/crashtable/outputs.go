package crashtable

import (
	"fmt"

	"gatewaymeter/gateway"
	"gatewaymeter/oracle"
	"gatewaymeter/pipeline"
)

// outputs are the topics that a stage's job writes.
func outputs(stage int) []row {
	bill := row{
		name: "topic `tenant-totals`: lines", kind: lines,
		said: func(o *pipeline.Output) amounts {
			return linesOf(o.Totals, func(t gateway.TenantTotal) (string, int64) { return t.RequestID, 1 })
		},
		owed: func(l *pipeline.CrashLog) amounts {
			return linesOf(l.Invoice().Bills, func(b oracle.Bill) (string, int64) { return b.RequestID, 1 })
		},
	}
	if stage >= 4 {
		bill = row{name: "topic `invoice`: lines", kind: lines, said: invoiceLines, owed: owedMinutes}
	}
	all := []row{bill, {
		name: "topic `dead-letters`: lines", kind: lines,
		said: func(o *pipeline.Output) amounts {
			return linesOf(o.DeadLetters, func(d gateway.DeadLetter) (string, int64) { return position(d.Partition, d.Offset), 1 })
		},
		owed: func(l *pipeline.CrashLog) amounts {
			return linesOf(l.Invoice().DeadLetters, func(d oracle.DeadLetter) (string, int64) { return position(d.Partition, d.Offset), 1 })
		},
	}}
	if stage >= 6 {
		all = append(all, row{
			name: "topic `alerts`: cards and minutes", kind: lines,
			said: func(o *pipeline.Output) amounts {
				return linesOf(o.Alerts, func(a gateway.Alert) (string, int64) { return minuteID(a.Card, a.Minute), a.Total })
			},
			owed: func(l *pipeline.CrashLog) amounts {
				return linesOf(l.Alerts(), func(a oracle.Alert) (string, int64) { return minuteID(a.Card, a.Minute), a.Total })
			},
		})
	}
	return all
}

func position(partition int32, offset int64) string { return fmt.Sprintf("%d/%d", partition, offset) }

// invoiceLines are the requests on each line of the invoice, by tenant and minute.
func invoiceLines(o *pipeline.Output) amounts {
	return linesOf(o.Invoice, func(w gateway.TenantWindow) (string, int64) { return minuteID(w.TenantID, w.Start), w.Requests })
}

// linesOf is lines by identity; of several with the same the last one stands.
func linesOf[T any](of []T, id func(T) (string, int64)) amounts {
	a := amounts{}
	for _, l := range of {
		key, n := id(l)
		a[key] = n
	}
	return a
}
