package oracle

import (
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestImportsNothingOfTheModule keeps the oracle's word: no code is shared with what it judges.
func TestImportsNothingOfTheModule(t *testing.T) {
	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		require.NoError(t, err)
		for _, i := range file.Imports {
			path := strings.Trim(i.Path.Value, `"`)
			require.False(t, strings.HasPrefix(path, "gatewaymeter"), "%s imports %s: write it here again", name, path)
		}
	}
}
