package verify

import (
	"context"
	"fmt"
	"time"

	"gatewaymeter/broker"
	"gatewaymeter/internal/matrix"
)

// fullLimit is how long the full product may take.
const fullLimit = 45 * time.Minute

// Full runs the whole product of the dimensions on a broker, and prints a line a run. Seeds are turned
// slowest, so that what is cut off at the limit is the last seeds, and the output says so.
func (r *Runner) Full(ctx context.Context, b *broker.Broker) (ok bool) {
	start := time.Now()
	cases := matrix.All(20)
	failed, done := 0, 0
	for seed := uint64(1); seed <= 20; seed++ {
		for _, c := range cases {
			if c.Seed != seed || ctx.Err() != nil {
				continue
			}
			if time.Since(start) > fullLimit {
				fmt.Fprintf(r.Out, "the limit of %v is reached after %d of %d runs, in seed %d\n", fullLimit, done, len(cases), seed)
				return failed == 0
			}
			from := time.Now()
			err := matrix.Run(ctx, b, c)
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
	}
	fmt.Fprintf(r.Out, "%d passed, %d failed\n", done-failed, failed)
	return failed == 0 && ctx.Err() == nil
}
