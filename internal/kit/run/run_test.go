package run_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gatewaymeter/internal/kit/course"
	"gatewaymeter/internal/kit/kittest"
	"gatewaymeter/internal/kit/run"
)

// outcomes runs lab 09 and returns outcome and message by exercise.
func outcomes(t *testing.T, repo *course.Repo, o run.Options) (map[string]string, map[string]string) {
	t.Helper()
	results, err := run.Lab(context.Background(), repo, kittest.Lab(t, repo, "09"), o)
	require.NoError(t, err)
	got, messages := map[string]string{}, map[string]string{}
	for _, r := range results {
		got[r.Exercise], messages[r.Exercise] = r.Outcome, r.Message
	}
	require.Len(t, results, 5)
	return got, messages
}

func all(outcome string) map[string]string {
	return map[string]string{"9a": outcome, "9b": outcome, "9c": outcome, "9.1": outcome, "scenario": outcome}
}

// with is all PASS but for one exercise and the scenario, which uses all of them.
func with(exercise, outcome, scenario string) map[string]string {
	want := all("PASS")
	want[exercise], want["scenario"] = outcome, scenario
	return want
}

func TestUntouchedStarterIsTodo(t *testing.T) {
	got, messages := outcomes(t, kittest.Clone(t), run.Options{})
	require.Equal(t, all("TODO"), got)
	require.Equal(t, "TODO 9a: not written yet; write it in labs/09-sample/starter/sample.go:9 (Double)", messages["9a"])
	require.True(t, strings.HasPrefix(messages["scenario"], "TODO scenario waits for 9a"), messages["scenario"])
}

func TestSolutionPasses(t *testing.T) {
	repo := kittest.Clone(t)
	lab := kittest.Lab(t, repo, "09")
	require.NoError(t, os.WriteFile(filepath.Join(lab.Starter(), "sample.go"), []byte("no Go"), 0o644))
	got, messages := outcomes(t, repo, run.Options{Solution: true})
	require.Equal(t, all("PASS"), got, "%v", messages)
}

// TestOneExerciseCostsNoOther: whatever exercise 9b does, 9a, 9c and 9.1 keep their outcomes. (9c has
// a Join of its own here.)
func TestOneExerciseCostsNoOther(t *testing.T) {
	repo := kittest.Clone(t)
	lab := kittest.Lab(t, repo, "09")
	kittest.Solve(t, lab)
	file := filepath.Join(lab.Starter(), "sample.go")
	kittest.Edit(t, file, "return Join(word, word)", `return word + "," + word`)
	kittest.Edit(t, file, "import (\n", "import (\n\t\"log\"\n\t\"os\"\n")
	kittest.Edit(t, file, "// Join puts", "// Used, whatever Join does.\nvar _, _, _ = log.Fatal, os.Exit, strings.Join\n\n// Join puts")
	solved, err := os.ReadFile(file)
	require.NoError(t, err)

	for name, c := range map[string]struct{ body, message, place string }{
		"wrong":              {`return "x"`, "WRONG 9b: the words are not joined", ""},
		"nil dereference":    {"var p *string\n\treturn *p", "WRONG 9b: panic: runtime error: invalid memory address", "sample.go:33 (Join)"},
		"goroutine panic":    {"go func() { panic(`boom`) }()\n\tselect {}", "WRONG 9b: panic: boom, which ended the whole process", "sample.go:32 (Join.func1)"},
		"exit zero":          {"os.Exit(0)\n\treturn ``", "WRONG 9b: panic: unexpected call to os.Exit(0) during test", "sample.go:32 (Join)"},
		"exit three":         {"os.Exit(3)\n\treturn ``", "WRONG 9b: the process ended in the middle of the test (exit status 3): os.Exit or log.Fatal?", ""},
		"log fatal":          {"log.Fatal(`no words`)\n\treturn ``", "no words", ""},
		"stack overflow":     {"return Join(words...) + `x`", "WRONG 9b: stack overflow: goroutine stack exceeds 67108864-byte limit", "sample.go:32 (Join)"},
		"endless loop":       {"for n := 0; ; n++ {\n\t}", "WRONG 9b: did not end within 5s", "sample.go:32 (Join)"},
		"wait without end":   {"select {}", "WRONG 9b: ", "sample.go:32 (Join)"},
		"half of it written": {"if false {\n\t\tpanic(todo.Exercise(\"9b\"))\n\t}\n\treturn strings.Join(words, `,`)", "TODO 9b: its tests pass, but a part is not written yet, in labs/09-sample/starter/sample.go:34", ""},
	} {
		t.Run(name, func(t *testing.T) {
			require.NoError(t, os.WriteFile(file, solved, 0o644))
			kittest.Edit(t, file, `return strings.Join(words, ",")`, c.body)
			if strings.Contains(c.body, "todo.") {
				kittest.Edit(t, file, "import (\n", "import (\n\t\"gatewaymeter/todo\"\n")
			}
			var o run.Options
			if strings.Contains(c.message, "did not end within 5s") {
				o.Deadline = 5 * time.Second // others may be slow, on a busy machine
			}
			got, messages := outcomes(t, repo, o)
			want, _, _ := strings.Cut(c.message, " ")
			if want != "TODO" {
				want = "WRONG"
			}
			require.Equal(t, with("9b", want, "PASS"), got, "%v", messages)
			require.Contains(t, messages["9b"], c.message)
			require.Contains(t, messages["9b"], c.place)
		})
	}
}

// The exercise in whose region the compiler's error stands has the compiler's words; the others could not
// be run because of it, and say so.
func TestStarterThatDoesNotCompile(t *testing.T) {
	repo := kittest.Clone(t)
	lab := kittest.Lab(t, repo, "09")
	file := filepath.Join(lab.Starter(), "sample.go")
	kittest.Edit(t, file, `panic(todo.Exercise("9b"))`, "return wrods")
	got, messages := outcomes(t, repo, run.Options{})
	require.Equal(t, all("WRONG"), got)
	require.Equal(t, "WRONG 9b: it does not compile, nor does package labs/09-sample/starter with it:\n"+
		"  labs/09-sample/starter/sample.go:22:9: undefined: wrods (exercise 9b)", messages["9b"])
	for _, id := range []string{"9a", "9c", "9.1", "scenario"} {
		require.Equal(t, "WRONG "+id+": could not be run, because package labs/09-sample/starter does not compile: labs/09-sample/starter/sample.go:22:9 (exercise 9b)", messages[id])
	}

	kittest.Edit(t, file, "return wrods", "return )")
	got, messages = outcomes(t, repo, run.Options{})
	require.Equal(t, all("WRONG"), got)
	require.Contains(t, messages["9b"], "labs/09-sample/starter/sample.go:22:9: syntax error")
}

// Where no exercise that was asked for is at fault, each has the compiler's words.
func TestABrokenLineThatNoChosenExerciseOwns(t *testing.T) {
	repo := kittest.Clone(t)
	lab := kittest.Lab(t, repo, "09")
	file := filepath.Join(lab.Starter(), "sample.go")
	const because = ": could not be run, because package labs/09-sample/starter does not compile:\n  labs/09-sample/starter/sample.go:"
	kittest.Edit(t, file, `panic(todo.Exercise("9b"))`, "return wrods")
	results, err := run.Lab(context.Background(), repo, lab, run.Options{Select: func(e course.Exercise) bool { return e.ID == "9a" }})
	require.NoError(t, err)
	require.Len(t, results, 1)
	require.Equal(t, "WRONG 9a"+because+"22:9: undefined: wrods (exercise 9b)", results[0].Message)

	kittest.Edit(t, file, "return wrods", `panic(todo.Exercise("9b"))`)
	kittest.Edit(t, file, "// Join puts", "var words int = true\n\n// Join puts")
	got, messages := outcomes(t, repo, run.Options{})
	require.Equal(t, all("WRONG"), got)
	require.Contains(t, messages["9a"], "WRONG 9a"+because)
	require.True(t, strings.HasSuffix(messages["9a"], " (outside of the exercises)"), messages["9a"])

	kittest.Edit(t, file, "var words int = true\n\n", "}\n\n")
	_, messages = outcomes(t, repo, run.Options{})
	require.Contains(t, messages["scenario"], "syntax error")
	require.Contains(t, messages["scenario"], "(outside of the exercises; Go may have missed a brace further up)")

	kittest.Edit(t, file, "//lab:end", "//lab:ende") // then nobody can tell whose line it is
	_, messages = outcomes(t, repo, run.Options{})
	require.Contains(t, messages["9a"], "WRONG 9a"+because)
}

func TestChangedSignatureAndBrokenSuite(t *testing.T) {
	repo := kittest.Clone(t)
	lab := kittest.Lab(t, repo, "09")
	kittest.Edit(t, filepath.Join(lab.Starter(), "sample.go"), "func Double(n int)", "func Double(n, m int)")
	got, messages := outcomes(t, repo, run.Options{})
	require.Equal(t, all("WRONG"), got)
	require.Contains(t, messages["9a"], "an exported name or signature has changed")
	require.Contains(t, messages["9a"], "not enough arguments in call to sample.Double")

	kittest.Edit(t, filepath.Join(lab.Dir, "sample_test.go"), "sample.Double(2)", "sample.Treble(2)")
	got, messages = outcomes(t, repo, run.Options{})
	require.Equal(t, all("HARNESS"), got)
	require.Contains(t, messages["9a"], "the suite does not compile, which is not your fault")
}

func TestMineRunsAnEarlierStarter(t *testing.T) {
	repo := kittest.Clone(t)
	kittest.Solve(t, kittest.Lab(t, repo, "09"))
	base := kittest.Lab(t, repo, "08")
	got, messages := outcomes(t, repo, run.Options{Mine: []*course.Lab{base}})
	want := all("PASS")
	want["9a"], want["scenario"] = "TODO", "TODO"
	require.Equal(t, want, got)
	require.Equal(t, "TODO 9a waits for 8a: write 8a first, in labs/08-base/starter/base.go:9 (One)", messages["9a"])

	kittest.Edit(t, filepath.Join(base.Starter(), "base.go"), `panic(todo.Exercise("8a"))`, "retrun 1")
	got, messages = outcomes(t, repo, run.Options{Mine: []*course.Lab{base}})
	require.Equal(t, all("WRONG"), got)
	require.Contains(t, messages["9a"], "could not be run, because package labs/08-base/starter does not compile:\n  labs/08-base/starter/base.go:9:")
	require.Contains(t, messages["9a"], "(exercise 8a)")
}

func TestNoTestRanIsHarness(t *testing.T) {
	repo := kittest.Clone(t)
	lab := kittest.Lab(t, repo, "09")
	kittest.Solve(t, lab)
	require.NoError(t, os.WriteFile(filepath.Join(lab.Dir, "main_test.go"),
		[]byte("package lab09_test\n\nimport \"testing\"\n\nfunc TestMain(*testing.M) {}\n"), 0o644))
	got, messages := outcomes(t, repo, run.Options{})
	require.Equal(t, all("HARNESS"), got)
	require.Contains(t, messages["9a"], "no test Test9a ran")
}

func TestSelectAndBroker(t *testing.T) {
	repo := kittest.Clone(t)
	lab := kittest.Lab(t, repo, "09")
	kittest.Solve(t, lab)
	kittest.Edit(t, filepath.Join(lab.Dir, "sample_test.go"), `"4,4"`, "suite.Broker()")
	results, err := run.Lab(context.Background(), repo, lab, run.Options{
		Broker: "localhost:9092",
		Select: func(e course.Exercise) bool { return e.ID == "scenario" },
	})
	require.NoError(t, err)
	require.Len(t, results, 1)
	require.Contains(t, results[0].Message, "want       localhost:9092")
}

func TestCancel(t *testing.T) {
	repo := kittest.Clone(t)
	lab := kittest.Lab(t, repo, "09")
	kittest.Edit(t, filepath.Join(lab.Starter(), "sample.go"), `panic(todo.Exercise("9a"))`,
		`os.WriteFile("running", nil, 0o644); select {}`)
	kittest.Edit(t, filepath.Join(lab.Starter(), "sample.go"), "import ", "import \"os\"\n\nimport ")
	ctx, cancel := context.WithCancel(context.Background())
	go func() { // ends with the run: cancelled when its code is running
		for ctx.Err() == nil {
			if _, err := os.Stat(filepath.Join(lab.Dir, "running")); err == nil {
				cancel()
			}
		}
	}()
	_, err := run.Lab(ctx, repo, lab, run.Options{})
	require.ErrorIs(t, err, context.Canceled)
}

// What the go command works in lies in the build's own folder: an interrupted build leaves nothing elsewhere.
func TestABuildWorksInItsOwnFolder(t *testing.T) {
	repo := kittest.Clone(t)
	t.Setenv("GOTMPDIR", filepath.Join(t.TempDir(), "not", "there"))
	_, err := run.Build(t.Context(), repo, kittest.Lab(t, repo, "09"), t.TempDir())
	require.NoError(t, err)
}
