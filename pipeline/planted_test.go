package pipeline_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gatewaymeter/engine"
	checkpoints "gatewaymeter/labs/07-checkpoints/solution"
	"gatewaymeter/pipeline"
	"gatewaymeter/stream"
)

// forgetful is a timer service that does not find its timers again after a restore.
type forgetful struct{ stream.TimerService }

func (forgetful) Recover() error { return nil }

// offByOne is a split reader whose snapshot says that one more message has been read.
type offByOne struct{ stream.SplitReader }

func (r offByOne) Snapshot() []stream.Split {
	splits := r.SplitReader.Snapshot()
	for i := range splits {
		if splits[i].Next < splits[i].Stop {
			splits[i].Next++
		}
	}
	return splits
}

// TestPlantedBugsAreCaught plants one bug after the other in what makes a checkpoint: crashes find each
// of them within 50 seeds. (A manifest rename that is not atomic is lab 07's power-cut test's.)
func TestPlantedBugsAreCaught(t *testing.T) {
	for name, plant := range map[string]func(*engine.Parts){
		"an aligner that does not block": func(p *engine.Parts) { p.Aligner = checkpoints.NewAtLeastOnceAligner },
		"timers are not recovered": func(p *engine.Parts) {
			right := p.Timers
			p.Timers = func(c *stream.Context, d stream.Domain) (stream.TimerService, error) {
				s, err := right(c, d)
				return forgetful{s}, err
			}
		},
		"offsets off by one": func(p *engine.Parts) {
			right := p.Splits
			p.Splits = func(log stream.Log) stream.SplitReader { return offByOne{right(log)} }
		},
	} {
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(50) {
				parts, functions, err := pipeline.Ours(7)
				require.NoError(t, err)
				plant(&parts)
				r, err := pipeline.Crash(pipeline.CrashConfig{
					Stage: 7, Parallelism: 2, Partitions: 3, Requests: 250, Seed: seed, From: pipeline.FromCheckpoint, Parts: parts, Functions: functions,
				})
				if err != nil {
					t.Logf("caught with seed %d: %v", seed, err)
					return
				}
				if r.Oracle != "match" {
					t.Logf("caught with seed %d, %s:\n%s", seed, r.At, r.Wrong)
					return
				}
			}
			t.Error("50 crashes have not found it")
		})
	}
}
