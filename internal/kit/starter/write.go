package starter

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"gatewaymeter/internal/kit/course"
)

// Drift says what Write would change in a lab's starter, a line a file; none if it is in step.
func Drift(repo *course.Repo, lab *course.Lab) ([]string, error) {
	files, err := Generate(repo, lab)
	if err != nil {
		return nil, err
	}
	var drift []string
	keep := map[string]bool{}
	for _, f := range files {
		keep[f.Name] = true
		path := filepath.Join(lab.Starter(), f.Name)
		text, err := os.ReadFile(path)
		switch {
		case errors.Is(err, os.ErrNotExist):
			drift = append(drift, repo.Rel(path)+" is missing")
		case err != nil:
			return nil, err
		case !bytes.Equal(text, f.Text):
			drift = append(drift, repo.Rel(path)+" differs from what its solution gives")
		}
	}
	extra, err := present(lab.Starter())
	if err != nil {
		return nil, err
	}
	for _, name := range extra {
		if !keep[name] {
			drift = append(drift, repo.Rel(filepath.Join(lab.Starter(), name))+" has no file in the solution")
		}
	}
	return drift, nil
}

// Write makes a lab's starter folder what [Generate] gives. If that changes or removes a file, the
// folder's Go files are first copied to a backup, whose path is returned; it is empty otherwise.
func Write(repo *course.Repo, lab *course.Lab) (backup string, err error) {
	files, err := Generate(repo, lab)
	if err != nil {
		return "", err
	}
	old, err := present(lab.Starter())
	if err != nil {
		return "", err
	}
	keep := map[string][]byte{}
	for _, f := range files {
		keep[f.Name] = f.Text
	}
	loses := false
	for _, name := range old {
		text, err := os.ReadFile(filepath.Join(lab.Starter(), name))
		if err != nil {
			return "", err
		}
		loses = loses || !bytes.Equal(text, keep[name])
	}
	if loses {
		if backup, err = Backup(repo, lab); err != nil {
			return "", err
		}
	}
	if err := os.MkdirAll(lab.Starter(), 0o755); err != nil {
		return backup, err
	}
	for _, name := range old {
		if _, ok := keep[name]; !ok {
			if err := os.Remove(filepath.Join(lab.Starter(), name)); err != nil {
				return backup, err
			}
		}
	}
	for _, f := range files {
		if err := writeIfChanged(filepath.Join(lab.Starter(), f.Name), f.Text); err != nil {
			return backup, err
		}
	}
	return backup, nil
}

// present is the Go files of a folder that may not exist yet.
func present(dir string) ([]string, error) {
	names, err := GoFiles(dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	return names, err
}

// writeIfChanged leaves a file that is right already alone, so that its time does not change.
func writeIfChanged(path string, text []byte) error {
	if old, err := os.ReadFile(path); err == nil && bytes.Equal(old, text) {
		return nil
	}
	return os.WriteFile(path, text, 0o644)
}

// Backup copies the Go files of a lab's starter to a new folder .lab/backup/TIME/LAB and returns it.
func Backup(repo *course.Repo, lab *course.Lab) (string, error) {
	names, err := present(lab.Starter())
	if err != nil {
		return "", err
	}
	dir, err := newBackupDir(filepath.Join(repo.StateDir(), "backup"), time.Now())
	if err != nil {
		return "", fmt.Errorf("no backup could be made, so nothing was changed: %w", err)
	}
	dir = filepath.Join(dir, lab.Name)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", fmt.Errorf("no backup could be made, so nothing was changed: %w", err)
	}
	for _, name := range names {
		text, err := os.ReadFile(filepath.Join(lab.Starter(), name))
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), text, 0o644)
		}
		if err != nil {
			return "", fmt.Errorf("no backup could be made, so nothing was changed: %w", err)
		}
	}
	return dir, nil
}

// newBackupDir makes a folder that is named by the time, and by a number if that second has one.
func newBackupDir(parent string, now time.Time) (string, error) {
	if err := os.MkdirAll(parent, 0o755); err != nil {
		return "", err
	}
	stamp := now.Format("2006-01-02T15-04-05")
	for n := 1; ; n++ {
		name := stamp
		if n > 1 {
			name = fmt.Sprintf("%s-%d", stamp, n)
		}
		dir := filepath.Join(parent, name)
		err := os.Mkdir(dir, 0o755)
		if !errors.Is(err, os.ErrExist) {
			return dir, err
		}
	}
}
