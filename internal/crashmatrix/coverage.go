package crashmatrix

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"gatewaymeter/engine"
	"gatewaymeter/pipeline"
)

// Coverage is what some runs have reached.
type Coverage struct {
	Stage    int
	Runs     int
	Failed   int
	Deaths   int // crashes, power cuts
	Barriers int // those with barriers in flight
	Aborted  int // checkpoints given up
	Twice    int // runs in which a line stands at a plain or buffered sink more than once
	Lines    int // those lines: dead letters and alerts too
	Rescaled int // runs at another parallelism after the restart
	Pebble   int // runs on pebble

	points map[engine.CrashPoint]*reached // without operator and N
	kinds  map[Kind]*reached
}

func newCoverage(stage int) *Coverage {
	return &Coverage{Stage: stage, points: map[engine.CrashPoint]*reached{}, kinds: map[Kind]*reached{}}
}

// reached counts what happened at one point, or in one kind of run.
type reached struct {
	times, barriers int
	at              map[string]bool // operators
}

// add enters a run that has passed.
func (v *Coverage) add(c Case, r *pipeline.CrashReport) {
	v.Aborted += r.Aborted
	v.Lines += r.Repeated
	for _, count := range []struct {
		n    *int
		when bool
	}{{&v.Twice, r.Repeated > 0}, {&v.Rescaled, c.Parallelism != c.Restarted}, {&v.Pebble, c.Backend == "pebble"}} {
		if count.when {
			*count.n++
		}
	}
	k := entry(v.kinds, c.Kind)
	k.times++
	for _, d := range r.Deaths {
		p := entry(v.points, engine.CrashPoint{What: d.Point.What, After: d.Point.After})
		p.times++
		p.at[d.Point.At] = true
		v.Deaths++
		if d.Barriers {
			v.Barriers++
			p.barriers++
			k.barriers++
		}
	}
}

func entry[K comparable](m map[K]*reached, key K) *reached {
	if m[key] == nil {
		m[key] = &reached{at: map[string]bool{}}
	}
	return m[key]
}

// barrierShare is the share of deaths, in percent, at which barriers must be in flight.
const barrierShare = 30

// Missing says what the runs have left out, once there were enough of them to leave nothing out.
func (v *Coverage) Missing() error {
	if v.Runs < Cycle(v.Stage) || v.Failed > 0 {
		return nil
	}
	var errs []error
	for _, p := range v.table() {
		if v.points[p] == nil {
			errs = append(errs, fmt.Errorf("no run has reached %s", Case{Point: p}.where()))
		}
	}
	for _, k := range Kinds(v.Stage) {
		if v.kinds[k] == nil {
			errs = append(errs, fmt.Errorf("no run had a %s", k))
		}
	}
	if v.Stage >= 7 && 100*v.Barriers < barrierShare*v.Deaths {
		errs = append(errs, fmt.Errorf("barriers were in flight at %d of %d deaths, and must be at %d %%", v.Barriers, v.Deaths, barrierShare))
	}
	return errors.Join(errs...)
}

// table is every point that the stage can reach.
func (v *Coverage) table() []engine.CrashPoint {
	points := Points(v.Stage)
	if slices.Contains(Kinds(v.Stage), CrashInRestore) {
		points = append([]engine.CrashPoint{{What: engine.PointRestore}, {What: engine.PointRestore, After: true}}, points...)
	}
	return points
}

// Counts is a coverage as figures, for `lab crash --json`.
type Counts struct {
	Failed   int            `json:"failed"`
	Deaths   int            `json:"deaths"`
	Barriers int            `json:"deaths_with_barriers_in_flight"`
	Lines    int            `json:"repeated_lines"` // at plain and buffered sinks, each as it was before
	Aborted  int            `json:"checkpoints_given_up"`
	Rescaled int            `json:"runs_rescaled"`
	Pebble   int            `json:"runs_on_pebble"`
	Points   map[string]int `json:"points"` // deaths, by "before read" and the like
	Kinds    map[Kind]int   `json:"kinds"`  // runs
	Missing  []string       `json:"missing"`
}

// Counts gives the figures.
func (v *Coverage) Counts() Counts {
	c := Counts{
		Failed: v.Failed, Deaths: v.Deaths, Barriers: v.Barriers, Lines: v.Lines, Aborted: v.Aborted, Rescaled: v.Rescaled, Pebble: v.Pebble,
		Points: map[string]int{}, Kinds: map[Kind]int{},
	}
	for _, p := range v.table() {
		c.Points[Case{Point: p}.where()] = v.of(p).times
	}
	for _, k := range Kinds(v.Stage) {
		c.Kinds[k] = entry(v.kinds, k).times
	}
	if err := v.Missing(); err != nil {
		c.Missing = strings.Split(err.Error(), "\n")
	}
	return c
}

// Print writes the coverage as two tables and a few lines.
func (v *Coverage) Print(w io.Writer) {
	t := tabwriter.NewWriter(w, 0, 0, 3, ' ', 0)
	fmt.Fprintln(t, "step\tbefore\tafter\tbarriers in flight\tat")
	table := v.table()
	for i := 0; i < len(table); i += 2 {
		before, after := v.of(table[i]), v.of(table[i+1])
		fmt.Fprintf(t, "%s\t%d\t%d\t%d\t%s\n", table[i].What, before.times, after.times, before.barriers+after.barriers, operators(before, after))
	}
	fmt.Fprintln(t, "\nfault\truns\t\tbarriers in flight")
	for _, k := range Kinds(v.Stage) {
		r := entry(v.kinds, k)
		fmt.Fprintf(t, "%s\t%d\t\t%d\n", k, r.times, r.barriers)
	}
	_ = t.Flush()
	fmt.Fprintf(w, "\n%d runs, %d deaths, at %d of them (%d %%) barriers in flight; %d checkpoints given up;\n"+
		"%d runs at another parallelism after the restart; %d on pebble;\n"+
		"in %d runs the sinks were told something again, %d lines in all, each as it had been told before\n",
		v.Runs, v.Deaths, v.Barriers, 100*v.Barriers/max(1, v.Deaths), v.Aborted, v.Rescaled, v.Pebble, v.Twice, v.Lines)
}

func (v *Coverage) of(p engine.CrashPoint) *reached { return cmp.Or(v.points[p], &reached{}) }

func operators(of ...*reached) string {
	var uids []string
	for _, r := range of {
		for uid := range r.at {
			if uid != "" && !slices.Contains(uids, uid) {
				uids = append(uids, uid)
			}
		}
	}
	slices.Sort(uids)
	return strings.Join(uids, ", ")
}
