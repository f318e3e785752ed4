package oracle

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// right is the output of a correct run.
func right(v *Invoice) Outputs {
	o := Outputs{Windows: v.Windows, Unpriced: v.Unpriced, Counts: v.Counts}
	if v.Options.Stage == 3 {
		o.Totals = rightTotals()
	}
	for _, d := range v.DeadLetters {
		d.Reason = "not JSON"
		o.DeadLetters = append(o.DeadLetters, d)
	}
	return o
}

func TestCheckComparesEverything(t *testing.T) {
	for stage := 3; stage <= 7; stage++ {
		v := smallInvoice(t, stage, false)
		require.Empty(t, v.Check(right(v)), "stage %d", stage)
		for name, spoil := range map[string]func(*Outputs){
			"bills":        func(o *Outputs) { o.Totals, o.Windows = nil, nil },
			"unpriced":     func(o *Outputs) { o.Unpriced = []Record{{RequestID: "r-1"}} },
			"dead letters": func(o *Outputs) { o.DeadLetters = nil },
			"counts":       func(o *Outputs) { o.Counts.Duplicates++ },
			"timers":       func(o *Outputs) { o.Counts.Timers++ },
		} {
			o := right(v)
			spoil(&o)
			require.NotEmpty(t, v.Check(o), "%s, stage %d", name, stage)
		}
	}
}

// TestLateCountIsTheTopic: a job may not count a record as late and leave it out of the topic.
func TestLateCountIsTheTopic(t *testing.T) {
	s := (&script{}).start("r-1", "acme", "model-b", 0, 1).start("r-2", "acme", "model-b", 70_000, 1).end("r-1", 10, 0, "ok")
	v := expect(t, s.log, 4)
	require.Equal(t, int64(1), v.MayBeLate)
	o := right(v)
	require.Empty(t, v.Check(o))
	o.Counts.Late = 1
	require.Len(t, v.Check(o), 1)
	o.Late, o.Windows = []Record{v.Bills[0].Record}, nil
	require.Empty(t, v.Check(o))
}
