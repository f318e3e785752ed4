package main

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/spf13/cobra"

	"gatewaymeter/gateway"
	"gatewaymeter/oracle"
	"gatewaymeter/pipeline"
)

// runDisplay shows a run: a live table on a terminal, plain lines on a pipe, one object with --json.
type runDisplay struct {
	flags *runFlags
	out   io.Writer // results
	err   io.Writer // progress
	board *pipeline.Board
	live  bool
	drawn int // lines of the picture on the screen
	last  time.Time

	mu     sync.Mutex // checkpoints are told of by another goroutine
	latest string     // about the latest checkpoint
}

func newRunDisplay(cmd *cobra.Command, f *runFlags) *runDisplay {
	d := &runDisplay{flags: f, out: cmd.OutOrStdout(), err: cmd.ErrOrStderr()}
	d.live = !f.json && isTerminal(d.out) && isTerminal(d.err)
	if d.live {
		d.board = pipeline.NewBoard()
	}
	return d
}

// topTenants is how many tenants the live table has room for.
const topTenants = 10

// progress draws the picture anew.
func (d *runDisplay) progress(p pipeline.Progress) {
	if !d.live || time.Since(d.last) < 80*time.Millisecond {
		return
	}
	d.last = time.Now()
	var b strings.Builder
	phase := map[string]string{"traffic": "writing traffic", "job": "running the job", "invoice": "reading the invoice back"}[p.Phase]
	fmt.Fprintf(&b, "%-26s %s\n", phase, bar(p.Done, p.Total))
	if p.Phase == "job" {
		t := newTenantTable()
		lines := d.board.Lines()
		for _, l := range lines[:min(topTenants, len(lines))] {
			t.AppendRow(table.Row{l.Tenant, l.Requests, l.Open, l.Bill.String()})
		}
		fmt.Fprintln(&b, t.Render())
		b.WriteString(eventTime(p.Metrics))
		if alerts := d.board.Alerts(); alerts > 0 {
			fmt.Fprintf(&b, "alerts of the velocity check %d\n", alerts)
		}
		b.WriteString(d.latestCheckpoint())
	}
	d.draw(b.String())
}

func newTenantTable() table.Writer {
	t := table.NewWriter()
	t.SetStyle(table.StyleRounded)
	t.AppendHeader(table.Row{"tenant", "finished", "open", "USD"})
	return t
}

// draw replaces the last picture.
func (d *runDisplay) draw(picture string) {
	if d.drawn > 0 {
		fmt.Fprintf(d.err, "\x1b[%dA\x1b[J", d.drawn)
	}
	fmt.Fprint(d.err, picture)
	d.drawn = strings.Count(picture, "\n")
}

// note prints a line about the run, if it is not a matter of the live picture.
func (d *runDisplay) note(format string, args ...any) {
	d.stop() // the picture is drawn anew below the line
	fmt.Fprintf(d.err, "lab: "+format+"\n", args...)
}

// stop takes the picture off the screen.
func (d *runDisplay) stop() {
	if d.drawn > 0 {
		d.draw("")
	}
}

// bar is a progress bar.
func bar(done, total int64) string {
	if total <= 0 {
		return ""
	}
	const width = 40
	share := min(1, float64(done)/float64(total))
	full := int(share * width)
	return fmt.Sprintf("[%s%s] %3.0f %%", strings.Repeat("█", full), strings.Repeat("░", width-full), share*100)
}

// report prints what the run came to.
func (d *runDisplay) report(r *pipeline.Report) error {
	if d.flags.json {
		if r.Oracle != "match" {
			fmt.Fprint(d.err, oracle.Table(r.Differences, 10))
		}
		return printJSON(d.out, r)
	}
	d.invoice(r)
	d.verdict(r)
	return nil
}

// invoice prints the bill as it was read back: the tenants who owe most, what came too late for the bill,
// and the sum. A request without a price is finished, but not in here.
func (d *runDisplay) invoice(r *pipeline.Report) {
	t := table.NewWriter()
	t.SetStyle(table.StyleRounded)
	if !isTerminal(d.out) {
		t.SetStyle(table.StyleLight)
	}
	t.SetTitle("Invoice of stage %02d, from Kafka", d.flags.stage)
	t.AppendHeader(table.Row{"tenant", "priced requests", "USD"})
	lines := pipeline.Bills(r.Output)
	for _, l := range lines[:min(topTenants, len(lines))] {
		t.AppendRow(table.Row{l.Tenant, l.Requests, l.Bill.String()})
	}
	if rest := len(lines) - topTenants; rest > 0 {
		requests, sum := add(lines[topTenants:])
		t.AppendRow(table.Row{fmt.Sprintf("and %d more", rest), requests, sum.String()})
	}
	total := gateway.NanoUSD(r.USDNano)
	if r.Late > 0 {
		_, billed := add(lines)
		t.AppendRow(table.Row{"too late for it", r.Late, (total - billed).String()})
	}
	t.AppendFooter(table.Row{"total", r.Records - r.Unpriced, total.String()})
	fmt.Fprintln(d.out, t.Render())
}

func add(lines []pipeline.TenantLine) (requests int64, sum gateway.NanoUSD) {
	for _, l := range lines {
		requests += l.Requests
		sum += l.Bill
	}
	return requests, sum
}

// verdict prints the counts and what the oracle says.
func (d *runDisplay) verdict(r *pipeline.Report) {
	fmt.Fprintf(d.out, "%d events of %d requests: %d malformed, %d duplicates, %d unmatched, %d abandoned, %d unpriced, %d late\n",
		r.Events, r.Requests, r.Malformed, r.Duplicates, r.Unmatched, r.Abandoned, r.Unpriced, r.Late)
	if r.Transactions > 0 {
		fmt.Fprintf(d.out, "%d card transactions: %d alerts, by card and minute\n", r.Transactions, r.Alerts)
	}
	fmt.Fprintf(d.out, "left in state: %d open requests, %d timers\n", r.OpenEntries, r.Timers)
	fmt.Fprintf(d.out, "%.0f events/s in the job, %.1f s in all\n", r.EventsPerS, float64(r.ElapsedMS)/1000)
	if r.Oracle == "match" {
		fmt.Fprintf(d.out, "The oracle agrees: %s, to the last billionth.\n", gateway.NanoUSD(r.USDNano))
		return
	}
	fmt.Fprintf(d.out, "The oracle DISAGREES in %d places:\n%s", len(r.Differences), oracle.Table(r.Differences, 10))
	if d.flags.input == "generate" && d.flags.checkpoints.restore == "" {
		fmt.Fprintf(d.out, "The few messages that matter, and a file to run them again:\n  %s\n", d.flags.reduce())
	}
}
