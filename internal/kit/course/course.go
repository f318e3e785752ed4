// Package course finds the labs of the repository and their exercises.
//
// It promises that a lab's exercises are what its suite tests: an exercise exists because a top-level
// test Test3d (investigation Test3_2, or TestScenario) exists, and its title and minutes stand in that
// test's doc comment, nowhere else:
//
//	// Test3d: Backend: current key, value state (40 min)
//	// Test3h: TTL: incremental cleanup (20 min, optional)
//
// It reads source text only and never compiles or imports a lab, so a lab whose starter is broken is
// listed like any other. It leaves running to package run and the starters to package starter.
package course

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"sort"
	"strconv"
	"strings"
)

// Repo is a clone of the repository.
type Repo struct {
	Root   string // absolute path of the folder of go.mod
	Module string // its module path
}

// Lab is a folder of labs/.
type Lab struct {
	Name      string // "03-stateful-operators"
	Number    int
	Dir       string // absolute
	Exercises []Exercise
}

// Exercise is one exercise, investigation or scenario of a lab.
type Exercise struct {
	ID       string // "3d", "3.2", "scenario"
	Test     string // "Test3d"
	Title    string // may be empty
	Minutes  int    // 0 if the suite does not say
	Optional bool   // may be left out
}

// Find is the repository that dir is in: the nearest folder at or above it that has a go.mod and a
// folder labs.
func Find(dir string) (*Repo, error) {
	start, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	for at := start; ; {
		text, err := os.ReadFile(filepath.Join(at, "go.mod"))
		if err == nil && isDir(filepath.Join(at, "labs")) {
			module := moduleOf(string(text))
			if module == "" {
				return nil, fmt.Errorf("%s has no module line", filepath.Join(at, "go.mod"))
			}
			return &Repo{Root: at, Module: module}, nil
		}
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return nil, err
		}
		up := filepath.Dir(at)
		if up == at {
			return nil, fmt.Errorf("%s is not inside a clone of GatewayMeter (no folder above it has a go.mod and a labs folder): cd into your clone first", start)
		}
		at = up
	}
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

func moduleOf(gomod string) string {
	for line := range strings.Lines(gomod) {
		if f := strings.Fields(line); len(f) >= 2 && f[0] == "module" {
			return strings.Trim(f[1], `"`)
		}
	}
	return ""
}

// StateDir is where the kit keeps what is only this clone's: progress, backups. It is not committed.
func (r *Repo) StateDir() string { return filepath.Join(r.Root, ".lab") }

// Rel names a path as seen from the root, with slashes.
func (r *Repo) Rel(path string) string {
	rel, err := filepath.Rel(r.Root, path)
	if err != nil {
		return path
	}
	return filepath.ToSlash(rel)
}

var labName = regexp.MustCompile(`^(\d\d)-[a-z0-9-]+$`)

// Labs are all labs that have a suite, in order.
func (r *Repo) Labs() ([]*Lab, error) {
	entries, err := os.ReadDir(filepath.Join(r.Root, "labs"))
	if err != nil {
		return nil, err
	}
	var labs []*Lab
	for _, e := range entries {
		m := labName.FindStringSubmatch(e.Name())
		if m == nil || !e.IsDir() {
			continue
		}
		number, err := strconv.Atoi(m[1])
		if err != nil {
			return nil, err
		}
		lab := &Lab{Name: e.Name(), Number: number, Dir: filepath.Join(r.Root, "labs", e.Name())}
		if lab.Exercises, err = exercisesOf(lab.Dir); err != nil {
			return nil, err
		}
		if len(lab.Exercises) > 0 {
			labs = append(labs, lab)
		}
	}
	sort.Slice(labs, func(i, j int) bool { return labs[i].Name < labs[j].Name })
	return labs, nil
}

// Lab is the lab that a command's argument names: 3, 03 or 03-stateful-operators (a path to its
// folder will do).
func (r *Repo) Lab(arg string) (*Lab, error) {
	labs, err := r.Labs()
	if err != nil {
		return nil, err
	}
	name := filepath.Base(filepath.Clean(arg))
	number, err := strconv.Atoi(name)
	isNumber := err == nil
	var known []string
	for _, lab := range labs {
		if lab.Name == name || isNumber && lab.Number == number {
			return lab, nil
		}
		known = append(known, lab.Name)
	}
	return nil, fmt.Errorf("there is no lab %q; the labs are %s", arg, strings.Join(known, ", "))
}

// Select is the labs that the arguments name, in order and each once; all of them without arguments.
// An argument may hold several, divided by commas.
func (r *Repo) Select(args ...string) ([]*Lab, error) {
	var names []string
	for _, arg := range args {
		for name := range strings.SplitSeq(arg, ",") {
			if name = strings.TrimSpace(name); name != "" {
				names = append(names, name)
			}
		}
	}
	if len(names) == 0 {
		labs, err := r.Labs()
		if err == nil && len(labs) == 0 {
			err = fmt.Errorf("no lab under %s has a suite", filepath.Join(r.Root, "labs"))
		}
		return labs, err
	}
	seen := map[string]bool{}
	var labs []*Lab
	for _, name := range names {
		lab, err := r.Lab(name)
		if err != nil {
			return nil, err
		}
		if !seen[lab.Name] {
			seen[lab.Name] = true
			labs = append(labs, lab)
		}
	}
	sort.Slice(labs, func(i, j int) bool { return labs[i].Name < labs[j].Name })
	return labs, nil
}

// Exercise is the exercise with that id and its lab. Scenarios have no number of a lab in their id
// and are not found here.
func (r *Repo) Exercise(id string) (*Lab, *Exercise, error) {
	number := LabOf(id)
	if number < 0 {
		return nil, nil, fmt.Errorf("%q is no exercise: an exercise is named like 3d or 3.2 (go tool lab list shows them all)", id)
	}
	lab, err := r.Lab(strconv.Itoa(number))
	if err != nil {
		return nil, nil, err
	}
	if e := lab.Exercise(id); e != nil {
		return lab, e, nil
	}
	var known []string
	for _, e := range lab.Exercises {
		known = append(known, e.ID)
	}
	return nil, nil, fmt.Errorf("lab %s has no exercise %q; it has %s", lab.Name, id, strings.Join(known, ", "))
}

// Exercise is the lab's exercise with that id; nil if there is none.
func (l *Lab) Exercise(id string) *Exercise {
	for i := range l.Exercises {
		if l.Exercises[i].ID == id {
			return &l.Exercises[i]
		}
	}
	return nil
}

// Starter is the folder of the student's code.
func (l *Lab) Starter() string { return filepath.Join(l.Dir, "starter") }

// Solution is the folder of ours.
func (l *Lab) Solution() string { return filepath.Join(l.Dir, "solution") }
