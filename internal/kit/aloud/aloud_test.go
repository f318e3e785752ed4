package aloud

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// What is printed goes where it went before, and to the other place too; afterwards all is as it was.
func TestTee(t *testing.T) {
	file, err := os.Create(filepath.Join(t.TempDir(), "stdout"))
	require.NoError(t, err)
	before := os.Stdout
	defer func() { os.Stdout = before }()
	os.Stdout = file

	var shown strings.Builder
	stop := tee(&shown)
	fmt.Println("owed: $20")
	fmt.Println("billed: $10")
	stop()
	fmt.Println("later")

	require.Equal(t, "owed: $20\nbilled: $10\n", shown.String())
	require.Same(t, file, os.Stdout)
	kept, err := os.ReadFile(file.Name())
	require.NoError(t, err)
	require.Equal(t, "owed: $20\nbilled: $10\nlater\n", string(kept))
}

// An Example that a chapter tells to run must show something.
func TestExamplesOfChaptersAreSeen(t *testing.T) {
	const root = "../../.."
	chapters, err := filepath.Glob(root + "/docs/*.md")
	require.NoError(t, err)
	command := regexp.MustCompile(`go test \./(\S+) -run (Example\w+) -v`)
	found := 0
	for _, chapter := range chapters {
		text, err := os.ReadFile(chapter)
		require.NoError(t, err)
		for _, m := range command.FindAllStringSubmatch(string(text), -1) {
			found++
			require.Contains(t, testsOf(t, filepath.Join(root, m[1])), "func "+m[2]+"() {\n\tdefer aloud.Print()()\n", "%s: %s", chapter, m[0])
		}
	}
	require.NotZero(t, found)
}

// testsOf is the text of a folder's tests.
func testsOf(t *testing.T, dir string) string {
	t.Helper()
	files, err := filepath.Glob(dir + "/*_test.go")
	require.NoError(t, err)
	var all strings.Builder
	for _, f := range files {
		text, err := os.ReadFile(f)
		require.NoError(t, err)
		all.Write(text)
	}
	return all.String()
}
