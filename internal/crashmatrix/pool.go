package crashmatrix

import (
	"context"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"

	"gatewaymeter/pipeline"
)

// Outcome is one run that is over.
type Outcome struct {
	Case   Case
	Report *pipeline.CrashReport // nil: it came to no end
	Err    error
}

// gcPercent lets more garbage gather than usual while the matrix runs: a run leaves megabytes behind, and
// hardly anything outlives it. At 400 memory grows from run to run, since each run's pools of batches
// outlive the next collection.
const gcPercent = 200

// All does the runs of cases of one stage, at least one, as many at a time as there are processors, and
// tells each to tell, in the order of the cases. It stops when ctx ends or tell returns false, and covers
// what was told until then.
func (m *Matrix) All(ctx context.Context, cases []Case, tell func(Outcome) bool) *Coverage {
	defer debug.SetGCPercent(debug.SetGCPercent(gcPercent))
	v := newCoverage(cases[0].Stage)
	ctx, cancel := context.WithCancel(ctx)
	var done sync.WaitGroup
	defer done.Wait()
	defer cancel()

	workers := min(runtime.GOMAXPROCS(0), len(cases))
	window := make(chan struct{}, 16*workers) // how far the fast may be ahead
	outcomes := make([]chan Outcome, len(cases))
	for i := range outcomes {
		outcomes[i] = make(chan Outcome, 1)
	}
	var next atomic.Int64
	for range workers {
		done.Go(func() {
			for {
				select {
				case window <- struct{}{}:
				case <-ctx.Done():
					return
				}
				i := int(next.Add(1)) - 1
				if i >= len(cases) || ctx.Err() != nil {
					return
				}
				r, err := m.Run(cases[i])
				outcomes[i] <- Outcome{cases[i], r, err}
			}
		})
	}
	for i := range cases {
		select {
		case o := <-outcomes[i]:
			<-window
			v.count(o)
			if !tell(o) {
				return v
			}
		case <-ctx.Done():
			return v
		}
	}
	return v
}

// count enters a run.
func (v *Coverage) count(o Outcome) {
	v.Runs++
	if o.Err != nil {
		v.Failed++
		return
	}
	v.add(o.Case, o.Report)
}
