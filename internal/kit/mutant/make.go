package mutant

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"gatewaymeter/internal/kit/course"
	"gatewaymeter/internal/kit/starter"
	"gatewaymeter/internal/kit/udiff"
)

// copyDir is where a maintainer edits the copy of a solution that becomes a mutant.
func copyDir(repo *course.Repo, lab *course.Lab) string {
	return filepath.Join(repo.StateDir(), "mutant", lab.Name)
}

// Edit copies a lab's solution to a folder to edit, and returns the folder. A copy that is there
// already is an error, so that no edit is lost.
func Edit(repo *course.Repo, lab *course.Lab) (string, error) {
	dir := copyDir(repo, lab)
	if _, err := os.Stat(dir); err == nil {
		return "", fmt.Errorf("there is a copy in %s already: save it as a mutant, or delete it", repo.Rel(dir))
	} else if !errors.Is(err, os.ErrNotExist) {
		return "", err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	return dir, (&Mutant{}).Apply(lab, dir)
}

var properName = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

// Save makes a mutant of the copy's edits, removes the copy and returns the mutant. An existing
// mutant is not overwritten.
func Save(repo *course.Repo, lab *course.Lab, name, exercise, misconception string) (*Mutant, error) {
	switch {
	case !properName.MatchString(name):
		return nil, fmt.Errorf("%q is no name of a mutant: use words in lower case, joined by -, such as forgets-clear", name)
	case lab.Exercise(exercise) == nil:
		return nil, fmt.Errorf("lab %s has no exercise %q", lab.Name, exercise)
	case strings.TrimSpace(misconception) == "" || strings.Contains(misconception, "\n"):
		return nil, fmt.Errorf("say the misconception in one line")
	}
	if !strings.HasPrefix(name, exercise+"-") {
		name = exercise + "-" + name
	}
	path := filepath.Join(lab.Dir, "mutants", name+".patch")
	if _, err := os.Stat(path); err == nil {
		return nil, fmt.Errorf("%s exists already", repo.Rel(path))
	}
	diff, err := edits(repo, lab)
	if err != nil {
		return nil, err
	}
	text := fmt.Sprintf("Exercise: %s\nMisconception: %s\n\n%s", exercise, misconception, diff)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, err
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		return nil, err
	}
	return parse(lab, name, text), os.RemoveAll(copyDir(repo, lab))
}

// edits is what was changed in the copy, as a diff.
func edits(repo *course.Repo, lab *course.Lab) (string, error) {
	names, err := starter.GoFiles(lab.Solution())
	if err != nil {
		return "", err
	}
	var diff strings.Builder
	for _, name := range names {
		old, err := os.ReadFile(filepath.Join(lab.Solution(), name))
		if err != nil {
			return "", err
		}
		new, err := os.ReadFile(filepath.Join(copyDir(repo, lab), name))
		if err != nil {
			return "", fmt.Errorf("%w: make a copy to edit first, with --edit", err)
		}
		diff.WriteString(udiff.Unified("a/"+name, "b/"+name, string(old), string(new)))
	}
	if diff.Len() == 0 {
		return "", fmt.Errorf("nothing is changed in %s", repo.Rel(copyDir(repo, lab)))
	}
	return diff.String(), nil
}
