package crashmatrix_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gatewaymeter/internal/crashmatrix"
)

// run does the runs of a stretch of seeds, and prints what they have covered. Each failure names its seed
// and the command that repeats it.
func run(t *testing.T, stage int, first, n uint64) *crashmatrix.Coverage {
	t.Helper()
	var cases []crashmatrix.Case
	for i := range n {
		cases = append(cases, crashmatrix.Of(stage, first+i))
	}
	var m crashmatrix.Matrix
	v := m.All(t.Context(), cases, func(o crashmatrix.Outcome) bool {
		if o.Err != nil {
			t.Error(o.Err)
		}
		return !t.Failed()
	})
	var b strings.Builder
	v.Print(&b)
	t.Logf("stage %02d, seeds %d to %d\n%s", stage, first, first+n-1, &b)
	return v
}

// A thousand crashes of the job with checkpoints: every bill is exact, every point of the table is
// reached, and barriers are in flight often enough. `go tool lab crash 07 --seeds 10000` runs more.
func TestEveryCrashOfStage07IsExact(t *testing.T) {
	v := run(t, 7, 1, 1000)
	require.NoError(t, v.Missing())
	require.Positive(t, v.Twice, "a plain sink tells some lines again: a matrix that sees none is blind to it")
	require.Positive(t, v.Aborted)
	require.Positive(t, v.Pebble)
	require.Positive(t, v.Rescaled)
}

// Without checkpoints the bill is wrong, but not anyhow: read from the start it is whole again, and read
// from the end nothing is told twice.
func TestCrashesBeforeStage07DoWhatTheStartDetermines(t *testing.T) {
	for stage := 3; stage < 7; stage++ {
		t.Run(fmt.Sprint("stage ", stage), func(t *testing.T) {
			require.NoError(t, run(t, stage, 1, 2*uint64(crashmatrix.Cycle(stage))).Missing())
		})
	}
}

// The same seed is the same run, whatever ran before.
func TestASeedRepeatsItsRun(t *testing.T) {
	for seed := range uint64(crashmatrix.Cycle(7)) {
		if seed%11 != 0 {
			continue
		}
		var m, other crashmatrix.Matrix
		first, err := m.Run(crashmatrix.Of(7, seed))
		require.NoError(t, err)
		_, err = other.Run(crashmatrix.Of(7, seed+1))
		require.NoError(t, err)
		again, err := other.Run(crashmatrix.Of(7, seed))
		require.NoError(t, err)
		require.Equal(t, first, again)
	}
}

// A cycle of seeds asks for every kind at every point; the other dimensions are drawn, all of them.
func TestACycleMeetsEveryKindAtEveryPoint(t *testing.T) {
	met := map[string]bool{}
	n := crashmatrix.Cycle(7)
	for seed := range uint64(n) {
		c := crashmatrix.Of(7, seed)
		met[fmt.Sprint(c.Kind, c.Point)] = true
		for _, value := range []string{
			fmt.Sprint("parallelism ", c.Parallelism, c.Restarted), fmt.Sprint("partitions ", c.Partitions),
			fmt.Sprint("buffered ", c.Buffered), fmt.Sprint("retained ", c.Retain),
		} {
			met[value] = true
		}
	}
	dies := len(crashmatrix.Points(7))
	require.Len(t, met, (len(crashmatrix.Kinds(7))-1)*dies+2+6+3+2+3)
}

// Who stops the runs gets what was done until then.
func TestRunsCanBeStopped(t *testing.T) {
	var cases []crashmatrix.Case
	for seed := range uint64(50) {
		cases = append(cases, crashmatrix.Of(7, seed))
	}
	ctx, cancel := context.WithCancel(t.Context())
	var m crashmatrix.Matrix
	told := uint64(0)
	v := m.All(ctx, cases, func(o crashmatrix.Outcome) bool {
		require.Equal(t, told, o.Case.Seed, "in order")
		told++
		if told == 5 {
			cancel()
		}
		return true
	})
	require.Equal(t, int(told), v.Runs)
	require.Less(t, v.Runs, len(cases))
	require.NoError(t, v.Missing(), "too few runs to say that anything is missing")
}
