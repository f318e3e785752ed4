package engine_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gatewaymeter/engine"
)

// The table of crash points is also a page of the docs.
func TestCrashTableIsThePage(t *testing.T) {
	page, err := os.ReadFile("../docs/crash-points.md")
	require.NoError(t, err)
	var rows strings.Builder
	for _, row := range engine.CrashTable {
		fmt.Fprintf(&rows, "| %s | %s |\n", row.Name, row.Step)
	}
	require.True(t, strings.HasSuffix(string(page), rows.String()), "docs/crash-points.md must end with these rows:\n%s", rows.String())
}

func TestCrashPointsParseAsTheyPrint(t *testing.T) {
	for _, row := range engine.CrashTable {
		for _, after := range []bool{false, true} {
			p := engine.CrashPoint{After: after, What: row.Name, At: "assemble", N: 3}
			again, err := engine.ParseCrashPoint(p.String())
			require.NoError(t, err)
			require.Equal(t, p, again)
		}
	}
	_, err := engine.ParseCrashPoint("after lunch at assemble, n=2")
	require.ErrorContains(t, err, `no step "lunch"`)
	_, err = engine.ParseCrashPoint("sometime")
	require.ErrorContains(t, err, "write it as")
}
