package crashmatrix_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"gatewaymeter/engine"
	"gatewaymeter/internal/crashmatrix"
	"gatewaymeter/internal/planted"
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

// lazyDisk does not make names durable: a rename may be undone by a power cut.
type lazyDisk struct{ checkpoints.Disk }

func (lazyDisk) SyncDir(string) error { return nil }

// bug is a mistake in what makes a checkpoint.
type bug struct {
	name string
	in   func(*engine.Parts)
	disk func(checkpoints.Disk) checkpoints.Disk
}

var bugs = []bug{
	{name: "alignment: no input is blocked", in: func(p *engine.Parts) { p.Aligner = checkpoints.NewAtLeastOnceAligner }},
	{name: "timer snapshot: timers are not found again", in: func(p *engine.Parts) {
		right := p.Timers
		p.Timers = func(c *stream.Context, d stream.Domain) (stream.TimerService, error) {
			s, err := right(c, d)
			return forgetful{s}, err
		}
	}},
	{name: "offset map: off by one", in: func(p *engine.Parts) {
		right := p.Splits
		p.Splits = func(log stream.Log) stream.SplitReader { return offByOne{right(log)} }
	}},
	{name: "manifest rename: it copies", disk: func(d checkpoints.Disk) checkpoints.Disk { return planted.CopyingDisk{Disk: d} }},
	{name: "manifest rename: it is not durable", disk: func(d checkpoints.Disk) checkpoints.Disk { return lazyDisk{d} }},
}

// enough seeds to meet every kind of run at every point twice.
var enough = 2 * uint64(crashmatrix.Cycle(7))

// The matrix finds each of these, and says with which seed; the same run without the bug is right.
func TestPlantedBugsAreCaught(t *testing.T) {
	for _, b := range bugs {
		t.Run(b.name, func(t *testing.T) {
			planted := crashmatrix.Matrix{Disk: b.disk, Parts: func(stage int) (engine.Parts, pipeline.Functions, error) {
				p, f, err := pipeline.Ours(stage)
				if b.in != nil {
					b.in(&p)
				}
				return p, f, err
			}}
			var ours crashmatrix.Matrix
			for seed := range enough {
				_, err := planted.Run(crashmatrix.Of(7, seed))
				if err == nil {
					continue
				}
				t.Log(err)
				require.ErrorContains(t, err, fmt.Sprintf("seed %d, ", seed))
				require.ErrorContains(t, err, fmt.Sprintf("repeat just this run: go tool lab crash 07 --seed %d", seed))
				_, err = ours.Run(crashmatrix.Of(7, seed))
				require.NoError(t, err, "the run finds fault with what is right")
				return
			}
			t.Errorf("%d runs have not found it", enough)
		})
	}
}
