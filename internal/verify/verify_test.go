package verify

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func passes(context.Context) (string, error) { return "quiet", nil }
func fails(context.Context) (string, error) {
	return "what the command said\n", errors.New("exit status 1")
}

func TestAllRunsEveryStepAndShowsWhatFailed(t *testing.T) {
	var out bytes.Buffer
	r := &Runner{Out: &out}
	require.False(t, r.All(t.Context(), []Step{{"one", passes}, {"two", fails}, {"three", passes}}))
	require.Regexp(t, `^ok  \tone\t\d+\.\ds\nFAIL\ttwo\t\d+\.\ds\nwhat the command said\nexit status 1\nok  \tthree\t\d+\.\ds\nFAIL\ttwo\n2 passed, 1 failed\n$`, out.String())

	out.Reset()
	require.True(t, r.All(t.Context(), []Step{{"one", passes}}))
	require.Regexp(t, `^ok  \tone\t\d+\.\ds\nok  \tgatewaymeter\t\d+\.\ds\n1 passed, 0 failed\n$`, out.String())
}

func TestAllStopsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	var out bytes.Buffer
	r := &Runner{Out: &out}
	interrupted := func(context.Context) (string, error) { cancel(); return "", context.Canceled }
	require.False(t, r.All(ctx, []Step{{"one", interrupted}, {"two", passes}}))
	require.Empty(t, out.String(), "an interrupted step has no verdict, and no other begins")
}

// program writes a shell script that stands for a program.
func program(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "program")
	require.NoError(t, os.WriteFile(path, []byte("#!/bin/sh\n"+text+"\n"), 0o755))
	return path
}

func TestOutcomesWantsOneOutcomeEverywhere(t *testing.T) {
	for name, c := range map[string]struct{ says, wrong string }{
		"as it should be": {`echo '{"summary":{"pass":0,"todo":5,"wrong":0,"harness":0}}'; exit 3`, ""},
		"one passes":      {`echo '{"summary":{"pass":1,"todo":4,"wrong":0,"harness":0}}'; exit 3`, "1 exercises are pass, and all should be todo"},
		"nothing ran":     {`echo '{"summary":{"pass":0,"todo":0,"wrong":0,"harness":0}}'`, "no exercise ran"},
		"it died":         {`echo '{"lab":"03"}'; exit 2`, "lab test printed no summary"},
	} {
		t.Run(name, func(t *testing.T) {
			r := &Runner{Root: t.TempDir(), Lab: program(t, c.says)}
			_, err := r.outcomes(t.Context(), "todo", nil)
			if c.wrong == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, c.wrong)
		})
	}
	r := &Runner{Root: t.TempDir(), Lab: filepath.Join(t.TempDir(), "nowhere")}
	_, err := r.outcomes(t.Context(), "todo", nil)
	require.ErrorIs(t, err, os.ErrNotExist)
}

func TestATestRunWithoutTestsHasFailed(t *testing.T) {
	r := &Runner{Root: "../.."}
	_, err := r.goTest("none", nil, "-run=^$", "./oracle").Run(t.Context())
	require.ErrorContains(t, err, "no test ran")
}

// What a student is to turn green is no package of ours.
func TestPackagesLeaveSuitesAndStartersOut(t *testing.T) {
	ours, err := (&Runner{Root: "../.."}).packages(t.Context())
	require.NoError(t, err)
	require.Contains(t, ours, "gatewaymeter/engine")
	require.Contains(t, ours, "gatewaymeter/labs/03-stateful-operators/solution")
	require.NotContains(t, ours, "gatewaymeter/labs/03-stateful-operators")
	require.NotContains(t, ours, "gatewaymeter/labs/03-stateful-operators/starter")
	require.Equal(t, []string{"gatewaymeter/engine", "gatewaymeter/stream"}, only(ours, `/engine$`, `/stream$`))
}

// An interrupted go command leaves the folder behind in which it worked: it is one of the step's.
func TestWhatACommandLeavesBehindGoes(t *testing.T) {
	r := &Runner{Root: t.TempDir()}
	out, err := r.exec(t.Context(), nil, program(t, `touch "$GOTMPDIR/left" && echo "$GOTMPDIR"`))
	require.NoError(t, err)
	require.NoDirExists(t, strings.TrimSpace(out))
	require.Contains(t, out, "-verify-")
}
