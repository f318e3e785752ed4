package scratch

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// claimant is the variable that makes this test binary a process that claims a folder and waits to be killed.
const claimant = "GATEWAYMETER_CLAIM"

// TestClaimant is no test: it is the process that TestAFolderIsOneRunsUntilItsProcessIsGone kills.
func TestClaimant(t *testing.T) {
	parent := os.Getenv(claimant)
	if parent == "" {
		t.Skip("it is the other process of TestAFolderIsOneRunsUntilItsProcessIsGone")
	}
	dir, _, err := newBelow(parent, "test")
	require.NoError(t, err)
	_, err = os.Stdout.WriteString(filepath.Base(dir) + "\n")
	require.NoError(t, err)
	_, _ = os.Stdin.Read(make([]byte, 1)) // until it is killed
}

func TestAFolderIsOneRunsUntilItsProcessIsGone(t *testing.T) {
	parent := t.TempDir()
	other := exec.Command(os.Args[0], "-test.run=^TestClaimant$")
	other.Env = append(os.Environ(), claimant+"="+parent, "TMPDIR="+t.TempDir()) // it cannot tidy up
	in, err := other.StdinPipe()
	require.NoError(t, err)
	defer in.Close()
	out, err := other.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, other.Start())
	line := make([]byte, 256)
	n, err := out.Read(line)
	require.NoError(t, err)
	theirs := filepath.Join(parent, string(line[:n-1]))

	_, err = Claim(theirs)
	require.ErrorIs(t, err, ErrClaimed)
	mine, remove, err := newBelow(parent, "test")
	require.NoError(t, err)
	sweep(parent)
	require.DirExists(t, theirs, "a folder in which a process is at work was swept away")

	require.NoError(t, other.Process.Kill())
	_ = other.Wait()
	sweep(parent)
	require.NoDirExists(t, theirs, "the folder of a process that was killed stays")
	require.DirExists(t, mine)
	remove()
	require.NoDirExists(t, mine)
	remove() // once is enough, twice no harm
}

func TestAFolderThatIsNoRunsIsLeftAlone(t *testing.T) {
	parent := t.TempDir()
	foreign := filepath.Join(parent, prefix+"notes")
	require.NoError(t, os.Mkdir(foreign, 0o755))
	sweep(parent)
	require.DirExists(t, foreign)
}
