package repotest

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// root is the module's folder.
func root(t *testing.T) string {
	t.Helper()
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}").Output()
	require.NoError(t, err)
	return strings.TrimSpace(string(out))
}

// listed is what these rules need of a package.
type listed struct {
	ImportPath   string
	Imports      []string // of its non-test files
	TestImports  []string
	XTestImports []string
}

// packages lists every package of the module.
func packages(t *testing.T) (all []listed) {
	t.Helper()
	cmd := exec.Command("go", "list", "-e", "-json=ImportPath,Imports,TestImports,XTestImports", "./...")
	cmd.Dir = root(t)
	out, err := cmd.Output()
	require.NoError(t, err)
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p listed
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return all
		} else {
			require.NoError(t, err)
		}
		all = append(all, p)
	}
}

// goFiles lists the tracked or trackable Go files, relative to the root.
func goFiles(t *testing.T) (files []string) { return gitFiles(t, "*.go") }

func gitFiles(t *testing.T, patterns ...string) (files []string) {
	t.Helper()
	cmd := exec.Command("git", append([]string{"ls-files", "--cached", "--others", "--exclude-standard", "--"}, patterns...)...)
	cmd.Dir = root(t)
	out, err := cmd.Output()
	require.NoError(t, err)
	for line := range strings.Lines(string(out)) {
		name := strings.TrimSpace(line)
		if _, err := os.Stat(filepath.Join(cmd.Dir, name)); err == nil {
			files = append(files, name)
		}
	}
	return files
}

// lines calls f for each line of a file, counted from 1.
func lines(t *testing.T, path string, f func(n int, line string)) {
	t.Helper()
	file, err := os.Open(path)
	require.NoError(t, err)
	defer file.Close()
	s := bufio.NewScanner(file)
	s.Buffer(nil, 1<<20)
	for n := 1; s.Scan(); n++ {
		f(n, s.Text())
	}
	require.NoError(t, s.Err(), path)
}
