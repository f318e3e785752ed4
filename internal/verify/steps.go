package verify

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

// staticcheck is the pinned linter. It runs from the module cache; nothing of it is linked.
const staticcheck = "honnef.co/go/tools/cmd/staticcheck@v0.8.2"

// mutantSample is which share of the mutants a verification runs: each takes a build. The sample is
// another one each day; `lab mutants` runs all.
const mutantSample = "12"

// suite matches the packages whose tests a student is to turn green: red on a fresh clone.
var suite = regexp.MustCompile(`^gatewaymeter/labs/\d\d-[\w-]+$`)

// starter matches the packages that only a student edits.
var starter = regexp.MustCompile(`/starter$`)

// Default are the steps that need no Docker.
func (r *Runner) Default(ctx context.Context) ([]Step, error) {
	ours, err := r.packages(ctx)
	if err != nil {
		return nil, err
	}
	unit := only(ours, `^gatewaymeter/(stream|engine|harness|gateway|oracle|generator|todo)$`, `^gatewaymeter/labs/.*/solution$`)
	raced := only(ours, `^gatewaymeter/(stream|engine|harness)$`, `^gatewaymeter/labs/.*/solution$`)
	return []Step{
		{"gofmt", r.gofmt},
		r.command("go vet", nil, append([]string{"go", "vet"}, ours...)...),
		{"staticcheck", func(ctx context.Context) (string, error) { return r.staticcheck(ctx, ours) }},
		r.goTest("tests", nil, append([]string{"-count=1", "-timeout=30m"}, ours...)...),
		r.command("2,000 crashes", nil, r.Lab, "crash", "07", "--seeds", "2000", "--seed", "2000"),
		r.command("starters are in step", nil, r.Lab, "starters", "--check"),
		{"untouched starters are TODO", func(ctx context.Context) (string, error) { return r.outcomes(ctx, "todo", nil) }},
		{"solutions PASS", func(ctx context.Context) (string, error) { return r.outcomes(ctx, "pass", nil, "--solution") }},
		r.command("mutants die (a sample)", nil, r.Lab, "mutants", "--every", mutantSample),
		r.goTest("race detector", nil, append([]string{"-race", "-count=1", "-timeout=30m"}, raced...)...),
		// The million tests take seconds each; they run once, above.
		r.goTest("20 times, shuffled", nil, append([]string{"-count=20", "-timeout=30m", "-shuffle=on", "-skip=Million"}, unit...)...),
	}, nil
}

// Container are the steps that need Docker: the same on a real Kafka. addr is where one listens that was
// started in a container.
func (r *Runner) Container(addr string) []Step {
	return []Step{
		{"the container is used", func(ctx context.Context) (string, error) {
			out, err := r.exec(ctx, []string{"GATEWAYMETER_CONTAINER=1"}, "go", "test", "-count=1", "-v", "./broker/container")
			if err == nil && !strings.Contains(out, "--- PASS: TestContainerPassesTheSuite") {
				err = errors.New("the suite did not run in a container")
			}
			return out, err
		}},
		r.command("lab run", nil, r.Lab, "run", "--broker", addr, "--json"),
		r.goTest("every stage, pairwise", []string{"BROKER=" + addr}, "-count=1", "-run=TestPairwise", "./internal/matrix"),
		{"the labs' scenarios", func(ctx context.Context) (string, error) {
			return r.outcomes(ctx, "pass", nil, "--solution", "--broker", addr, "--run", "Scenario")
		}},
		// The last: the broker is killed too, and may not be what it was.
		r.goTest("killed and restored", []string{"BROKER=" + addr}, "-count=1", "-run=TestKilledAgainAndAgain", "./internal/livecrash"),
	}
}

// outcomes runs the labs' suites and wants one outcome everywhere, and at least one exercise.
func (r *Runner) outcomes(ctx context.Context, want string, env []string, args ...string) (string, error) {
	out, err := r.exec(ctx, env, append([]string{r.Lab, "test", "--json"}, args...)...)
	var exited *exec.ExitError
	if err != nil && !errors.As(err, &exited) {
		return out, err
	}
	counts, e := summary(out)
	if e != nil {
		return out, e
	}
	for outcome, n := range counts {
		if outcome != want && n > 0 {
			return out, fmt.Errorf("%d exercises are %s, and all should be %s", n, outcome, want)
		}
	}
	if counts[want] == 0 {
		return out, errors.New("no exercise ran")
	}
	return out, nil
}

// summary finds the last line of `lab test --json`.
func summary(out string) (map[string]int, error) {
	for line := range strings.Lines(out) {
		var last struct {
			Summary map[string]int `json:"summary"`
		}
		if json.Unmarshal([]byte(line), &last) == nil && last.Summary != nil {
			return last.Summary, nil
		}
	}
	return nil, errors.New("lab test printed no summary")
}

// packages lists what is ours to keep green: no suites, no starters.
func (r *Runner) packages(ctx context.Context) (ours []string, err error) {
	out, err := r.exec(ctx, nil, "go", "list", "./...")
	if err != nil {
		return nil, fmt.Errorf("%s%w", out, err)
	}
	for line := range strings.Lines(out) {
		p := strings.TrimSpace(line)
		if !suite.MatchString(p) && !starter.MatchString(p) {
			ours = append(ours, p)
		}
	}
	return ours, nil
}

// only are the packages that match one of the patterns.
func only(packages []string, patterns ...string) (some []string) {
	for _, pattern := range patterns {
		re := regexp.MustCompile(pattern)
		for _, p := range packages {
			if re.MatchString(p) {
				some = append(some, p)
			}
		}
	}
	return some
}

// staticcheck fetches the linter, which may fail once, and runs it.
func (r *Runner) staticcheck(ctx context.Context, packages []string) (output string, err error) {
	for range 3 {
		if output, err = r.exec(ctx, nil, "go", "run", staticcheck, "-version"); err == nil {
			break
		}
	}
	if err != nil {
		return output, err
	}
	return r.exec(ctx, nil, append([]string{"go", "run", staticcheck}, packages...)...)
}

// gofmt wants every tracked Go file formatted; a student's starters are theirs to format.
func (r *Runner) gofmt(ctx context.Context) (string, error) {
	files, err := r.exec(ctx, nil, "git", "ls-files", "*.go")
	if err != nil {
		return files, err
	}
	args := []string{"gofmt", "-l"}
	for line := range strings.Lines(files) {
		if f := strings.TrimSpace(line); !strings.Contains(f, "/starter/") && !strings.Contains(f, "/testdata/") {
			args = append(args, filepath.FromSlash(f))
		}
	}
	out, err := r.exec(ctx, nil, args...)
	if err == nil && strings.TrimSpace(out) != "" {
		err = errors.New("these files are not formatted: run gofmt -w on them")
	}
	return out, err
}
