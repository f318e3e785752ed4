package lab07_test

import (
	"testing"

	"gatewaymeter/internal/kit/suite"
	"gatewaymeter/internal/kit/timeline"
	"gatewaymeter/pipeline"
	"gatewaymeter/stream"
)

// clock prints a time as timelines write it.
func clock(t stream.Time) string { return timeline.Clock(t) }

// crashConfig is a crash of a stage's job, all of it ours.
func crashConfig(t *testing.T, stage int, from string, seed uint64) pipeline.CrashConfig {
	t.Helper()
	parts, functions, err := pipeline.Ours(stage)
	suite.Harness(t, err)
	return pipeline.CrashConfig{
		Stage: stage, Parallelism: 2, Partitions: 3, Requests: 250, Seed: seed, From: from, Parts: parts, Functions: functions,
	}
}
