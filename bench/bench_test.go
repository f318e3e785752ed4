package bench_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"gatewaymeter/bench"
	"gatewaymeter/bench/work"
)

// TestWork holds the engine against WORK.md's tables. The larger sizes are `lab bench`'s.
func TestWork(t *testing.T) {
	for _, stage := range []work.Stage{work.Stateful, work.Full} {
		for _, backend := range []string{bench.Heap, bench.Pebble} {
			for _, parallelism := range []int{1, 2, 3} {
				for _, requests := range []int64{1, 1_000, 20_000} {
					if backend == bench.Pebble && requests > 1_000 {
						continue
					}
					t.Run(fmt.Sprintf("stage %02d, %s, parallelism %d, %d requests", stage, backend, parallelism, requests), func(t *testing.T) {
						r, err := bench.Run(context.Background(), bench.Config{
							Stage: stage, Requests: requests, Seed: work.DefaultSeed,
							Parallelism: parallelism, Backend: backend, Dir: t.TempDir(),
						})
						require.NoError(t, err)
						require.NoError(t, r.Verify())
						require.Positive(t, r.PerSecond)
					})
				}
			}
		}
	}
}
