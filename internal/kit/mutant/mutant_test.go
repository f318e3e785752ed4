package mutant_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"gatewaymeter/internal/kit/course"
	"gatewaymeter/internal/kit/kittest"
	"gatewaymeter/internal/kit/mutant"
)

func write(t *testing.T, lab *course.Lab, name, text string) {
	t.Helper()
	require.NoError(t, os.WriteFile(filepath.Join(lab.Dir, "mutants", name+".patch"), []byte(text), 0o644))
}

// results runs all mutants of a lab.
func results(t *testing.T, repo *course.Repo, lab *course.Lab) map[string]mutant.Result {
	t.Helper()
	mutants, err := mutant.Load(lab)
	require.NoError(t, err)
	r := &mutant.Runner{Repo: repo, Lab: lab}
	got := map[string]mutant.Result{}
	for _, m := range mutants {
		res, err := r.Run(context.Background(), m)
		require.NoError(t, err)
		got[res.Mutant] = res
	}
	return got
}

const diff = "\n--- a/sample.go\n+++ b/sample.go\n@@ -1,1 +1,1 @@\n"

func TestOutcomes(t *testing.T) {
	repo := kittest.Clone(t)
	lab := kittest.Lab(t, repo, "09")
	write(t, lab, "9a-no-diff", "Exercise: 9a\nMisconception: none\n")
	write(t, lab, "9a-no-misconception", "Exercise: 9a\n"+diff+"-\treturn two() * n\n+\treturn n\n")
	write(t, lab, "9a-same", "Exercise: 9a\nMisconception: order matters\n"+diff+"-\treturn two() * n\n+\treturn n * two()\n")
	write(t, lab, "9a-stale", "Exercise: 9a\nMisconception: old\n"+diff+"-\treturn 2 * n\n+\treturn n\n")
	write(t, lab, "9a-wrong-file", "Exercise: 9a\nMisconception: old\n\n--- a/x.go\n+++ b/x.go\n@@ -1,1 +1,1 @@\n-a\n+b\n")
	write(t, lab, "9b-no-go", "Exercise: 9b\nMisconception: none\n"+diff+"-\treturn two() * n\n+\treturn to() * n\n")
	write(t, lab, "9c-panics", "Exercise: 9c\nMisconception: a word may be missing\n"+diff+"-\treturn Join(word, word)\n+\tpanic(word)\n")
	write(t, lab, "9z-unknown", "Exercise: 9z\nMisconception: none\n"+diff+"-a\n+b\n")
	got := results(t, repo, lab)
	require.Equal(t, mutant.Result{
		Lab: "09-sample", Exercise: "9a", Mutant: "9a-adds-two", Misconception: "twice means two more",
		KilledBy: "Test9a/of_nothing", Outcome: mutant.Killed, Message: "WRONG 9a: the double of 0 is wrong",
	}, got["9a-adds-two"])
	for name, want := range map[string]struct{ outcome, message string }{
		"9a-no-diff":          {mutant.Broken, "there is no diff in it"},
		"9a-no-misconception": {mutant.Broken, "the header Misconception is missing"},
		"9a-same":             {mutant.Survived, "the suite does not notice"},
		"9a-stale":            {mutant.Broken, "the patch does not apply: sample.go: the hunk of the patch's line 6 does not fit any more"},
		"9a-wrong-file":       {mutant.Broken, "the solution has no file x.go"},
		"9b-no-go":            {mutant.Broken, "the mutant does not compile:\n  labs/09-sample/solution/sample.go:13:9: undefined: to"},
		"9b-space":            {mutant.Killed, "WRONG 9b: the words are not joined"},
		"9c-panics":           {mutant.Killed, "WRONG 9c: panic: a"},
		"9z-unknown":          {mutant.Broken, `the header Exercise names "9z"`},
	} {
		require.Equal(t, want.outcome, got[name].Outcome, "%s: %s", name, got[name].Message)
		require.Contains(t, got[name].Message, want.message)
	}
}

func TestSolutionThatFailsProvesNothing(t *testing.T) {
	repo := kittest.Clone(t)
	lab := kittest.Lab(t, repo, "09")
	kittest.Edit(t, filepath.Join(lab.Solution(), "sample.go"), `",")`, `";")`)
	got := results(t, repo, lab)
	require.Equal(t, mutant.Killed, got["9a-adds-two"].Outcome)
	require.Equal(t, mutant.Broken, got["9b-space"].Outcome)
	require.Contains(t, got["9b-space"].Message, "the solution itself does not pass: WRONG 9b")
}

func TestMakeAMutant(t *testing.T) {
	repo := kittest.Clone(t)
	lab := kittest.Lab(t, repo, "09")
	_, err := mutant.Save(repo, lab, "once", "9c", "a word and itself is the word")
	require.ErrorContains(t, err, "make a copy to edit first")
	dir, err := mutant.Edit(repo, lab)
	require.NoError(t, err)
	_, err = mutant.Save(repo, lab, "once", "9c", "a word and itself is the word")
	require.EqualError(t, err, "nothing is changed in .lab/mutant/09-sample")
	kittest.Edit(t, filepath.Join(dir, "sample.go"), "Join(word, word)", "Join(word)")
	_, err = mutant.Edit(repo, lab)
	require.ErrorContains(t, err, "there is a copy in .lab/mutant/09-sample already")

	m, err := mutant.Save(repo, lab, "once", "9c", "a word and itself is the word")
	require.NoError(t, err)
	require.Equal(t, "9c-once", m.Name)
	require.NoDirExists(t, dir)
	res, err := (&mutant.Runner{Repo: repo, Lab: lab}).Run(context.Background(), m)
	require.NoError(t, err)
	require.Equal(t, mutant.Killed, res.Outcome)
	require.FileExists(t, filepath.Join(lab.Dir, "mutants", "9c-once.patch"))

	for _, c := range [][4]string{
		{"Two Words", "9c", "x", `"Two Words" is no name of a mutant`},
		{"once", "9z", "x", `lab 09-sample has no exercise "9z"`},
		{"once", "9c", " ", "say the misconception in one line"},
		{"once", "9c", "x", "labs/09-sample/mutants/9c-once.patch exists already"},
	} {
		_, err := mutant.Save(repo, lab, c[0], c[1], c[2])
		require.ErrorContains(t, err, c[3])
	}
}
