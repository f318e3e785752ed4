// Package hint shows the hints of an exercise one step at a time.
//
// The steps stand in hints/3d.md of the lab, divided by lines of three dashes, from a nudge to a
// sketch. How many of them a student has seen is kept in .lab/hints.json of the clone.
package hint

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"gatewaymeter/internal/kit/course"
)

// Steps reads the hints of an exercise. That it has none is an error that says so.
func Steps(repo *course.Repo, lab *course.Lab, exercise string) ([]string, error) {
	path := filepath.Join(lab.Dir, "hints", exercise+".md")
	text, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("exercise %s has no hints (there is no %s)", exercise, repo.Rel(path))
	}
	if err != nil {
		return nil, err
	}
	var steps []string
	var step strings.Builder
	end := func() {
		if s := strings.Trim(step.String(), "\n"); strings.TrimSpace(s) != "" {
			steps = append(steps, s)
		}
		step.Reset()
	}
	for line := range strings.Lines(string(text)) {
		if strings.TrimSpace(line) == "---" {
			end()
		} else {
			step.WriteString(line)
		}
	}
	end()
	if len(steps) == 0 {
		return nil, fmt.Errorf("%s is empty", repo.Rel(path))
	}
	return steps, nil
}

// Next counts one more hint of the exercise as seen, at most total of them, and returns how many have
// been seen by now, this one included.
func Next(repo *course.Repo, exercise string, total int) (int, error) {
	path := filepath.Join(repo.StateDir(), "hints.json")
	seen := map[string]int{}
	text, err := os.ReadFile(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
	case err != nil:
		return 0, err
	default:
		if err := json.Unmarshal(text, &seen); err != nil {
			return 0, fmt.Errorf("%s cannot be read; delete it to begin anew: %w", repo.Rel(path), err)
		}
	}
	n := min(max(seen[exercise], 0)+1, total)
	if n == seen[exercise] {
		return n, nil
	}
	seen[exercise] = n
	if text, err = json.MarshalIndent(seen, "", "\t"); err != nil {
		return 0, err
	}
	if err := os.MkdirAll(repo.StateDir(), 0o755); err != nil {
		return 0, err
	}
	return n, os.WriteFile(path, append(text, '\n'), 0o644)
}
