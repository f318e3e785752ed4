package course

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// repo makes a clone with the given files, and returns it.
func repo(t *testing.T, files map[string]string) *Repo {
	t.Helper()
	root := t.TempDir()
	files["go.mod"] = "module gatewaymeter\n\ngo 1.26\n"
	for name, text := range files {
		path := filepath.Join(root, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	}
	r, err := Find(root)
	require.NoError(t, err)
	return r
}

const suite03 = `package lab03_test

// TestScenario: Running totals per tenant
func TestScenario(t *testing.T) {}

// Test3_10: Later
func Test3_10(t *testing.T) {}

// Test3_2: Write the leak test (optional)
func Test3_2(t *testing.T) {}

// Test3b: TenantCost, in whole nano-USD (and why not in floats) (20 min)
//
// More text.
func Test3b(t *testing.T) {}

// Test3h: TTL: incremental cleanup (20 min, optional)
func Test3h(t *testing.T) {}

func Test3a(t *testing.T) {}

func TestMain(m *testing.M) {}
func TestHelperOfOurs(t *testing.T) {}
`

func sampleRepo(t *testing.T) *Repo {
	return repo(t, map[string]string{
		"labs/03-stateful-operators/suite_test.go":     suite03,
		"labs/03-stateful-operators/starter/broken.go": "this is no Go",
		"labs/01-events/events_test.go":                "package lab01_test\n\nfunc Test1a(t *testing.T) {}\n",
		"labs/04-windows/doc.go":                       "package lab04\n",
		"labs/notes/x_test.go":                         "package x\n\nfunc Test9a(t *testing.T) {}\n",
	})
}

func TestLabsAndExercises(t *testing.T) {
	labs, err := sampleRepo(t).Labs()
	require.NoError(t, err)
	require.Len(t, labs, 2, "a lab without a suite is none yet")
	require.Equal(t, "01-events", labs[0].Name)
	require.Equal(t, []Exercise{
		{ID: "3a", Test: "Test3a"},
		{ID: "3b", Test: "Test3b", Title: "TenantCost, in whole nano-USD (and why not in floats)", Minutes: 20},
		{ID: "3h", Test: "Test3h", Title: "TTL: incremental cleanup", Minutes: 20, Optional: true},
		{ID: "3.2", Test: "Test3_2", Title: "Write the leak test", Optional: true},
		{ID: "3.10", Test: "Test3_10", Title: "Later"},
		{ID: "scenario", Test: "TestScenario", Title: "Running totals per tenant"},
	}, labs[1].Exercises)
}

func TestLabArguments(t *testing.T) {
	r := sampleRepo(t)
	for _, arg := range []string{"3", "03", "03-stateful-operators", "labs/03-stateful-operators/"} {
		lab, err := r.Lab(arg)
		require.NoError(t, err)
		require.Equal(t, 3, lab.Number)
	}
	_, err := r.Lab("7")
	require.EqualError(t, err, `there is no lab "7"; the labs are 01-events, 03-stateful-operators`)

	labs, err := r.Select("03,1", "3")
	require.NoError(t, err)
	require.Len(t, labs, 2)
	require.Equal(t, 1, labs[0].Number)
	labs, err = r.Select()
	require.NoError(t, err)
	require.Len(t, labs, 2)
}

func TestExerciseByID(t *testing.T) {
	r := sampleRepo(t)
	lab, e, err := r.Exercise("3.2")
	require.NoError(t, err)
	require.Equal(t, 3, lab.Number)
	require.Equal(t, "Test3_2", e.Test)
	for id, message := range map[string]string{
		"3z":       `lab 03-stateful-operators has no exercise "3z"; it has 3a, 3b, 3h, 3.2, 3.10, scenario`,
		"scenario": `"scenario" is no exercise: an exercise is named like 3d or 3.2 (go tool lab list shows them all)`,
		"9a":       `there is no lab "9"; the labs are 01-events, 03-stateful-operators`,
	} {
		_, _, err := r.Exercise(id)
		require.EqualError(t, err, message)
	}
}

func TestFindFromWithinAndOutside(t *testing.T) {
	r := sampleRepo(t)
	within, err := Find(filepath.Join(r.Root, "labs", "01-events"))
	require.NoError(t, err)
	require.Equal(t, r, within)
	require.Equal(t, "gatewaymeter", within.Module)
	_, err = Find(t.TempDir())
	require.ErrorContains(t, err, "is not inside a clone of GatewayMeter")
}

func TestTwoTestsForOneExercise(t *testing.T) {
	r := repo(t, map[string]string{
		"labs/01-events/a_test.go": "package lab01_test\n\nfunc Test1a(t *testing.T) {}\n",
		"labs/01-events/b_test.go": "package lab01_test\n\nfunc Test1a(t *testing.T) {}\n",
	})
	_, err := r.Labs()
	require.ErrorContains(t, err, "exercise 1a has a test already")
}

func TestSyntaxErrorInASuiteLeavesTheOtherLabsAlone(t *testing.T) {
	r := repo(t, map[string]string{
		"labs/01-events/a_test.go": "package lab01_test\n\nfunc Test1a(t *testing.T) {}\n\nfunc {",
		"labs/02-keying/b_test.go": "package lab02_test\n\nfunc Test2a(t *testing.T) {}\n",
	})
	labs, err := r.Labs()
	require.NoError(t, err)
	require.Len(t, labs, 2)
	require.NotNil(t, labs[0].Exercise("1a"))
}
