package pipeline

import (
	"context"
	"errors"

	"gatewaymeter/engine"
)

// Simulate runs a job over recorded partitions under a seeded schedule, to its end.
func Simulate(cfg Config, seed uint64) (*engine.Result, error) {
	j, err := Build(cfg)
	if err != nil {
		return nil, err
	}
	s, err := engine.NewSimulation(j, engine.SimOptions{Seed: seed})
	if err != nil {
		return nil, err
	}
	err = s.Run()
	result := s.Result()
	return result, errors.Join(err, s.Close())
}

// RunLive runs a job on the live driver, to the end of its input.
func RunLive(ctx context.Context, cfg Config) (*engine.Result, error) {
	j, err := Build(cfg)
	if err != nil {
		return nil, err
	}
	return j.Run(ctx, engine.Options{})
}
