package lab07_test

import (
	"fmt"
	"testing"

	"gatewaymeter/gateway"
	"gatewaymeter/internal/kit/suite"
	checkpoints "gatewaymeter/labs/07-checkpoints/starter"
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
				table := checkpoints.NewUpserts()
				sink := table.Sink()
				suite.NoError(t, sink.Open(nil), "the sink opens")
				for _, l := range c.lines {
					suite.NoError(t, sink.Write(nil, l), "a line is written")
				}
				suite.Equal(t, c.want, printBills(table.Bills()), suite.Failure{Says: "this is not the bill that stands", Input: printBills(c.lines)})
			})
		}
		suite.Sub(t, "crashes: what is written in processElement doubles, the table does not", tellTwice)
	})
}

func printBills(lines []gateway.TenantWindow) (s string) {
	for _, w := range lines {
		s += fmt.Sprintf("%s@%d %d %d\n", w.TenantID, w.Start, w.Requests, w.Sum)
	}
	return s
}

// outside is what a minute's function reaches past the job: a variable of the program, a database
// without a key, and the student's table. No checkpoint holds them, no restore rewinds them.
type outside struct {
	records  int // a static counter
	appended gateway.NanoUSD
	table    stream.Sink[gateway.TenantWindow]
}

// leaky is the job's function of minutes, and it writes outside.
type leaky struct {
	stream.KeyedFunction[gateway.RequestRecord, gateway.TenantWindow]
	*outside
}

func (l leaky) ProcessElement(c *stream.Context, r gateway.RequestRecord, out stream.Collector[gateway.TenantWindow]) error {
	l.records++
	return l.KeyedFunction.ProcessElement(c, r, both{l.outside, c, out})
}

func (l leaky) OnTimer(c *stream.Context, at stream.Timer, out stream.Collector[gateway.TenantWindow]) error {
	return l.KeyedFunction.(stream.TimerFunction[gateway.TenantWindow]).OnTimer(c, at, both{l.outside, c, out})
}

// both sends a line on, and outside.
type both struct {
	*outside
	c  *stream.Context
	to stream.Collector[gateway.TenantWindow]
}

func (b both) Collect(w gateway.TenantWindow) {
	b.appended += w.Sum
	if err := b.table.Write(b.c, w); err != nil {
		panic(err)
	}
	b.to.Collect(w)
}

// tellTwice crashes the job, and holds what stands outside against the oracle.
func tellTwice(t *testing.T) {
	counted, appended := false, false
	for seed := range uint64(8) {
		cfg := crashConfig(t, 7, pipeline.FromCheckpoint, seed)
		table := checkpoints.NewUpserts()
		out := &outside{table: table.Sink()}
		ours := cfg.Functions.Minute
		cfg.Functions.Minute = func() stream.KeyedFunction[gateway.RequestRecord, gateway.TenantWindow] { return leaky{ours(), out} }
		report, err := pipeline.Crash(cfg)
		suite.NoError(t, err, "the job runs to its end")

		invoice := cfg.Log.Invoice()
		var owed, stands gateway.NanoUSD
		priced := 0
		for _, w := range invoice.Windows {
			owed, priced = owed+gateway.NanoUSD(w.Sum), priced+int(w.Requests)
		}
		bills := table.Bills()
		for _, w := range bills {
			stands += w.Sum
		}
		suite.Equal(t, fmt.Sprintf("%d lines, %v", len(invoice.Windows), owed), fmt.Sprintf("%d lines, %v", len(bills), stands), suite.Failure{
			Says: "after a crash and a restore the table asks for something else than is owed", Input: fmt.Sprintf("seed %d, crash %s", seed, report.At),
		})
		counted = counted || out.records > priced+len(invoice.Unpriced)
		appended = appended || out.appended > owed
	}
	if !counted || !appended {
		suite.Harness(t, fmt.Errorf("no seed shows the double: counter %v, appended %v", counted, appended))
	}
}
