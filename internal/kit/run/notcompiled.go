package run

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"gatewaymeter/internal/kit/course"
	"gatewaymeter/internal/kit/overlay"
	"gatewaymeter/internal/kit/starter"
	"gatewaymeter/internal/kit/suite"
	"gatewaymeter/internal/scratch"
)

// notCompiled gives the results of a lab whose test binary does not build: WRONG if the student's
// code is at fault, HARNESS if the kit is.
func notCompiled(ctx context.Context, repo *course.Repo, lab *course.Lab, o Options, chosen []course.Exercise, broken *CompileError) ([]Result, error) {
	if o.Solution {
		return sameForAll(lab, chosen, suite.OutcomeHarness, suiteBroken+broken.Text()), nil
	}
	theirs := append([]*course.Lab{lab}, o.Mine...)
	if faults := broken.locate(repo, theirs); len(faults) > 0 {
		return blame(repo, lab, chosen, broken, faults), nil
	}
	fits, err := compilesWithSolution(ctx, repo, lab)
	if err != nil {
		return nil, err
	}
	if !fits {
		return sameForAll(lab, chosen, suite.OutcomeHarness, suiteBroken+broken.Text()), nil
	}
	return sameForAll(lab, chosen, suite.OutcomeWrong, fmt.Sprintf("the suite no longer fits your code: an exported name or signature has changed.\n%s\n`go tool lab diff %02d` shows what was there, `go tool lab reset %02d` puts it back.",
		broken.Text(), lab.Number, lab.Number)), nil
}

const suiteBroken = "the suite does not compile, which is not your fault:\n"

// sameForAll is one outcome with one text for each exercise.
func sameForAll(lab *course.Lab, chosen []course.Exercise, outcome, text string) []Result {
	var results []Result
	for _, e := range chosen {
		results = append(results, notRun(lab, e, outcome, text))
	}
	return results
}

func notRun(lab *course.Lab, e course.Exercise, outcome, text string) Result {
	return Result{
		Lab: lab.Name, Exercise: e.ID, Test: e.Test, Outcome: outcome,
		Message: fmt.Sprintf("%s %s: %s", outcome, e.ID, text),
	}
}

// fault is an error of the compiler in a starter.
type fault struct {
	lab      *course.Lab
	line     int    // index of the compiler's line
	place    string // "labs/09-sample/starter/a.go:5:2"
	exercise string // in whose region it stands; empty: in none
}

var errorPlace = regexp.MustCompile(`^(\S[^:]*\.go):(\d+)(?::\d+)?`)

// locate finds the errors that stand in one of the labs' starters.
func (e *CompileError) locate(repo *course.Repo, labs []*course.Lab) []fault {
	var faults []fault
	for i, text := range e.lines {
		m := errorPlace.FindStringSubmatch(text)
		if m == nil {
			continue
		}
		file := m[1]
		if !filepath.IsAbs(file) {
			file = filepath.Join(repo.Root, file)
		}
		at := slices.IndexFunc(labs, func(lab *course.Lab) bool { return filepath.Dir(file) == lab.Starter() })
		if at < 0 {
			continue
		}
		line, err := strconv.Atoi(m[2])
		if err != nil {
			continue // more digits than a line has
		}
		faults = append(faults, fault{lab: labs[at], line: i, place: m[0], exercise: exerciseAt(file, line)})
	}
	return faults
}

// exerciseAt is the exercise whose region holds a line of a file; empty if none does, or if that cannot
// be told because a marker is gone.
func exerciseAt(file string, line int) string {
	src, err := os.ReadFile(file)
	if err != nil {
		return ""
	}
	regions, err := starter.Regions(file, src)
	if err != nil {
		return ""
	}
	for _, r := range regions {
		if r.Begin <= line && line <= r.End {
			return r.Exercise
		}
	}
	return ""
}

// blame gives the compiler's words to the exercises in whose regions the errors stand. The others could
// not be run because of them: their messages say where, or hold those words if no exercise that runs is
// at fault.
func blame(repo *course.Repo, lab *course.Lab, chosen []course.Exercise, broken *CompileError, faults []fault) []Result {
	first := faults[0]
	pkg := repo.Rel(first.lab.Starter())
	guilty := map[string]bool{}
	told := &CompileError{lines: slices.Clone(broken.lines)}
	for _, f := range faults {
		told.lines[f.line] += " (" + f.whose(broken.lines[f.line]) + ")"
		guilty[f.exercise] = true
	}
	because := fmt.Sprintf("could not be run, because package %s does not compile", pkg)
	someone := slices.ContainsFunc(chosen, func(e course.Exercise) bool { return guilty[e.ID] })
	var results []Result
	for _, e := range chosen {
		text := because + ":\n" + told.Text()
		switch {
		case guilty[e.ID]:
			text = fmt.Sprintf("it does not compile, nor does package %s with it:\n%s", pkg, told.Text())
		case someone:
			text = fmt.Sprintf("%s: %s (%s)", because, first.place, first.whose(broken.lines[first.line]))
		}
		results = append(results, notRun(lab, e, suite.OutcomeWrong, text))
	}
	return results
}

// whose says to which exercise the error belongs, whose text is given.
func (f fault) whose(text string) string {
	switch {
	case f.exercise != "":
		return "exercise " + f.exercise
	case strings.Contains(text, "syntax error"):
		return "outside of the exercises; Go may have missed a brace further up"
	}
	return "outside of the exercises"
}

// compilesWithSolution reports whether the suite builds with our own code.
func compilesWithSolution(ctx context.Context, repo *course.Repo, lab *course.Lab) (bool, error) {
	tmp, remove, err := scratch.New("test")
	if err != nil {
		return false, err
	}
	defer remove()
	_, err = Build(ctx, repo, lab, tmp, overlay.Mapping{Target: lab.Starter(), Source: lab.Solution()})
	var broken *CompileError
	if errors.As(err, &broken) {
		return false, nil
	}
	return err == nil, err
}
