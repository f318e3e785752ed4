package verify

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"gatewaymeter/broker"
	"gatewaymeter/internal/matrix"
)

// fullLimit is how long the full product may take.
const fullLimit = 45 * time.Minute

// fullSeeds is how many seeds are in it.
const fullSeeds = 20

var errLimit = fmt.Errorf("the limit of %v is reached", fullLimit)

// Full crashes the job 10,000 times. Then it runs the whole product of the dimensions on a broker, and
// prints a line a run. Seeds are turned slowest, so that what the limit cuts off is the last seeds; a
// product that was cut has not passed.
func (r *Runner) Full(ctx context.Context, b *broker.Broker) (ok bool) {
	exact := r.All(ctx, []Step{r.command("10,000 crashes", nil, r.Lab, "crash", "07", "--seeds", "10000")})
	ctx, cancel := context.WithTimeoutCause(ctx, fullLimit, errLimit)
	defer cancel()
	cases, sums := matrix.All(fullSeeds), matrix.Sums{}
	slices.SortStableFunc(cases, func(x, y matrix.Case) int { return cmp.Compare(x.Seed, y.Seed) })
	failed, done := 0, 0
	for _, c := range cases {
		from := time.Now()
		err := matrix.Run(ctx, b, c, sums)
		if ctx.Err() != nil {
			break
		}
		done++
		verdict := "ok  "
		if err != nil {
			verdict, failed = "FAIL", failed+1
		}
		fmt.Fprintf(r.Out, "%s\t%s\t%.2fs\n", verdict, c, time.Since(from).Seconds())
		if err != nil {
			fmt.Fprintln(r.Out, err)
		}
	}
	if done < len(cases) {
		fmt.Fprintf(r.Out, "stopped after %d of %d runs: %v\n", done, len(cases), context.Cause(ctx))
	}
	fmt.Fprintf(r.Out, "%d passed, %d failed\n", done-failed, failed)
	return exact && failed == 0 && done == len(cases)
}
