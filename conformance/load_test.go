package conformance

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// What is no case must not pass for one.
func TestLoadRefuses(t *testing.T) {
	type c struct {
		ID      string
		Actions []struct{ Op string }
	}
	const good = `{"id":"a","actions":[{"op":"x"}]}`
	for text, why := range map[string]string{
		"":                                 "holds no case",
		good + "\n\n":                      ":2: EOF",
		good + " " + good:                  ":1: more than one value",
		good + "\n" + `{"id":"b","by":1}`:  `:2: json: unknown field "by"`,
		`{"id":"a","actions":[{"do":""}]}`: `:1: json: unknown field "do"`,
		good + "\n" + `{"id":"b"}`:         ":2: a case without a script",
		`{"id":"b","actions":[]}`:          ":1: a case without a script",
	} {
		path := filepath.Join(t.TempDir(), "x.jsonl")
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		_, err := load[c](path)
		require.ErrorContains(t, err, why, "%q", text)
	}
	_, err := load[c](filepath.Join(t.TempDir(), "none.jsonl"))
	require.ErrorIs(t, err, os.ErrNotExist)
}

// Another set may be one file only; ours is all of them, and a folder without any is no set.
func TestASetMayBePartial(t *testing.T) {
	dir := t.TempDir()
	require.False(t, partial(dir), "an empty folder")
	require.False(t, partial(filepath.Join(dir, "none")), "no folder")
	require.False(t, partial(ownVectors))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "timers.jsonl"), []byte("{}"), 0o600))
	require.True(t, partial(dir))
}
