package pipeline_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gatewaymeter/engine"
	"gatewaymeter/pipeline"
	"gatewaymeter/stream"
)

// endless is a job over a topic that goes on after its last message, in the simulated driver until the test
// ends, and what it writes. cfg says which job; change may put other parts in; nil: ours as they are.
func endless(t *testing.T, cfg pipeline.Config, topic *pipeline.Recorded, seed uint64, change func(*engine.Parts)) (*engine.Simulation, *pipeline.Output) {
	t.Helper()
	var err error
	cfg.Parts, cfg.Functions, err = pipeline.Ours(cfg.Stage)
	require.NoError(t, err)
	if change != nil {
		change(&cfg.Parts)
	}
	out := &pipeline.Output{}
	cfg.Sinks = out.Sinks()
	cfg.Events.Splits, cfg.Events.Log = topic.Splits(), topic.Log
	for i := range cfg.Events.Splits {
		cfg.Events.Splits[i].Stop = stream.Unbounded
	}
	j, err := pipeline.Build(cfg)
	require.NoError(t, err)
	s, err := engine.NewSimulation(j, engine.SimOptions{Seed: seed})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s, out
}
