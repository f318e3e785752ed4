package pipeline_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gatewaymeter/gateway"
	checkpoints "gatewaymeter/labs/07-checkpoints/solution"
	"gatewaymeter/pipeline"
	"gatewaymeter/stream"
)

// lateCrash is a run in which half of all completions come later than the bound, with two crashes, and
// another parallelism after each. Its bill goes back with the job.
func lateCrash(t *testing.T, seed uint64, keep bool) *pipeline.CrashReport {
	t.Helper()
	parts, functions, err := pipeline.Ours(7)
	require.NoError(t, err)
	if keep {
		minute := functions.Minute
		functions.Minute = func() stream.KeyedFunction[gateway.RequestRecord, gateway.TenantWindow] {
			return checkpoints.KeepWatermark(minute())
		}
	}
	r, err := pipeline.Crash(pipeline.CrashConfig{
		Stage: 7, Parallelism: 1 + int(seed%3), Rescale: []int{3, 1, 2}, Partitions: 3, Requests: 250, Seed: seed, From: pipeline.FromCheckpoint,
		Lag: 0.5, TakenBack: true, Crashes: 2, Parts: parts, Functions: functions,
	})
	require.NoError(t, err, "seed %d", seed)
	require.True(t, r.Fired, "seed %d: the worker did not die twice", seed)
	return r
}

// Watermarks are in no checkpoint (docs/design.md, section 7; FLINK-5601): without the mend, minutes that had
// been purged open again and overwrite full bills. With it, what the oracle determines is so in every run.
func TestLateDataAndCrashesAreExactOnceTheWatermarkIsKept(t *testing.T) {
	wrong := 0
	for seed := range uint64(24) {
		if r := lateCrash(t, seed, false); r.Oracle != "match" {
			wrong++
		}
		r := lateCrash(t, seed, true)
		require.Empty(t, r.Wrong, "seed %d, the last crash %s", seed, r.At)
	}
	require.Greater(t, wrong, 4, "too few runs show what is mended here")
}
