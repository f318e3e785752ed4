package lab07_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"gatewaymeter/gateway"
	"gatewaymeter/generator"
	"gatewaymeter/internal/kit/suite"
	ours "gatewaymeter/labs/07-checkpoints/solution"
	checkpoints "gatewaymeter/labs/07-checkpoints/starter"
	"gatewaymeter/pipeline"
	"gatewaymeter/stream"
)

// Test7_1: The crash matrix of every stage so far
func Test7_1(t *testing.T) {
	suite.Exercise(t, "7.1", func(t *testing.T) {
		for stage := pipeline.FirstStage; stage <= 7; stage++ {
			starts := []string{pipeline.FromEarliest, pipeline.FromLatest}
			if stage >= 7 {
				starts = []string{pipeline.FromCheckpoint}
			}
			for _, start := range starts {
				suite.Sub(t, fmt.Sprintf("stage %02d from %s", stage, start), func(t *testing.T) {
					got := checkpoints.Predict(stage, start)
					suite.Equal(t, observe(t, stage, start), got, suite.Failure{
						Says: "crashes under a few seeds do something else to the bill", Input: fmt.Sprintf("go tool lab crash %02d --from %s", stage, start),
					})
				})
			}
		}
	})
}

// observe crashes a stage under a few seeds: three, since any crash shows what there is to see; from stage
// 07 on five, since a crash may come before the first line behind a checkpoint.
func observe(t *testing.T, stage int, start string) checkpoints.Prediction {
	t.Helper()
	p := checkpoints.Prediction{Exact: true}
	seeds := uint64(3)
	if stage >= 7 {
		seeds = 5
	}
	for seed := range seeds {
		r, err := pipeline.Crash(crashConfig(t, stage, start, seed))
		suite.Harness(t, err)
		p.EmittedTwice = p.EmittedTwice || len(r.EmittedTwice.Lines) > 0
		p.NeverBilled = p.NeverBilled || len(r.NeverBilled.Lines) > 0
		p.Exact = p.Exact && r.Oracle == "match"
	}
	return p
}

// Test7_2: At-least-once mode: what it costs in money (optional)
func Test7_2(t *testing.T) {
	suite.Exercise(t, "7.2", func(t *testing.T) {
		suite.Sub(t, "its snapshots are taken when ours are", func(t *testing.T) {
			a, own := checkpoints.NewAtLeastOnceAligner(3), ours.NewAligner(3)
			for _, b := range [][2]int{{0, 1}, {2, 1}, {1, 1}, {1, 2}, {0, 2}, {2, 3}, {0, 3}, {1, 3}} {
				want, got := own.Barrier(b[0], int64(b[1])), a.Barrier(b[0], int64(b[1]))
				suite.Equal(t, want, got, suite.Failure{Says: "a snapshot is taken when the last barrier has come, in this mode too", Input: fmt.Sprintf("barrier input=%d id=%d", b[0], b[1])})
				if slices.Contains(a.Blocked(), true) {
					suite.Wrong(t, suite.Failure{Says: "an input waits: that is what this mode is to do without", Input: fmt.Sprintf("barrier input=%d id=%d", b[0], b[1]), Got: blocked(a)})
				}
			}
			suite.Equal(t, 3, len(a.Blocked()), suite.Failure{Says: "Blocked says something of every input"})
		})
		suite.Sub(t, "ends and cancels do what they do in ours", func(t *testing.T) {
			a, own := checkpoints.NewAtLeastOnceAligner(3), ours.NewAligner(3)
			for _, s := range []struct {
				verb  string
				input int
				id    int64
			}{
				{"barrier", 0, 1}, {"cancel", 0, 1}, {"barrier", 1, 1}, {"barrier", 2, 1}, // given up: what comes of it does nothing
				{"barrier", 0, 2}, {"end", 1, 0}, {"barrier", 2, 2}, // an end is a barrier
				{"barrier", 2, 3}, {"end", 2, 0}, {"end", 0, 0}, // nothing is blocked, so an input can end behind its barrier
			} {
				want, got := align(t, own, s.verb, s.input, s.id), align(t, a, s.verb, s.input, s.id)
				want, _, _ = strings.Cut(want, ";") // what is blocked is the difference
				got, _, _ = strings.Cut(got, ";")
				suite.Equal(t, want, got, suite.Failure{Says: "in this mode, too, an end counts as a barrier and a cancelled checkpoint is given up", Input: fmt.Sprintf("%s input=%d id=%d", s.verb, s.input, s.id)})
			}
		})
		suite.Sub(t, "what it costs", func(t *testing.T) {
			wrong := 0
			for seed := range uint64(8) {
				cfg := crashConfig(t, 7, pipeline.FromCheckpoint, seed)
				cfg.Parts.Aligner = checkpoints.NewAtLeastOnceAligner
				r, err := pipeline.Crash(cfg)
				suite.NoError(t, err, "the job runs to its end")
				if r.Oracle != "match" {
					wrong++
					t.Logf("seed %d, %s:\n%s", seed, r.At, r.Wrong)
				}
			}
			t.Logf("%d of 8 bills are wrong", wrong)
			if wrong == 0 {
				suite.Wrong(t, suite.Failure{Says: "every bill is exact after 8 crashes: your aligner still separates what is before a barrier from what is behind it"})
			}
		})
	})
}

// Test7_6: The audit: each state, its uid, how it is removed
func Test7_6(t *testing.T) {
	suite.Exercise(t, "7.6", func(t *testing.T) {
		for _, stage := range []int{3, 6} {
			suite.Sub(t, fmt.Sprintf("stage %02d", stage), func(t *testing.T) { audit(t, stage) })
		}
	})
}

// audit holds the student's list against a run: the states that it has, and what is left of them.
func audit(t *testing.T, stage int) {
	left := entriesAfter(t, stage)
	got := map[string]checkpoints.Audited{}
	for _, a := range checkpoints.Audit(stage) {
		got[a.UID+"/"+a.State] = a
	}
	suite.Equal(t, strings.Join(slices.Sorted(maps.Keys(left)), " "), strings.Join(slices.Sorted(maps.Keys(got)), " "), suite.Failure{
		Says: "these are not the keyed states that a run of the job has", Input: fmt.Sprintf("stage %02d", stage),
	})
	for state, n := range left {
		removed := got[state].Removed
		if n > 0 && slices.Contains(removed, checkpoints.ByTimer) {
			suite.Wrong(t, suite.Failure{Says: "at the end of the input every event timer has fired, and there are entries left", Input: state, Got: fmt.Sprintf("%q, %d entries left", removed, n)})
		}
	}
	var want string
	for _, a := range ours.Audit(stage) {
		want += fmt.Sprintf("%s/%s: %v\n", a.UID, a.State, a.Removed)
	}
	var said string
	for _, a := range checkpoints.Audit(stage) {
		said += fmt.Sprintf("%s/%s: %v\n", a.UID, a.State, a.Removed)
	}
	suite.Equal(t, want, said, suite.Failure{Says: "the entries of a state go in another way", Input: fmt.Sprintf("stage %02d", stage), State: fmt.Sprintf("entries left at the end of a run: %v", left)})
}

// entriesAfter runs the job of a stage, with its cards, to the end of its input.
func entriesAfter(t *testing.T, stage int) map[string]int {
	t.Helper()
	cfg := crashConfig(t, stage, "", 0)
	events, _ := pipeline.Record(generator.Default(200, 76), gateway.TopicEvents, 2)
	cards := pipeline.NewRecorded("card-transactions", 2)
	transactions, _ := generator.NewTransactions(generator.DefaultTransactions(200, 76))
	for _, m := range transactions {
		cards.Append(m.Key, m.Value)
	}
	c := pipeline.Config{
		Stage: stage, Parallelism: 2, Parts: cfg.Parts, Functions: cfg.Functions, Sinks: (&pipeline.Output{}).Sinks(),
		Events: pipeline.Input{Splits: events.Splits(), Log: events.Log, Every: 50},
	}
	if stage >= 6 {
		c.Cards = pipeline.Input{Splits: cards.Splits(), Log: func(subtask int) (stream.Log, error) { return cards.Log(subtask) }, Every: 50}
	}
	result, err := pipeline.Simulate(c, 76)
	suite.Harness(t, err)
	return result.Entries
}
