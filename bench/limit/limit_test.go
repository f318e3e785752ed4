package limit_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gatewaymeter/bench/limit"
	"gatewaymeter/bench/work"
)

// TestOutcome holds both loops against WORK.md's tables; the largest sizes are left to `lab bench`.
func TestOutcome(t *testing.T) {
	loops := map[string]func(work.Stage, int64, uint64) (work.Outcome, time.Duration){
		"one goroutine": limit.Loop, "two partitions": limit.Par2,
	}
	for name, loop := range loops {
		for _, stage := range []work.Stage{work.Stateful, work.Full} {
			for _, requests := range []int64{0, 1, 1_000, 20_000, 100_000} {
				t.Run(fmt.Sprintf("%s, stage %02d, %d requests", name, stage, requests), func(t *testing.T) {
					outcome, took := loop(stage, requests, work.DefaultSeed)
					require.NoError(t, outcome.Verify())
					if requests >= 1_000 { // fewer may take less than the clock can tell
						require.Positive(t, took)
					}
				})
			}
		}
	}
}
