package oracle

import "fmt"

// Outputs is what a run left behind: its output topics, read to their ends, and its figures. Topics
// that the stage does not have stay nil.
type Outputs struct {
	Totals      []Total  // stage 03
	Windows     []Window // from stage 04 on
	Late        []Record // from stage 04 on
	Unpriced    []Record
	DeadLetters []DeadLetter
	Counts      Counts
}

// Check compares a whole run. No difference means that the run did what a correct job must do. The
// first differences are lines of the invoice, if any of those differs.
func (v *Invoice) Check(o Outputs) []Difference {
	var ds []Difference
	if v.Options.Stage == 3 {
		ds = v.CheckTotals(o.Totals)
	} else {
		ds = v.CheckWindows(o.Windows, o.Late)
	}
	ds = append(ds, v.CheckUnpriced(o.Unpriced)...)
	ds = append(ds, v.CheckDeadLetters(o.DeadLetters)...)
	ds = append(ds, v.CheckCounts(o.Counts)...)
	if n := int64(len(o.Late)); !v.Options.Repeats && o.Counts.Late != n && o.Counts.Late <= v.MayBeLate {
		ds = append(ds, Difference{Where: "late", Engine: fmt.Sprint(o.Counts.Late), Oracle: fmt.Sprintf("%d, as many as stand in topic late", n)})
	}
	return ds
}
