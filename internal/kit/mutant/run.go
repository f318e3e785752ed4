package mutant

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"

	"gatewaymeter/internal/kit/course"
	"gatewaymeter/internal/kit/overlay"
	"gatewaymeter/internal/kit/run"
	"gatewaymeter/internal/kit/suite"
	"gatewaymeter/internal/scratch"
)

// The outcomes of a mutant.
const (
	Killed   = "killed"
	Survived = "survived"
	Broken   = "broken"
)

// Result is what became of a mutant; a line of `lab mutants --json`.
type Result struct {
	Lab           string `json:"lab"`
	Exercise      string `json:"exercise"`
	Mutant        string `json:"mutant"`
	Misconception string `json:"misconception"`
	KilledBy      string `json:"killed_by"` // the test, empty unless killed
	Outcome       string `json:"outcome"`
	Message       string `json:"message"` // the first line of what the student would read, or why it is broken
}

// Runner runs the mutants of one lab.
type Runner struct {
	Repo     *course.Repo
	Lab      *course.Lab
	Broker   string
	Deadline time.Duration // of one mutant's test; 0: that of package run

	sound map[string]string // by exercise: why the unpatched solution fails it; empty if it passes
}

// Run runs one mutant against the test of its own exercise. An error means that nothing could be said.
func (r *Runner) Run(ctx context.Context, m *Mutant) (Result, error) {
	res := Result{Lab: r.Lab.Name, Exercise: m.Exercise, Mutant: m.Name, Misconception: m.Misconception}
	broken := func(why string) (Result, error) {
		res.Outcome, res.Message = Broken, why
		return res, nil
	}
	if m.fault != "" {
		return broken(m.fault)
	}
	why, err := r.unsound(ctx, m.Exercise)
	if err != nil || why != "" {
		res.Outcome, res.Message = Broken, why
		return res, err
	}
	tmp, remove, err := scratch.New("mutant")
	if err != nil {
		return res, err
	}
	defer remove()
	mutated := filepath.Join(tmp, "mutated")
	if err := os.Mkdir(mutated, 0o755); err != nil {
		return res, err
	}
	if err := m.Apply(r.Lab, mutated); err != nil {
		return broken("the patch does not apply: " + err.Error())
	}
	bin, err := r.build(ctx, tmp, mutated, m.Exercise)
	var refused *run.CompileError
	if errors.As(err, &refused) {
		return broken("the mutant does not compile:\n" + refused.Text())
	}
	if err != nil {
		return res, err
	}
	results, err := bin.Run(ctx, []course.Exercise{*r.Lab.Exercise(m.Exercise)}, r.options())
	if err != nil {
		return res, err
	}
	res.judge(results[0])
	return res, nil
}

// build builds the suite over the mutated files. The scenario's file is left out where the rest
// compiles without it: it links a whole broker, and mutants are many.
func (r *Runner) build(ctx context.Context, tmp, mutated, exercise string) (*run.Binary, error) {
	over := overlay.Mapping{Target: r.Lab.Starter(), Source: mutated, Shown: r.Lab.Solution()}
	scenario := filepath.Join(r.Lab.Dir, "scenario_test.go")
	if _, err := os.Stat(scenario); err == nil && exercise != "scenario" {
		bin, err := run.Build(ctx, r.Repo, r.Lab, tmp, over, overlay.Mapping{Target: scenario})
		var refused *run.CompileError
		if !errors.As(err, &refused) {
			return bin, err
		}
	}
	return run.Build(ctx, r.Repo, r.Lab, tmp, over)
}

func (r *Runner) options() run.Options {
	return run.Options{Solution: true, Broker: r.Broker, Deadline: r.Deadline}
}

// judge turns the outcome of the exercise into that of the mutant.
func (res *Result) judge(r run.Result) {
	res.Message, _, _ = strings.Cut(r.Message, "\n")
	switch r.Outcome {
	case suite.OutcomeWrong:
		res.Outcome, res.KilledBy = Killed, r.FailedIn
	case suite.OutcomePass:
		res.Outcome = Survived
		res.Message = "the suite does not notice this misconception"
	default:
		res.Outcome = Broken
	}
}

// unsound says why the unpatched solution fails an exercise, or nothing if it passes. Each lab is
// asked once.
func (r *Runner) unsound(ctx context.Context, exercise string) (string, error) {
	if r.sound == nil {
		results, err := run.Lab(ctx, r.Repo, r.Lab, r.options())
		if err != nil {
			return "", err
		}
		r.sound = map[string]string{}
		for _, res := range results {
			if res.Outcome != suite.OutcomePass {
				r.sound[res.Exercise] = "the solution itself does not pass: " + res.Message
			}
		}
	}
	return r.sound[exercise], nil
}
