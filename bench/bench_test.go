package bench_test

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

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

func TestCompareRunsBothInTurn(t *testing.T) {
	rounds := 0
	c := bench.Config{Stage: work.Full, Requests: 1000, Seed: work.DefaultSeed, Parallelism: 1, Backend: bench.Heap}
	m, err := bench.Compare(context.Background(), c, bench.Limit, 3, func(round int, ours, loop *bench.Result) error {
		rounds++
		require.Equal(t, rounds, round)
		require.NoError(t, ours.Verify())
		require.NoError(t, loop.Verify())
		require.Equal(t, loop.Check, ours.Check)
		return nil
	})
	require.NoError(t, err)
	require.Equal(t, 3, rounds)
	require.Positive(t, m.Ratio)
	require.InDelta(t, float64(m.Ours)/float64(m.Other), m.Ratio, 1e-9)
}

func TestOpenRequestsAreAllThereAfterARestore(t *testing.T) {
	for _, stage := range []work.Stage{work.Stateful, work.Full} {
		for _, backend := range []string{bench.Heap, bench.Pebble} {
			s, err := bench.OpenRequests(t.Context(), bench.Config{
				Stage: stage, Requests: 2000, Seed: work.DefaultSeed, Parallelism: 1, Backend: backend, Dir: t.TempDir(),
				Changed: bench.DefaultChanged,
			})
			require.NoError(t, err, "stage %02d on %s", stage, backend)
			require.Equal(t, 2000, s.Entries)
			require.Equal(t, 20, s.Changed)
			require.Positive(t, s.SnapshotEach)
			require.Equal(t, backend == bench.Heap, s.Second.Written == s.Second.Bytes)
		}
	}
}

func TestOpenRequestsStopsWhenAskedTo(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	_, err := bench.OpenRequests(ctx, bench.Config{Stage: work.Full, Requests: 1e15, Parallelism: 1, Backend: bench.Pebble, Changed: bench.DefaultChanged})
	require.ErrorIs(t, err, context.Canceled)
	left, err := os.ReadDir(tmp)
	require.NoError(t, err)
	require.Empty(t, left)
}

func TestConfigNamesWhatCannotBe(t *testing.T) {
	right := bench.Config{Stage: work.Full, Requests: 10, Parallelism: 1, Backend: bench.Heap}
	require.NoError(t, right.Validate())
	for want, spoil := range map[string]func(*bench.Config){
		"stage 04":       func(c *bench.Config) { c.Stage = 4 },
		"0 requests":     func(c *bench.Config) { c.Requests = 0 },
		"parallelism 0":  func(c *bench.Config) { c.Parallelism = 0 },
		`backend "disk"`: func(c *bench.Config) { c.Backend = "disk" },
		"at stage 03":    func(c *bench.Config) { c.Stage, c.Checkpoint = work.Stateful, time.Second },
	} {
		wrong := right
		spoil(&wrong)
		require.ErrorContains(t, wrong.Validate(), want)
		_, err := bench.Run(context.Background(), wrong)
		require.ErrorContains(t, err, want)
	}
}

// TestCheckpointsChangeNothing: with one every millisecond, the result is the same. How long a
// checkpoint takes is for the disk to say, and how long the run takes for the processor, so the run
// grows until it has seen some.
func TestCheckpointsChangeNothing(t *testing.T) {
	for _, backend := range []string{bench.Heap, bench.Pebble} {
		for requests := int64(20_000); ; requests *= 2 {
			require.LessOrEqual(t, requests, int64(20_000_000), "%s: no checkpoint is ever complete", backend)
			r, err := bench.Run(context.Background(), bench.Config{
				Stage: work.Full, Requests: requests, Seed: work.DefaultSeed, Parallelism: 2, Backend: backend,
				Dir: t.TempDir(), Checkpoint: time.Millisecond,
			})
			require.NoError(t, err)
			require.NoError(t, r.Verify(), backend)
			if r.Checkpoints.Complete > 0 {
				break
			}
		}
	}
}
