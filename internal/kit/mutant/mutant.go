// Package mutant tests the suites: known-wrong variants of a solution, each with the misconception it
// stands for, must be refused by the tests of their own exercise.
//
// A mutant is a patch of solution/ in mutants/NAME.patch, with the headers Exercise and Misconception
// before the diff. It runs over the starter, like a student's code. Outcomes: killed (WRONG, with the
// test that said so), survived, or broken: the patch no longer applies, does not compile, or the
// unpatched solution fails too, so that a kill would prove nothing.
package mutant

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gatewaymeter/internal/kit/course"
	"gatewaymeter/internal/kit/starter"
	"gatewaymeter/internal/kit/udiff"
)

// Mutant is a patch file.
type Mutant struct {
	Name          string // of its file, without .patch
	Exercise      string
	Misconception string
	patches       []udiff.Patch
	fault         string // why the file cannot be used; empty: it can
}

// Load reads the mutants of a lab, sorted by name. A file that is no mutant is loaded too, and is
// broken when it runs.
func Load(lab *course.Lab) ([]*Mutant, error) {
	paths, err := filepath.Glob(filepath.Join(lab.Dir, "mutants", "*.patch"))
	if err != nil {
		return nil, err
	}
	slices.Sort(paths)
	var all []*Mutant
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		all = append(all, parse(lab, strings.TrimSuffix(filepath.Base(path), ".patch"), string(text)))
	}
	return all, nil
}

// parse reads one mutant's file.
func parse(lab *course.Lab, name, text string) *Mutant {
	m := &Mutant{Name: name}
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "--- ") {
			break
		}
		if key, value, ok := strings.Cut(line, ":"); ok {
			switch strings.TrimSpace(key) {
			case "Exercise":
				m.Exercise = strings.TrimSpace(value)
			case "Misconception":
				m.Misconception = strings.TrimSpace(value)
			}
		}
	}
	patches, err := udiff.Parse(text)
	m.patches = patches
	switch {
	case err != nil:
		m.fault = err.Error()
	case lab.Exercise(m.Exercise) == nil:
		m.fault = fmt.Sprintf("the header Exercise names %q, which lab %s does not have", m.Exercise, lab.Name)
	case m.Misconception == "":
		m.fault = "the header Misconception is missing"
	case len(patches) == 0:
		m.fault = "there is no diff in it"
	}
	return m
}

// Apply writes the patched solution to a folder that is there.
func (m *Mutant) Apply(lab *course.Lab, dir string) error {
	if m.fault != "" {
		return fmt.Errorf("mutant %s: %s", m.Name, m.fault)
	}
	names, err := starter.GoFiles(lab.Solution())
	if err != nil {
		return err
	}
	for _, p := range m.patches {
		if !slices.Contains(names, p.File) {
			return fmt.Errorf("the solution has no file %s", p.File)
		}
	}
	for _, name := range names {
		text, err := os.ReadFile(filepath.Join(lab.Solution(), name))
		if err != nil {
			return err
		}
		mutated := string(text)
		for _, p := range m.patches {
			if p.File != name {
				continue
			}
			if mutated, err = p.Apply(mutated); err != nil {
				return err
			}
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(mutated), 0o644); err != nil {
			return err
		}
	}
	return nil
}
