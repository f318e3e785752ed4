package pipeline_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gatewaymeter/engine"
	"gatewaymeter/pipeline"
)

func crashConfig(t *testing.T, from string, seed uint64) pipeline.CrashConfig {
	t.Helper()
	parts, functions, err := pipeline.Ours(3)
	require.NoError(t, err)
	return pipeline.CrashConfig{Stage: 3, Parallelism: 3, Partitions: 3, Requests: 250, Seed: seed, From: from, Parts: parts, Functions: functions}
}

// Stage 03 has no checkpoint: whatever the source does after a crash, the bill is wrong (the course's
// text: "no setting of the source makes this stage right").
func TestCrashOfStage03LosesOrDoublesMoney(t *testing.T) {
	const seeds = 100
	shown := map[string]int{}
	for _, from := range []string{pipeline.FromEarliest, pipeline.FromLatest} {
		for seed := range uint64(seeds) {
			r, err := pipeline.Crash(crashConfig(t, from, seed))
			require.NoError(t, err, "seed %d", seed)
			require.True(t, r.Fired, "seed %d: the crash point %q was not reached", seed, r.At)
			if from == pipeline.FromEarliest {
				require.Empty(t, r.NeverBilled.Lines, "seed %d: everything is read again", seed)
			}
			if len(r.EmittedTwice.Lines) > 0 && from == pipeline.FromEarliest ||
				len(r.NeverBilled.Lines) > 0 && from == pipeline.FromLatest {
				shown[from]++
				require.Equal(t, "mismatch", r.Oracle, "seed %d", seed)
			}
		}
	}
	require.GreaterOrEqual(t, shown[pipeline.FromEarliest], 95, "runs that emitted something twice")
	require.GreaterOrEqual(t, shown[pipeline.FromLatest], 95, "runs that never billed something")
}

func TestCrashRepeatsItselfAndItsPointCanBeNamed(t *testing.T) {
	first, err := pipeline.Crash(crashConfig(t, pipeline.FromLatest, 7))
	require.NoError(t, err)
	again, err := pipeline.Crash(crashConfig(t, pipeline.FromLatest, 7))
	require.NoError(t, err)
	require.Equal(t, first, again)

	point, err := engine.ParseCrashPoint(first.At)
	require.NoError(t, err)
	named := crashConfig(t, pipeline.FromLatest, 7)
	named.At = &point
	byName, err := pipeline.Crash(named)
	require.NoError(t, err)
	require.Equal(t, first, byName)
}

// From stage 07 on the invoice is exact, wherever the worker dies.
func TestCrashOfStage07ChangesNothing(t *testing.T) {
	parts, functions, err := pipeline.Ours(7)
	require.NoError(t, err)
	reached := map[string]int{}
	barriers := 0
	const seeds = 300
	for seed := range uint64(seeds) {
		r, err := pipeline.Crash(pipeline.CrashConfig{
			Stage: 7, Parallelism: 2 + int(seed%2), Partitions: 3, Requests: 250, Seed: seed,
			From: pipeline.FromCheckpoint, Parts: parts, Functions: functions, Crashes: 1 + int(seed%2),
		})
		require.NoError(t, err, "seed %d", seed)
		require.True(t, r.Fired, "seed %d: the worker did not die", seed)
		require.Empty(t, r.Wrong, "seed %d, %s", seed, r.At)
		require.Empty(t, r.NeverBilled.Lines)
		require.GreaterOrEqual(t, r.Events, 480)
		reached[r.Deaths[len(r.Deaths)-1].Point.What]++
		if r.Deaths[len(r.Deaths)-1].Barriers {
			barriers++
		}
	}
	t.Log(reached, barriers)
}
