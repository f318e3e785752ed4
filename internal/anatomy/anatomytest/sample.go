// Package anatomytest makes folders with checkpoints, for tests of package anatomy and of the command:
// a simulated run of stage 07's job, stopped in the middle, the same bytes for the same seed.
package anatomytest

import (
	"errors"
	"fmt"

	"gatewaymeter/engine"
	"gatewaymeter/gateway"
	"gatewaymeter/generator"
	checkpoints "gatewaymeter/labs/07-checkpoints/solution"
	"gatewaymeter/pipeline"
	"gatewaymeter/stream"
)

// Fill runs the job, with its cards, at parallelism 2 until the third checkpoint is complete, and leaves
// it as a kill would. The folder dir must be there.
func Fill(dir string, seed uint64) error { return FillWith(dir, seed, func(*engine.Parts) {}) }

// FillWith does the same with other parts.
func FillWith(dir string, seed uint64, change func(*engine.Parts)) error {
	j, err := job(seed, change)
	if err != nil {
		return err
	}
	store, err := pipeline.OpenCheckpoints(dir)
	if err != nil {
		return err
	}
	return run(j, store, seed)
}

func run(j *engine.Job, store *checkpoints.Store, seed uint64) error {
	s, err := engine.NewSimulation(j, engine.SimOptions{Seed: seed, Checkpoints: &engine.Checkpoints{
		Store: store, Config: stream.Checkpointing{Interval: 40},
	}})
	for more := err == nil; more && s.Completed() < 3; {
		more, err = s.Step()
		if err == nil && !more {
			err = fmt.Errorf("seed %d: the run ended after %d checkpoints", seed, s.Completed())
		}
	}
	return errors.Join(err, s.Close())
}

// job is stage 07's job over recorded partitions.
func job(seed uint64, change func(*engine.Parts)) (*engine.Job, error) {
	parts, functions, err := pipeline.Ours(pipeline.LastStage)
	if err != nil {
		return nil, err
	}
	change(&parts)
	events, _ := pipeline.Record(generator.Default(1000, seed), gateway.TopicEvents, 3)
	cards := pipeline.NewRecorded(gateway.TopicTransactions, 3)
	transactions, _ := generator.NewTransactions(generator.DefaultTransactions(1000, seed))
	for _, m := range transactions {
		cards.Append(m.Key, m.Value)
	}
	return pipeline.Build(pipeline.Config{
		Stage: pipeline.LastStage, Parallelism: 2, Parts: parts, Functions: functions, Sinks: (&pipeline.Output{}).Sinks(),
		Events: pipeline.Input{Splits: events.Splits(), Log: events.Log, Every: 50},
		Cards:  pipeline.Input{Splits: cards.Splits(), Log: func(subtask int) (stream.Log, error) { return cards.Log(subtask) }, Every: 50},
	})
}
