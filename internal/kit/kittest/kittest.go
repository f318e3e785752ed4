// Package kittest makes small clones of the repository for the tests of the kit and its commands.
//
// A clone is a temporary module of the same name with package internal/kit/suite of this one, the
// packages that it imports, and two tiny labs, 08-base and 09-sample, whose starters are generated and
// untouched. It builds in about a second.
package kittest

import (
	"embed"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gatewaymeter/internal/kit/course"
	"gatewaymeter/internal/kit/starter"
)

//go:embed testdata/labs
var labs embed.FS

// Clone makes a clone in a temporary folder of t.
func Clone(t testing.TB) *course.Repo {
	t.Helper()
	repo, err := CloneTo(t.TempDir())
	require.NoError(t, err)
	return repo
}

// CloneTo makes a clone in an empty folder.
func CloneTo(root string) (*course.Repo, error) {
	root, err := filepath.EvalSymlinks(root)
	if err != nil {
		return nil, err
	}
	if err := write(root, "go.mod", []byte("module gatewaymeter\n\ngo 1.26.0\n")); err != nil {
		return nil, err
	}
	if err := copyLabs(root); err != nil {
		return nil, err
	}
	_, self, _, _ := runtime.Caller(0)
	ours := filepath.Join(filepath.Dir(self), "..", "..", "..")
	for _, dir := range []string{"todo", "stream", "stream/trace", "internal/kit/suite"} {
		names, err := starter.GoFiles(filepath.Join(ours, dir))
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			text, err := os.ReadFile(filepath.Join(ours, dir, name))
			if err == nil {
				err = write(root, dir+"/"+name, text)
			}
			if err != nil {
				return nil, err
			}
		}
	}
	repo, err := course.Find(root)
	if err != nil {
		return nil, err
	}
	all, err := repo.Labs()
	if err != nil {
		return nil, err
	}
	for _, lab := range all {
		if _, err := starter.Write(repo, lab); err != nil {
			return nil, err
		}
	}
	return repo, nil
}

func copyLabs(root string) error {
	return fs.WalkDir(labs, "testdata/labs", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := labs.ReadFile(path)
		if err != nil {
			return err
		}
		return write(root, strings.TrimPrefix(path, "testdata/"), text)
	})
}

func write(root, name string, text []byte) error {
	path := filepath.Join(root, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, text, 0o644)
}

// Lab is a lab of the clone.
func Lab(t testing.TB, repo *course.Repo, arg string) *course.Lab {
	t.Helper()
	lab, err := repo.Lab(arg)
	require.NoError(t, err)
	return lab
}

// Solve writes the solution into a lab's starter, as a student does who gets all right.
func Solve(t testing.TB, lab *course.Lab) {
	t.Helper()
	names, err := starter.GoFiles(lab.Solution())
	require.NoError(t, err)
	for _, name := range names {
		text, err := os.ReadFile(filepath.Join(lab.Solution(), name))
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(lab.Starter(), name), text, 0o644))
	}
}

// Edit replaces a text of a file, which must be there.
func Edit(t testing.TB, path, old, new string) {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Contains(t, string(text), old)
	require.NoError(t, os.WriteFile(path, []byte(strings.Replace(string(text), old, new, 1)), 0o644))
}
