package lab07_test

import (
	"cmp"
	"fmt"
	"slices"
	"testing"

	"gatewaymeter/gateway"
	"gatewaymeter/internal/kit/suite"
	checkpoints "gatewaymeter/labs/07-checkpoints/starter"
	"gatewaymeter/oracle"
	"gatewaymeter/pipeline"
	"gatewaymeter/stream"
)

// Test7g: A sink that may be told twice; the static counter that doubles (20 min)
func Test7g(t *testing.T) {
	suite.Exercise(t, "7g", func(t *testing.T) {
		line := func(tenant string, start, requests, sum int64) gateway.TenantWindow {
			return gateway.TenantWindow{TenantID: tenant, Start: start, End: start + 60_000, Requests: requests, Sum: gateway.NanoUSD(sum)}
		}
		for _, c := range []struct {
			name  string
			lines []gateway.TenantWindow
			want  string
		}{
			{"told twice is once", []gateway.TenantWindow{line("a", 0, 2, 50), line("a", 0, 2, 50)}, "a@0 2 50\n"},
			{"a correction replaces", []gateway.TenantWindow{line("a", 0, 2, 50), line("a", 0, 3, 70)}, "a@0 3 70\n"},
			{"the last word counts, not the largest", []gateway.TenantWindow{line("a", 0, 3, 70), line("a", 0, 2, 50)}, "a@0 2 50\n"},
			{"another minute is another line", []gateway.TenantWindow{line("a", 60_000, 1, 5), line("a", 0, 1, 5)}, "a@0 1 5\na@60000 1 5\n"},
			{"another tenant is another line", []gateway.TenantWindow{line("b", 0, 1, 5), line("a", 0, 1, 5)}, "a@0 1 5\nb@0 1 5\n"},
			{"tenants whose names run into their minutes", []gateway.TenantWindow{line("a1", 0, 1, 5), line("a", 10, 1, 5)}, "a1@0 1 5\na@10 1 5\n"},
		} {
			suite.Sub(t, c.name, func(t *testing.T) {
				table := checkpoints.NewUpserts(checkpoints.BillIDOf)
				tell(t, table.Sink(), c.lines)
				suite.Equal(t, c.want, printBills(table.Lines()), suite.Failure{
					Says: c.name + ": these are not the bills that stand (a line is tenant@minute, requests, sum); the identity is what no correction changes", Input: printBills(c.lines),
				})
			})
		}
		suite.Sub(t, "an alert whose total rises is one alert", func(t *testing.T) {
			alerts := []gateway.Alert{{Card: "c", Minute: 0, Total: 6}, {Card: "c", Minute: 0, Total: 7}, {Card: "c", Minute: 60_000, Total: 6}, {Card: "d", Minute: 0, Total: 6}}
			table := checkpoints.NewUpserts(checkpoints.AlertIDOf)
			tell(t, table.Sink(), alerts)
			suite.Equal(t, fmt.Sprint(alerts[1:]), fmt.Sprint(table.Lines()), suite.Failure{Says: "these are not the alerts that stand: a card's alerts of one minute are one, with the last total", Input: fmt.Sprint(alerts)})
		})
		suite.Sub(t, "crashes: what is written outside doubles, the tables do not", tellTwice)
	})
}

func tell[T any](t *testing.T, sink stream.Sink[T], lines []T) {
	t.Helper()
	suite.NoError(t, sink.Open(nil), "the sink opens")
	for _, l := range lines {
		suite.NoError(t, sink.Write(nil, l), "a line is written")
	}
}

func printBills(lines []gateway.TenantWindow) (s string) {
	lines = slices.Clone(lines)
	slices.SortFunc(lines, func(a, b gateway.TenantWindow) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.TenantID, b.TenantID))
	})
	for _, w := range lines {
		s += fmt.Sprintf("%s@%d %d %d\n", w.TenantID, w.Start, w.Requests, w.Sum)
	}
	return s
}

// leaky is a function of the job that reaches outside: it tells somebody of each element that it takes,
// and of each one that it sends. No checkpoint holds what they make of it, and no restore rewinds it.
type leaky[In, Out any] struct {
	stream.KeyedFunction[In, Out]
	takes func()
	sends func(*stream.Context, Out)
}

func (l leaky[In, Out]) ProcessElement(c *stream.Context, in In, out stream.Collector[Out]) error {
	l.takes()
	return l.KeyedFunction.ProcessElement(c, in, both[Out]{l.sends, c, out})
}

func (l leaky[In, Out]) OnTimer(c *stream.Context, at stream.Timer, out stream.Collector[Out]) error {
	return l.KeyedFunction.(stream.TimerFunction[Out]).OnTimer(c, at, both[Out]{l.sends, c, out})
}

// both sends an element on, and outside.
type both[T any] struct {
	sends func(*stream.Context, T)
	c     *stream.Context
	to    stream.Collector[T]
}

func (b both[T]) Collect(v T) {
	b.sends(b.c, v)
	b.to.Collect(v)
}

// outside is what stands outside of the job after a run.
type outside struct {
	counted  int             // a static counter of the records that the minutes took
	appended gateway.NanoUSD // a database without a key: every line is one more
	paged    []gateway.Alert // somebody was called
	bills    *checkpoints.Upserts[checkpoints.BillID, gateway.TenantWindow]
	alerts   *checkpoints.Upserts[checkpoints.AlertID, gateway.Alert]
}

// leak puts leaks into the functions of minutes and alerts.
func leak(f *pipeline.Functions) *outside {
	o := &outside{bills: checkpoints.NewUpserts(checkpoints.BillIDOf), alerts: checkpoints.NewUpserts(checkpoints.AlertIDOf)}
	bills, alerts := o.bills.Sink(), o.alerts.Sink()
	minute, velocity := f.Minute, f.Velocity
	f.Minute = func() stream.KeyedFunction[gateway.RequestRecord, gateway.TenantWindow] {
		return leaky[gateway.RequestRecord, gateway.TenantWindow]{minute(), func() { o.counted++ }, func(c *stream.Context, w gateway.TenantWindow) {
			o.appended += w.Sum
			must(bills.Write(c, w))
		}}
	}
	f.Velocity = func() stream.KeyedFunction[gateway.Transaction, gateway.Alert] {
		return leaky[gateway.Transaction, gateway.Alert]{velocity(), func() {}, func(c *stream.Context, a gateway.Alert) {
			o.paged = append(o.paged, a)
			must(alerts.Write(c, a))
		}}
	}
	return o
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

// tellTwice crashes the job, and holds what stands outside against the oracle.
func tellTwice(t *testing.T) {
	var counted, appended, paged, said bool
	for seed := range uint64(8) {
		cfg := crashConfig(t, 7, pipeline.FromCheckpoint, seed)
		cfg.Cards = 300
		cfg.Log = logOf(t, cfg)
		o := leak(&cfg.Functions)
		report, err := pipeline.Crash(cfg)
		suite.NoError(t, err, "the job runs to its end")
		if report.Oracle != "match" {
			suite.Harness(t, fmt.Errorf("seed %d, %s: the job's own bill is wrong:\n%s", seed, report.At, report.Wrong))
		}
		invoice := cfg.Log.Invoice()
		priced, owed := len(invoice.Unpriced), gateway.NanoUSD(0)
		for _, w := range invoice.Windows {
			priced, owed = priced+int(w.Requests), owed+gateway.NanoUSD(w.Sum)
		}
		input := fmt.Sprintf("seed %d, crash %s", seed, report.At)
		var stands gateway.NanoUSD
		for _, w := range o.bills.Lines() {
			stands += w.Sum
		}
		suite.Equal(t, fmt.Sprintf("%d lines, %v", len(invoice.Windows), owed), fmt.Sprintf("%d lines, %v", len(o.bills.Lines()), stands), suite.Failure{
			Says: "after a crash and a restore the table asks for something else than is owed", Input: input,
		})
		suite.Equal(t, fmt.Sprint(byCard(cfg.Log.Alerts())), fmt.Sprint(byCard(alertsOf(o.alerts.Lines()))), suite.Failure{
			Says: "after a crash and a restore the table holds other alerts than there are", Input: input,
		})
		t.Logf("%s: counter %d of %d records; database %v of %v; %d calls for %d alerts; %d lines told again in the topics",
			input, o.counted, priced, o.appended, owed, len(o.paged), len(cfg.Log.Alerts()), report.Repeated)
		counted = counted || o.counted > priced
		appended = appended || o.appended > owed
		paged = paged || calledAgain(o.paged)
		said = said || report.Repeated > 0
	}
	if !counted || !appended || !paged || !said {
		suite.Harness(t, fmt.Errorf("no seed shows the double: counter %v, database %v, calls %v, topics %v", counted, appended, paged, said))
	}
}

// calledAgain reports whether somebody was called twice with the same words.
func calledAgain(calls []gateway.Alert) bool {
	seen := map[gateway.Alert]bool{}
	for _, a := range calls {
		if seen[a] {
			return true
		}
		seen[a] = true
	}
	return false
}

func alertsOf(lines []gateway.Alert) (alerts []oracle.Alert) {
	for _, a := range lines {
		alerts = append(alerts, oracle.Alert(a))
	}
	return alerts
}

func byCard(alerts []oracle.Alert) []oracle.Alert {
	alerts = slices.Clone(alerts)
	slices.SortFunc(alerts, func(a, b oracle.Alert) int {
		return cmp.Or(cmp.Compare(a.Card, b.Card), cmp.Compare(a.Minute, b.Minute))
	})
	return alerts
}
