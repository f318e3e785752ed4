package lab07_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"gatewaymeter/engine"
	"gatewaymeter/gateway"
	"gatewaymeter/harness"
	"gatewaymeter/internal/kit/suite"
	"gatewaymeter/internal/kit/timeline"
	checkpoints "gatewaymeter/labs/07-checkpoints/starter"
	"gatewaymeter/pipeline"
	"gatewaymeter/stream"
)

// Test7_5: Late data and a restore: a purged window reopens; mend it (optional)
func Test7_5(t *testing.T) {
	suite.Exercise(t, "7.5", func(t *testing.T) {
		timeline.Play(t, "testdata/late.txt", func(t *testing.T, head timeline.Step) func(timeline.Step) timeline.Outcome {
			f := newFleet(t, head.Number(t, "parallelism"), checkpoints.KeepWatermark)
			return func(s timeline.Step) timeline.Outcome {
				return timeline.Outcome{Before: f.watermarks(), Got: f.do(t, s)}
			}
		})
		suite.Sub(t, "a failure of inner is a failure", func(t *testing.T) {
			parts, _, err := pipeline.Ours(6)
			suite.Harness(t, err)
			byTenant := func(r gateway.RequestRecord) string { return r.TenantID }
			h := harness.NewKeyed(t, parts, byTenant, checkpoints.KeepWatermark[gateway.RequestRecord, gateway.TenantWindow](refusing{}), harness.AllowFailure())
			h.ProcessElement(gateway.RequestRecord{TenantID: "a"}, 10_000)
			if !errors.Is(h.Err(), errRefusing) {
				suite.Wrong(t, suite.Failure{Says: "inner could not take the element, and the job goes on as if it had", Got: fmt.Sprint(h.Err()), Want: errRefusing.Error()})
			}
		})
		suite.Sub(t, "late completions and two crashes, restored at another parallelism", lateCrashes)
	})
}

type minuteFunction = stream.KeyedFunction[gateway.RequestRecord, gateway.TenantWindow]

// refusing is a function that takes no element.
type refusing struct{}

var errRefusing = errors.New("this element is not taken")

func (refusing) Open(*stream.Context) error { return nil }

func (refusing) ProcessElement(*stream.Context, gateway.RequestRecord, stream.Collector[gateway.TenantWindow]) error {
	return errRefusing
}

// fleet is all subtasks of the operator of minutes.
type fleet struct {
	parts    engine.Parts
	minute   func() minuteFunction
	subtasks []*harness.Keyed[gateway.RequestRecord, gateway.TenantWindow]
}

func newFleet(t *testing.T, parallelism int, keep func(minuteFunction) minuteFunction) *fleet {
	t.Helper()
	parts, functions, err := pipeline.Ours(6)
	suite.Harness(t, err)
	f := &fleet{parts: parts, minute: func() minuteFunction { return keep(functions.Minute()) }}
	f.start(t, parallelism, nil)
	return f
}

func (f *fleet) start(t *testing.T, parallelism int, from []harness.Snapshot) {
	t.Helper()
	f.subtasks = nil
	for i := range parallelism {
		options := []harness.Option{harness.At(i, parallelism)}
		if from != nil {
			options = append(options, harness.From(from...))
		}
		byTenant := func(r gateway.RequestRecord) string { return r.TenantID }
		f.subtasks = append(f.subtasks, harness.NewKeyed(t, f.parts, byTenant, f.minute(), options...))
	}
}

// do does what a step says, and prints what comes out.
func (f *fleet) do(t *testing.T, s timeline.Step) string {
	t.Helper()
	switch s.Verb {
	case "record":
		owner := f.parts.Groups.Owner(f.parts.Groups.Of(f.parts.Hash(s.Arg("tenant"))), len(f.subtasks))
		at := s.At(t, "t")
		f.subtasks[owner].ProcessElement(gateway.RequestRecord{
			TenantID: s.Arg("tenant"), Model: "model-a", RequestID: s.Arg("tenant") + "@" + clock(at), CompletedTS: int64(at), PromptTokens: 1,
		}, at)
	case "watermark":
		for i, h := range f.subtasks {
			if !s.Has("subtask") || s.Number(t, "subtask") == i {
				h.ProcessWatermark(s.At(t, "t"))
			}
		}
	case "restore":
		var all []harness.Snapshot
		for _, h := range f.subtasks {
			all = append(all, h.Snapshot())
			h.Close()
		}
		f.start(t, s.Number(t, "parallelism"), all)
	default:
		s.Unknown(t)
	}
	return f.output()
}

// output is what all subtasks have sent out since the last step.
func (f *fleet) output() string {
	var said []string
	for _, h := range f.subtasks {
		for _, w := range h.Values() {
			said = append(said, fmt.Sprintf("%s, minute %s: %d requests", w.TenantID, clock(stream.Time(w.Start)), w.Requests))
		}
		for _, r := range harness.SideOutputs(h, stream.Tag[gateway.RequestRecord]{Name: gateway.TopicLate}) {
			said = append(said, "late "+r.Value.RequestID)
		}
	}
	if len(said) == 0 {
		return "nothing"
	}
	slices.Sort(said)
	return strings.Join(said, "; ")
}

func (f *fleet) watermarks() (s string) {
	for i, h := range f.subtasks {
		s += fmt.Sprintf("subtask %d at watermark %s  ", i, clock(h.Context().Watermark))
	}
	return strings.TrimSpace(s)
}

// lateCrash is a run with late completions and two crashes. Its bill goes back with the job, so that it
// shows the state alone: what a plain sink was told besides is lab 08's topic.
func lateCrash(t *testing.T, seed uint64, keep func(minuteFunction) minuteFunction) pipeline.CrashConfig {
	t.Helper()
	cfg := crashConfig(t, 7, pipeline.FromCheckpoint, seed)
	cfg.Lag, cfg.TakenBack, cfg.Crashes, cfg.Rescale = 0.5, true, 2, []int{3, 1}
	cfg.Log = logOf(t, cfg)
	_, functions, err := pipeline.Ours(6)
	suite.Harness(t, err)
	cfg.Functions.Minute = func() minuteFunction { return keep(functions.Minute()) }
	return cfg
}

// lateCrashes holds runs against the oracle: in these seeds the bill is wrong without the mend.
func lateCrashes(t *testing.T) {
	lost := 0
	for seed := range uint64(8) {
		r, err := pipeline.Crash(lateCrash(t, seed, checkpoints.KeepWatermark))
		suite.NoError(t, err, "the job runs to its end")
		if r.Oracle != "match" {
			suite.Wrong(t, suite.Failure{
				Says: "a minute that was billed, or a record that was late, is not what it was before the crash", Got: r.Wrong,
				Input: fmt.Sprintf("seed %d, half of all completions late, crashes at parallelism 2 and 3, the last %s; ended at 1", seed, r.At),
			})
		}
		if lost == 0 {
			forgetful := func(m minuteFunction) minuteFunction { return m }
			r, err := pipeline.Crash(lateCrash(t, seed, forgetful))
			suite.Harness(t, err)
			if r.Oracle != "match" {
				lost++
				t.Logf("without the mend, seed %d, %s:\n%s", seed, r.At, r.Wrong)
			}
		}
	}
	if lost == 0 {
		suite.Harness(t, fmt.Errorf("no seed shows a purged window that opens again"))
	}
}
