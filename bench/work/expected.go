package work

import (
	"errors"
	"fmt"
)

// Stage says how much of the job runs: the lab after which the engine stands.
type Stage int

// The stages that the work is defined for.
const (
	Stateful Stage = 3 // no timers, no windows: requests that are not completed stay open
	Full     Stage = 6 // all of it
)

// Outcome is what a run came to.
type Outcome struct {
	Stage    Stage
	Requests int64
	Seed     uint64
	Events   int64
	Open     int64 // requests still open at the end
	Timers   int64 // timers still pending at the end
	Sums     Sums
}

// row is a line of WORK.md's tables.
type row struct {
	requests, abandoned int64
	outB                int64
	sumNano             int64
	check               string
	outA03, sumA03      int64
	seqA03              int64
}

// rows is both tables of WORK.md, which a test compares them with.
var rows = []row{
	{1_000, 8, 262, 4552023500, "4b77b897c8fc2d65", 992, 4547207500, 25727},
	{20_000, 206, 1_054, 89085019000, "3552285db35c8b8e", 19_794, 88770127500, 9203619},
	{100_000, 1_001, 4_231, 445793336000, "b0e3e29861afc0ce", 98_999, 444253558000, 233836702},
	{1_000_000, 9_752, 33_783, 4459636137000, "4c621ad1022b7c3e", 990_248, 4444880857500, 23558250954},
	{5_000_000, 50_040, 164_171, 22274197083500, "c1bdeb844e36c3e7", 4_949_960, 22197129466500, 587426684632},
}

// Verify says what of an outcome is wrong: against WORK.md's line where it has one, and in any case
// against what holds for every input (counts, and the two sinks' money).
func (o Outcome) Verify() error {
	var wrong []error
	equal := func(what string, got, want any) {
		if got != want {
			wrong = append(wrong, fmt.Errorf("%s is %v, and must be %v", what, got, want))
		}
	}
	abandoned := Abandoned(o.Requests, o.Seed)
	equal("events", o.Events, 2*o.Requests-abandoned)
	equal("unmatched", o.Sums.Unmatched, int64(0))
	equal("timers", o.Timers, int64(0))
	if o.Stage == Stateful {
		equal("outA", o.Sums.OutA, o.Requests-abandoned)
		equal("open", o.Open, abandoned)
	} else {
		equal("outA", o.Sums.OutA, o.Requests)
		equal("open", o.Open, int64(0))
		equal("the windows' sum", o.Sums.SumB, o.Sums.SumA)
	}
	if r := o.row(); r != nil && o.Stage == Stateful {
		equal("abandoned", abandoned, r.abandoned)
		equal("outA", o.Sums.OutA, r.outA03)
		equal("sum_nano", o.Sums.SumA, r.sumA03)
		equal("seq_a", o.Sums.SeqA, r.seqA03)
	} else if r != nil {
		equal("abandoned", abandoned, r.abandoned)
		equal("outB", o.Sums.OutB, r.outB)
		equal("sum_nano", o.Sums.SumA, r.sumNano)
		equal("check", o.Sums.Check(), r.check)
	}
	return errors.Join(wrong...)
}

// row is WORK.md's line for the outcome's input; nil if it has none.
func (o Outcome) row() *row {
	for i := range rows {
		if rows[i].requests == o.Requests && o.Seed == DefaultSeed {
			return &rows[i]
		}
	}
	return nil
}
