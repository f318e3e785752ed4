package matrix

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gatewaymeter/internal/planted"
	"gatewaymeter/internal/replay"
	"gatewaymeter/pipeline"
)

// TestInterleavings: the same input under 1,000 schedules of each stage's job comes to the same bill, lag
// above the bound on and off in turn.
func TestInterleavings(t *testing.T) {
	const schedules = 1000
	first := offset(t) * schedules
	for stage := 4; stage <= pipeline.LastStage; stage++ {
		t.Run(fmt.Sprintf("stage %02d", stage), func(t *testing.T) {
			i := Interleaving{Stage: stage, Traffic: uint64(stage), Lag: stage%2 == 1, First: first, Count: schedules}
			start := time.Now()
			seen, err := i.Run(t.Context(), pipeline.Ours, 2)
			require.NoError(t, err)
			t.Logf("schedules %d to %d: %+v, %v", first, first+schedules-1, seen, time.Since(start))
			require.Greater(t, seen.Orders, schedules/10)
			require.Equal(t, stage >= 7, seen.Checkpoints > schedules/2, "%d", seen.Checkpoints)
		})
	}
}

// TestDenseTrafficHasEverything: a short input is worth a thousand runs only if it has all anomalies.
func TestDenseTrafficHasEverything(t *testing.T) {
	for seed := range uint64(10) {
		_, c := replay.DenseTraffic(seed, true).Messages()
		for name, n := range map[string]int64{
			"disordered": c.Disordered, "duplicates": c.At(6).Duplicates, "malformed": c.Malformed, "never completed": c.NeverCompleted,
			"never started": c.NeverStarted, "reversed": c.Reversed, "long": c.Long, "unknown model": c.UnknownModel, "lag": c.LagAboveBound,
		} {
			require.Positive(t, n, "%s, seed %d", name, seed)
		}
	}
}

// TestInterleavingsFindAPlantedBug: a valve that follows its fastest input is right under some schedules.
func TestInterleavingsFindAPlantedBug(t *testing.T) {
	i := Interleaving{Stage: 5, Traffic: 1, First: 1, Count: 50}
	_, err := i.Run(t.Context(), planted.FastestValve(), 2)
	require.ErrorContains(t, err, "of 50 schedules fail, the first is 1: the oracle disagrees")
	t.Log(err)
}
