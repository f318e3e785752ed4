package overlay_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"gatewaymeter/internal/kit/kittest"
	"gatewaymeter/internal/kit/overlay"
)

func TestSolutionOverStarter(t *testing.T) {
	repo := kittest.Clone(t)
	lab := kittest.Lab(t, repo, "09")
	// The target may be broken and have files that the source lacks.
	require.NoError(t, os.WriteFile(filepath.Join(lab.Starter(), "sample.go"), []byte("no Go"), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(lab.Starter(), "extra.go"), []byte("no Go"), 0o644))
	o, err := overlay.New(t.TempDir(), overlay.Mapping{Target: lab.Starter(), Source: lab.Solution()})
	require.NoError(t, err)
	require.NoError(t, o.Prove(context.Background(), repo.Root))
	require.NoError(t, build(t, repo.Root, o))
}

// build compiles lab 09's starter and returns the compiler's words as an error.
func build(t *testing.T, root string, o *overlay.Overlay) error {
	t.Helper()
	cmd := exec.Command("go", append(append([]string{"build"}, o.Flags()...), "./labs/09-sample/starter")...)
	cmd.Dir = root
	out, err := cmd.CombinedOutput()
	if err != nil {
		return &buildError{string(out)}
	}
	return nil
}

type buildError struct{ text string }

func (e *buildError) Error() string { return e.text }

func TestErrorsNameTheFileThatAPersonEdits(t *testing.T) {
	repo := kittest.Clone(t)
	lab := kittest.Lab(t, repo, "09")
	source := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(source, "sample.go"), []byte("package sample\n\nvar x int = \"y\"\n"), 0o644))
	o, err := overlay.New(t.TempDir(), overlay.Mapping{Target: lab.Starter(), Source: source, Shown: lab.Solution()})
	require.NoError(t, err)
	require.NoError(t, o.Prove(context.Background(), repo.Root))
	require.ErrorContains(t, build(t, repo.Root, o), "labs/09-sample/solution/sample.go:3:13: cannot use")
}

func TestMappingThatDoesNotTakeIsAnError(t *testing.T) {
	repo := kittest.Clone(t)
	lab := kittest.Lab(t, repo, "09")
	// A second name of the same folder: the go command knows only the first.
	alias := filepath.Join(t.TempDir(), "alias")
	require.NoError(t, os.Symlink(repo.Root, alias))
	o, err := overlay.New(t.TempDir(), overlay.Mapping{
		Target: filepath.Join(alias, repo.Rel(lab.Starter())), Source: lab.Solution(),
	})
	require.NoError(t, err)
	require.Error(t, o.Prove(context.Background(), repo.Root))

	_, err = overlay.New(t.TempDir(), overlay.Mapping{Target: "labs/09-sample/starter", Source: lab.Solution()})
	require.ErrorContains(t, err, "both must be absolute")
}

func TestNoMappings(t *testing.T) {
	o, err := overlay.New(t.TempDir())
	require.NoError(t, err)
	require.Empty(t, o.Flags())
	require.NoError(t, o.Prove(context.Background(), t.TempDir()))
}
