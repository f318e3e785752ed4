package crashtable

import (
	"fmt"
	"strings"

	"gatewaymeter/gateway"
	"gatewaymeter/pipeline"
)

// The runs of a table, as `lab crash` has them by default.
const (
	firstSeed   = 1
	seeds       = 8
	requests    = 250
	parallelism = 3
	partitions  = 3
)

// cards is how many card transactions go with them: so many that they are still being read when the
// worker dies, which in stage 07 is later, since a checkpoint must be complete first.
var cards = map[int]int{6: 100, 7: 300}

// Table is what became of a stage's numbers, over all seeds.
type Table struct {
	Stage int
	From  string
	Rows  []Row
	Bill  Bill
}

// Row is a line of a table.
type Row struct {
	Name                                              string
	Output                                            bool // a topic: outside of the job
	AtDeath, Survives, Recomputed, EmittedTwice, Lost int64
}

// Bill is what the crashes did to the bills, in money.
type Bill struct {
	Runs, Refused                                   int // crashes, and bills that the oracle refuses
	Survived, Recomputed, EmittedTwice, NeverBilled gateway.NanoUSD
}

// Tables makes tables, each once. The zero value is ready; it is not for concurrent use.
type Tables struct{ made map[string]*Table }

// Of crashes a stage's job, one run a seed, and adds up.
func (ts *Tables) Of(stage int, from string) (*Table, error) {
	name := fmt.Sprint(stage, from)
	if t, ok := ts.made[name]; ok {
		return t, nil
	}
	t, err := crashed(stage, from)
	if err != nil {
		return nil, err
	}
	if ts.made == nil {
		ts.made = map[string]*Table{}
	}
	ts.made[name] = t
	return t, nil
}

func crashed(stage int, from string) (*Table, error) {
	t := &Table{Stage: stage, From: from}
	for seed := range uint64(seeds) {
		fates, report, err := run(stage, from, firstSeed+seed)
		if err != nil {
			return nil, fmt.Errorf("stage %02d from %s, seed %d: %w", stage, from, firstSeed+seed, err)
		}
		t.add(fates)
		t.Bill.add(report)
	}
	return t, nil
}

// run is one crash.
func run(stage int, from string, seed uint64) ([]fate, *pipeline.CrashReport, error) {
	parts, functions, err := pipeline.Ours(stage)
	if err != nil {
		return nil, nil, err
	}
	w := &watcher{rows: rows(stage), saved: from == pipeline.FromCheckpoint}
	cfg := pipeline.CrashConfig{
		Stage: stage, Parallelism: parallelism, Partitions: partitions, Requests: requests, Seed: seed, From: from,
		Cards: cards[stage], Parts: parts, Functions: functions, Watch: w.watch, Trace: w.step,
	}
	if cfg.Log, err = pipeline.NewCrashLog(cfg); err != nil {
		return nil, nil, err
	}
	report, err := pipeline.Crash(cfg)
	if err != nil {
		return nil, nil, err
	}
	if !report.Fired {
		return nil, nil, fmt.Errorf("the worker did not die")
	}
	return w.fates(cfg.Log), report, nil
}

func (t *Table) add(fates []fate) {
	if t.Rows == nil {
		t.Rows = make([]Row, len(fates))
	}
	for i, f := range fates {
		r := &t.Rows[i]
		r.Name, r.Output = f.row.name, f.row.kind == lines
		r.AtDeath += f.atDeath
		r.Survives += f.survives
		r.Recomputed += f.recomputed
		r.EmittedTwice += f.emittedTwice
		r.Lost += f.lost
	}
}

func (b *Bill) add(r *pipeline.CrashReport) {
	b.Runs++
	if r.Oracle != "match" {
		b.Refused++
	}
	b.Survived += gateway.NanoUSD(r.Survived.USDNano)
	b.Recomputed += gateway.NanoUSD(r.Recomputed.USDNano)
	b.EmittedTwice += gateway.NanoUSD(r.EmittedTwice.USDNano)
	b.NeverBilled += gateway.NanoUSD(r.NeverBilled.USDNano)
}

// Markdown is the table as a chapter shows it.
func (t *Table) Markdown() string {
	var b strings.Builder
	fmt.Fprintln(&b, "| | when the worker dies | survives | recomputed | emitted twice | lost |")
	fmt.Fprintln(&b, "|---|---:|---:|---:|---:|---:|")
	for _, r := range t.Rows {
		recomputed, twice := fmt.Sprint(r.Recomputed), "–"
		if r.Output {
			recomputed, twice = "–", fmt.Sprint(r.EmittedTwice)
		}
		fmt.Fprintf(&b, "| %s | %d | %d | %s | %s | %d |\n", r.Name, r.AtDeath, r.Survives, recomputed, twice, r.Lost)
	}
	m := t.Bill
	fmt.Fprintf(&b, "| **the bill** | %s | %s | %s | %s | %s |\n", usd(m.Survived), usd(m.Survived), usd(m.Recomputed), usd(m.EmittedTwice), usd(m.NeverBilled))
	return b.String()
}

// usd is an amount without the zeros behind its last digit.
func usd(n gateway.NanoUSD) string {
	if n == 0 {
		return "0"
	}
	return strings.TrimRight(n.String(), "0")
}

// Starts are the places from which a stage's job can begin again.
func Starts(stage int) []string {
	if stage >= 7 {
		return []string{pipeline.FromCheckpoint}
	}
	return []string{pipeline.FromEarliest, pipeline.FromLatest}
}

// Compare is the bills of all stages in one table.
func (ts *Tables) Compare() (string, error) {
	var b strings.Builder
	fmt.Fprintln(&b, "| stage, start | survives | recomputed | emitted twice | never billed | the oracle refuses |")
	fmt.Fprintln(&b, "|---|---:|---:|---:|---:|---:|")
	for stage := pipeline.FirstStage; stage <= pipeline.LastStage; stage++ {
		for _, from := range Starts(stage) {
			t, err := ts.Of(stage, from)
			if err != nil {
				return "", err
			}
			m := t.Bill
			fmt.Fprintf(&b, "| %02d %s | %s | %s | %s | %s | %d of %d |\n", stage, from,
				usd(m.Survived), usd(m.Recomputed), usd(m.EmittedTwice), usd(m.NeverBilled), m.Refused, m.Runs)
		}
	}
	return b.String(), nil
}
