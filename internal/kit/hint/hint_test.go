package hint_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"gatewaymeter/internal/kit/hint"
	"gatewaymeter/internal/kit/kittest"
)

func TestSteps(t *testing.T) {
	repo := kittest.Clone(t)
	lab := kittest.Lab(t, repo, "09")
	steps, err := hint.Steps(repo, lab, "9a")
	require.NoError(t, err)
	require.Equal(t, []string{
		"How often does n occur in its double?", "Multiplication is addition, repeated.", "    return n + n",
	}, steps)
	_, err = hint.Steps(repo, lab, "9b")
	require.EqualError(t, err, "exercise 9b has no hints (there is no labs/09-sample/hints/9b.md)")
	require.NoError(t, os.WriteFile(filepath.Join(lab.Dir, "hints", "9b.md"), []byte("---\n \n---\n"), 0o644))
	_, err = hint.Steps(repo, lab, "9b")
	require.EqualError(t, err, "labs/09-sample/hints/9b.md is empty")
}

func TestNextCountsUpToTheLast(t *testing.T) {
	repo := kittest.Clone(t)
	for _, want := range []int{1, 2, 3, 3} {
		n, err := hint.Next(repo, "9a", 3)
		require.NoError(t, err)
		require.Equal(t, want, n)
	}
	n, err := hint.Next(repo, "9b", 3)
	require.NoError(t, err)
	require.Equal(t, 1, n, "exercises are counted apart")

	n, err = hint.Next(repo, "9a", 2)
	require.NoError(t, err)
	require.Equal(t, 2, n, "a file that lost a step")

	path := filepath.Join(repo.StateDir(), "hints.json")
	require.NoError(t, os.WriteFile(path, []byte("{"), 0o644))
	_, err = hint.Next(repo, "9a", 3)
	require.ErrorContains(t, err, "delete it to begin anew")
}
