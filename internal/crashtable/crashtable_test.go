package crashtable

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gatewaymeter/pipeline"
)

// tables are shared by the tests: each table takes a few crashes.
var tables Tables

func table(t *testing.T, stage int, from string) *Table {
	t.Helper()
	made, err := tables.Of(stage, from)
	require.NoError(t, err)
	require.NotEmpty(t, made.Rows)
	return made
}

// What the chapters say of each stage, as a rule and not as figures.
func TestBeforeStage07NothingInsideSurvives(t *testing.T) {
	for stage := pipeline.FirstStage; stage < 7; stage++ {
		earliest, latest := table(t, stage, pipeline.FromEarliest), table(t, stage, pipeline.FromLatest)
		for i, r := range earliest.Rows {
			require.Positive(t, r.AtDeath, "stage %02d, %s: there was nothing to lose", stage, r.Name)
			require.Zero(t, r.Lost, "stage %02d, %s: everything is read again", stage, r.Name)
			if r.Output {
				require.Equal(t, r.AtDeath, r.EmittedTwice, "stage %02d, %s: everything is said again", stage, r.Name)
				require.Positive(t, latest.Rows[i].Lost, "stage %02d, %s: lines are missing", stage, r.Name)
				continue
			}
			require.Zero(t, r.Survives, "stage %02d, %s", stage, r.Name)
			require.Equal(t, r.AtDeath, r.Recomputed, "stage %02d, %s", stage, r.Name)
			// Nothing is read again; but the duplicate of an event that had been seen may come later.
			require.InDelta(t, r.AtDeath, latest.Rows[i].Lost, 2, "stage %02d, %s", stage, r.Name)
		}
	}
}

func TestInStage07NothingIsLost(t *testing.T) {
	made := table(t, 7, pipeline.FromCheckpoint)
	require.Zero(t, made.Bill.Refused)
	for _, r := range made.Rows {
		require.Zero(t, r.Lost, r.Name)
		require.Positive(t, r.Survives, r.Name)
		if r.Output {
			require.Positive(t, r.EmittedTwice, "%s: a plain sink is told again", r.Name)
			continue
		}
		require.Positive(t, r.Recomputed, r.Name)
		require.Equal(t, r.AtDeath, r.Survives+r.Recomputed, r.Name)
	}
}

func TestTablesOfTheChaptersAreUpToDate(t *testing.T) {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}").Output()
	require.NoError(t, err)
	pages, err := filepath.Glob(filepath.Join(strings.TrimSpace(string(out)), "docs", "*.md"))
	require.NoError(t, err)
	found := 0
	for _, page := range pages {
		src, err := os.ReadFile(page)
		require.NoError(t, err)
		name := "docs/" + filepath.Base(page)
		synced, err := tables.Sync(name, src)
		require.NoError(t, err)
		found += strings.Count(string(src), "<!-- crash table:")
		if string(synced) != string(src) {
			t.Errorf("the crash tables of %s are not what runs give now: `go tool lab docs sync` puts the new ones in; see whether the text around them is still right", name)
		}
	}
	require.GreaterOrEqual(t, found, 9, "each of the chapters 03 to 07 has its tables")
}

func TestSyncReplacesTheTableBehindItsDirective(t *testing.T) {
	page := "# P\n\n<!-- crash table: 03 from earliest -->\n| old |\n|---|\n\ntext\n"
	got, err := tables.Sync("docs/p.md", []byte(page))
	require.NoError(t, err)
	require.Equal(t, "# P\n\n<!-- crash table: 03 from earliest -->\n"+table(t, 3, pipeline.FromEarliest).Markdown()+"\ntext\n", string(got))
	again, err := tables.Sync("docs/p.md", got)
	require.NoError(t, err)
	require.Equal(t, string(got), string(again), "a second time changes nothing")
}

func TestDirectivesThatAskForNothingAreNamed(t *testing.T) {
	_, err := tables.Sync("docs/p.md", []byte("# P\n<!-- crash table: 02 -->\n"))
	require.ErrorContains(t, err, "docs/p.md:2")
	_, err = tables.Sync("docs/p.md", []byte("<!-- crash table: 07 from earliest -->\n"))
	require.ErrorContains(t, err, "stage 07 starts again at its \"checkpoint\"")
}
