package run

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"gatewaymeter/internal/kit/course"
	"gatewaymeter/internal/kit/overlay"
	"gatewaymeter/internal/kit/starter"
	"gatewaymeter/internal/kit/suite"
	"gatewaymeter/internal/scratch"
)

// DefaultDeadline is how long one exercise may take.
const DefaultDeadline = 30 * time.Second

// Options say whose code runs, and how. The zero value runs the student's, on the embedded broker.
type Options struct {
	Solution bool          // run our solution under the suite
	Mine     []*course.Lab // the student's starters of these labs in place of their solutions
	Broker   string        // handed to the suite as BROKER; empty: as the environment has it
	Deadline time.Duration // of one exercise; 0: DefaultDeadline

	// Select chooses the exercises; nil: all of them.
	Select func(course.Exercise) bool
}

// Result is the outcome of one exercise; a line of `lab test --json`.
type Result struct {
	Lab      string `json:"lab"`
	Exercise string `json:"exercise"`
	Test     string `json:"test"`
	Outcome  string `json:"outcome"` // TODO, WRONG, PASS, HARNESS
	MS       int64  `json:"ms"`
	Message  string `json:"message"` // empty for PASS

	FailedIn string `json:"-"` // if WRONG, the first subtest that failed, or the test
}

// Summary counts results by outcome.
type Summary struct {
	Pass    int `json:"pass"`
	Todo    int `json:"todo"`
	Wrong   int `json:"wrong"`
	Harness int `json:"harness"`
}

// Add counts one result.
func (s *Summary) Add(r Result) {
	switch r.Outcome {
	case suite.OutcomePass:
		s.Pass++
	case suite.OutcomeTodo:
		s.Todo++
	case suite.OutcomeWrong:
		s.Wrong++
	default:
		s.Harness++
	}
}

// Lab runs the chosen exercises of a lab and returns their results in the order of the course. An
// error means that nothing could be said: no go command, a cancelled context.
func Lab(ctx context.Context, repo *course.Repo, lab *course.Lab, o Options) ([]Result, error) {
	var chosen []course.Exercise
	for _, e := range lab.Exercises {
		if o.Select == nil || o.Select(e) {
			chosen = append(chosen, e)
		}
	}
	if len(chosen) == 0 {
		return nil, nil
	}
	tmp, remove, err := scratch.New("test")
	if err != nil {
		return nil, err
	}
	defer remove()
	bin, err := Build(ctx, repo, lab, tmp, mappings(lab, o)...)
	var broken *CompileError
	switch {
	case errors.As(err, &broken):
		return notCompiled(ctx, repo, lab, o, chosen, broken)
	case err != nil:
		return nil, err
	}
	results, err := bin.Run(ctx, chosen, o)
	if err == nil && !o.Solution {
		refuseUntouched(repo, lab, results)
	}
	return results, err
}

// mappings are what o puts in place of what.
func mappings(lab *course.Lab, o Options) []overlay.Mapping {
	var all []overlay.Mapping
	if o.Solution {
		all = append(all, overlay.Mapping{Target: lab.Starter(), Source: lab.Solution()})
	}
	for _, mine := range o.Mine {
		if mine.Name != lab.Name {
			all = append(all, overlay.Mapping{Target: mine.Solution(), Source: mine.Starter()})
		}
	}
	return all
}

// refuseUntouched turns a pass into TODO where a body of the exercise is still unwritten: what a
// suite does not reach must not count as solved.
func refuseUntouched(repo *course.Repo, lab *course.Lab, results []Result) {
	unwritten := map[string]string{} // exercise -> its first unwritten place
	names, err := starter.GoFiles(lab.Starter())
	if err != nil {
		return
	}
	for _, name := range names {
		path := filepath.Join(lab.Starter(), name)
		text, err := os.ReadFile(path)
		if err != nil {
			continue
		}
		for i, line := range strings.Split(string(text), "\n") {
			rest, ok := strings.CutPrefix(strings.TrimSpace(line), `panic(todo.Exercise("`)
			id, _, closed := strings.Cut(rest, `"`)
			if ok && closed && unwritten[id] == "" {
				unwritten[id] = fmt.Sprintf("%s:%d", repo.Rel(path), i+1)
			}
		}
	}
	for i := range results {
		r := &results[i]
		if place := unwritten[r.Exercise]; place != "" && r.Outcome == suite.OutcomePass {
			r.Outcome = suite.OutcomeTodo
			r.Message = fmt.Sprintf("TODO %s: its tests pass, but a part is not written yet, in %s", r.Exercise, place)
		}
	}
}
