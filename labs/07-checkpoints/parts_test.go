package lab07_test

import (
	"fmt"
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
	cfg := pipeline.CrashConfig{
		Stage: stage, Parallelism: 2, Partitions: 3, Requests: 250, Seed: seed, From: from, Parts: parts, Functions: functions,
	}
	cfg.Log = logOf(t, cfg)
	return cfg
}

// logs is the traffic of the suite's crashes, by what it hangs on: to make and
// judge it takes as long as a run.
var logs = map[string]*pipeline.CrashLog{}

func logOf(t *testing.T, cfg pipeline.CrashConfig) *pipeline.CrashLog {
	t.Helper()
	name := fmt.Sprint(cfg.Stage, " ", cfg.Seed, " ", cfg.Lag, " ", cfg.Cards)
	if logs[name] == nil {
		made, err := pipeline.NewCrashLog(cfg)
		suite.Harness(t, err)
		logs[name] = made
	}
	return logs[name]
}
