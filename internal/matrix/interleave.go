package matrix

import (
	"context"
	"fmt"
	"hash/fnv"
	"sync"
	"sync/atomic"

	"gatewaymeter/internal/replay"
	"gatewaymeter/oracle"
)

// Interleaving is one input under many schedules of the simulated driver.
type Interleaving struct {
	Stage   int
	Traffic uint64 // seed of the input
	Lag     bool
	First   uint64 // the first schedule
	Count   int    // how many
}

func (i Interleaving) traffic() replay.Traffic { return replay.DenseTraffic(i.Traffic, i.Lag) }

// job has as many subtasks and partitions as there are to mix up.
func (i Interleaving) job(schedule uint64) replay.Job {
	return replay.Job{Stage: i.Stage, Parallelism: 3, Partitions: 3, Backend: "heap", Schedule: schedule}
}

// Seen is how much the schedules differed.
type Seen struct {
	Orders      int // different orders of the output
	Checkpoints int // runs with a complete checkpoint, from stage 07
}

// Run runs the job under each schedule, workers at a time. Each run must come to what the oracle says is
// determined. The error is that of the first schedule that fails, and names it.
func (i Interleaving) Run(ctx context.Context, maker replay.Maker, workers int) (seen Seen, err error) {
	messages, _ := i.traffic().Messages()
	in, err := i.job(0).Prepare(messages)
	if err != nil {
		return seen, err
	}
	var next atomic.Uint64
	var mu sync.Mutex
	orders := map[uint64]bool{}
	failures := map[uint64]error{}
	var all sync.WaitGroup
	for range workers {
		all.Go(func() {
			for n := next.Add(1) - 1; n < uint64(i.Count) && ctx.Err() == nil; n = next.Add(1) - 1 {
				order, checkpoints, err := i.one(maker, in, i.First+n)
				mu.Lock()
				orders[order] = true
				seen.Checkpoints += min(checkpoints, 1)
				if err != nil {
					failures[i.First+n] = err
				}
				mu.Unlock()
			}
		})
	}
	all.Wait()
	seen.Orders = len(orders)
	for n := range uint64(i.Count) {
		if err := failures[i.First+n]; err != nil {
			return seen, fmt.Errorf("stage %02d, traffic %d, lag above the bound %t: %d of %d schedules fail, the first is %d: %w\nreduce: %s --schedules 1",
				i.Stage, i.Traffic, i.Lag, len(failures), i.Count, i.First+n, err, i.traffic().Reduce(i.job(i.First+n)))
		}
	}
	return seen, ctx.Err()
}

// one runs one schedule. order identifies the order of what was written.
func (i Interleaving) one(maker replay.Maker, in *replay.Input, schedule uint64) (order uint64, checkpoints int, err error) {
	o, err := i.job(schedule).Run(maker, in)
	switch {
	case err != nil:
		return 0, 0, err
	case o.Err != nil:
		return 0, 0, o.Err
	case len(o.Differences) > 0:
		return 0, 0, fmt.Errorf("the oracle disagrees:\n%s", oracle.Table(o.Differences, 5))
	}
	h := fnv.New64a()
	fmt.Fprint(h, o.Output.Totals, o.Output.Invoice, o.Output.Unpriced, o.Output.Late, o.Output.DeadLetters)
	return h.Sum64(), o.Checkpoints, nil
}
