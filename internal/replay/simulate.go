package replay

import (
	"errors"
	"math"

	"gatewaymeter/engine"
	checkpoints "gatewaymeter/labs/07-checkpoints/solution"
	"gatewaymeter/pipeline"
	"gatewaymeter/stream"
)

// simulate runs the job to its end. From stage 07 it takes checkpoints on the way, to a disk in memory:
// they must not change the bill either. trace may be nil.
func (o *Outcome) simulate(cfg pipeline.Config, schedule uint64, trace func(stream.Step)) (*engine.Result, error) {
	j, err := pipeline.Build(cfg)
	if err != nil {
		return nil, err
	}
	if trace != nil {
		j.SetTrace(trace)
	}
	opts := engine.SimOptions{Seed: schedule}
	if cfg.Stage >= firstWithCheckpoints {
		if opts.Checkpoints, err = takeCheckpoints(); err != nil {
			return nil, err
		}
	}
	s, err := engine.NewSimulation(j, opts)
	if err != nil {
		return nil, err
	}
	err = s.Run()
	o.Checkpoints = s.Completed()
	result := s.Result()
	return result, errors.Join(err, s.Close())
}

// firstWithCheckpoints is the stage whose job takes them.
const firstWithCheckpoints = 7

// interval is the virtual time, in ms, between the starts of two checkpoints; short, since a run over a
// handful of messages takes only a few of them.
const interval = 1

func takeCheckpoints() (*engine.Checkpoints, error) {
	store, err := checkpoints.NewStore(checkpoints.NewMemDisk(), pipeline.Retained)
	if err != nil {
		return nil, err
	}
	cfg := stream.Checkpointing{Interval: interval, Timeout: math.MaxInt32}
	cfg.First, err = store.Next()
	return &engine.Checkpoints{Store: store, Config: cfg}, err
}
