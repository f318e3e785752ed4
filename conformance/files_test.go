package conformance

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

// A vector file that no test reads would look as if it were checked. So each must be named in a call
// of Each.
func TestEveryVectorFileHasARunner(t *testing.T) {
	sources, err := filepath.Glob("*_test.go")
	require.NoError(t, err)
	read := map[string]bool{}
	call := regexp.MustCompile(`Each(?:\[[^\]]*\])?\(t, "([a-z_]+\.jsonl)"`)
	for _, source := range sources {
		text, err := os.ReadFile(source)
		require.NoError(t, err)
		for _, m := range call.FindAllStringSubmatch(string(text), -1) {
			read[m[1]] = true
		}
	}
	entries, err := os.ReadDir(Dir())
	require.NoError(t, err)
	files := 0
	for _, e := range entries {
		if filepath.Ext(e.Name()) == ".md" {
			continue
		}
		files++
		require.True(t, read[e.Name()], "%s: no test runs this file", filepath.Join(Dir(), e.Name()))
	}
	require.NotZero(t, files, "%s holds no vectors", Dir())
}
