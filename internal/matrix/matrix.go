// Package matrix turns the dimensions on which a run's result must not depend: parallelism,
// partitions, backend, driver, broker. Each case is a whole run on a broker, read back and judged.
//
// It promises that [Pairs] meets every pair of values of two dimensions, and that a run counts only if
// every partition and every subtask that should have had work had some. It leaves the runs to package
// pipeline and the truth to package oracle.
package matrix

import (
	"context"
	"fmt"
	"os"

	"gatewaymeter/broker"
	"gatewaymeter/generator"
	"gatewaymeter/internal/backends"
	"gatewaymeter/oracle"
	"gatewaymeter/pipeline"
)

// Case is one run.
type Case struct {
	Stage       int
	Parallelism int
	Partitions  int
	Backend     string
	Seed        uint64
	Lag         bool // some completions come later than the bound (stages 04 and 05)
}

// String is the command that does the same run.
func (c Case) String() string {
	s := fmt.Sprintf("go tool lab run --stage %02d --parallelism %d --partitions %d --backend %s --seed %d --requests %d",
		c.Stage, c.Parallelism, c.Partitions, c.Backend, c.Seed, Requests)
	if c.Lag {
		s += fmt.Sprintf(" --lag-above-bound %g", lagShare)
	}
	return s
}

// Requests is how large each run is: large enough that every subtask at parallelism 8 has a tenant.
const Requests = 2000

// lagShare is the share of late completions, where there are any.
const lagShare = 0.05

// The values of the dimensions.
var (
	parallelisms = []int{1, 3, 8}
	partitions   = []int{1, 2, 7}
	stores       = []string{"heap", "pebble"}
)

// All is the full product, for so many seeds.
func All(seeds int) (cases []Case) {
	for stage := pipeline.FirstStage; stage <= pipeline.LastStage; stage++ {
		for seed := 1; seed <= seeds; seed++ {
			for _, parallelism := range parallelisms {
				for _, n := range partitions {
					for _, backend := range stores {
						for _, lag := range lags(stage) {
							cases = append(cases, Case{stage, parallelism, n, backend, uint64(seed), lag})
						}
					}
				}
			}
		}
	}
	return cases
}

func lags(stage int) []bool {
	if stage == 4 || stage == 5 {
		return []bool{false, true}
	}
	return []bool{false}
}

// Pairs is a part of the product that meets every pair of values and every seed: greedily, the case
// that meets most new pairs first.
func Pairs(seeds int) (cases []Case) {
	all := All(seeds)
	missing := map[string]bool{}
	for _, c := range all {
		for _, p := range c.pairs() {
			missing[p] = true
		}
	}
	for len(missing) > 0 {
		best, most := -1, 0
		for i, c := range all {
			n := 0
			for _, p := range c.pairs() {
				if missing[p] {
					n++
				}
			}
			if n > most {
				best, most = i, n
			}
		}
		cases = append(cases, all[best])
		for _, p := range all[best].pairs() {
			delete(missing, p)
		}
	}
	return cases
}

// pairs are the pairs of values that a case meets. Seeds are paired with stages alone.
func (c Case) pairs() []string {
	v := []string{fmt.Sprint("stage ", c.Stage), fmt.Sprint("parallelism ", c.Parallelism), fmt.Sprint("partitions ", c.Partitions), c.Backend, fmt.Sprint("lag ", c.Lag)}
	var pairs []string
	for i := range v {
		for j := range i {
			pairs = append(pairs, v[j]+", "+v[i])
		}
	}
	return append(pairs, fmt.Sprint(v[0], ", seed ", c.Seed))
}

// Sums remembers what each traffic cost at each stage: the other dimensions must not change it.
type Sums map[Case]int64

// add compares a sum with the one that the same traffic had in another case.
func (s Sums) add(c Case, usdNano int64) error {
	traffic := Case{Stage: c.Stage, Seed: c.Seed, Lag: c.Lag}
	if before, ok := s[traffic]; ok && before != usdNano {
		return fmt.Errorf("the sum is %d nano-USD, and was %d for the same traffic in another case", usdNano, before)
	}
	s[traffic] = usdNano
	return nil
}

// Run does the run of a case and says what is wrong with it, alone or beside those before it.
func Run(ctx context.Context, b *broker.Broker, c Case, sums Sums) error {
	parts, functions, err := pipeline.Ours(c.Stage)
	if err != nil {
		return err
	}
	if c.Backend == "pebble" {
		dir, err := os.MkdirTemp("", "gatewaymeter-matrix-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		parts.Backend = backends.Pebble(dir)
	}
	traffic := generator.Default(Requests, c.Seed)
	if c.Lag {
		traffic.LagAboveBound = lagShare
	}
	r, err := pipeline.Run(ctx, pipeline.RunConfig{
		Broker: b, Stage: c.Stage, Parallelism: c.Parallelism, Parts: parts, Functions: functions,
		Traffic: traffic, Partitions: c.Partitions, Prefix: pipeline.NewPrefix(),
	})
	if err != nil {
		return err
	}
	if err := judge(c, r); err != nil {
		return err
	}
	return sums.add(c, r.USDNano)
}

// judge compares a run with the oracle, and its anomalies with those that were made.
func judge(c Case, r *pipeline.Report) error {
	if r.Oracle != "match" {
		return fmt.Errorf("the oracle disagrees:\n%s", oracle.Table(r.Differences, 5))
	}
	if len(r.Unused) > 0 {
		return fmt.Errorf("not everything had work, so the dimension was not turned: %v", r.Unused)
	}
	want, got := r.Truth.At(c.Stage), r.Counts
	for _, count := range []struct {
		name      string
		made, got int64
		always    bool // above 0 in every run of this stage
	}{
		{"events", want.Events, got.Events, true},
		{"malformed", want.Malformed, got.Malformed, true},
		{"duplicates", want.Duplicates, got.Duplicates, true},
		{"records", want.Records, got.Records, true},
		{"unmatched", want.Unmatched, got.Unmatched, true},
		{"unpriced", want.Unpriced, got.Unpriced, true},
		{"abandoned", want.Abandoned, got.Abandoned, c.Stage >= 6},
		{"open entries", want.OpenEntries, got.OpenEntries, c.Stage < 6},
	} {
		if count.made != count.got {
			return fmt.Errorf("%s: the job counts %d, the generator made %d", count.name, count.got, count.made)
		}
		if count.always && count.got == 0 {
			return fmt.Errorf("%s: there were none, so nothing was tested", count.name)
		}
	}
	if c.Stage >= 6 && (got.OpenEntries != 0 || got.Timers != 0) {
		return fmt.Errorf("%d open requests and %d timers are left, and none may be", got.OpenEntries, got.Timers)
	}
	return nil
}
