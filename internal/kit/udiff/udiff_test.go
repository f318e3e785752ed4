package udiff

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestUnified(t *testing.T) {
	old := "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\n14\n15\n"
	new := "1\n2\n3\n4\nfive\n6\n7\n8\n9\n10\n11\n12\n14\n15\nlast"
	require.Equal(t, `--- a/x
+++ b/x
@@ -2,7 +2,7 @@
 2
 3
 4
-5
+five
 6
 7
 8
@@ -10,6 +10,6 @@
 10
 11
 12
-13
 14
 15
+last
\ No newline at end of file
`, Unified("a/x", "b/x", old, new))
	require.Empty(t, Unified("a", "b", old, old))
}

// TestRoundTrip: what Unified writes, Apply does, for random texts.
func TestRoundTrip(t *testing.T) {
	const seed = 1
	r := rand.New(rand.NewPCG(seed, 0))
	text := func() string {
		var b strings.Builder
		for range r.IntN(40) {
			fmt.Fprintln(&b, r.IntN(6))
		}
		s := b.String()
		if r.IntN(3) == 0 {
			s = strings.TrimSuffix(s, "\n")
		}
		return s
	}
	for i := range 2000 {
		old, new := text(), text()
		patches, err := Parse(Unified("a/x.go", "b/x.go", old, new))
		require.NoError(t, err)
		if old == new {
			require.Empty(t, patches)
			continue
		}
		require.Equal(t, "x.go", patches[0].File)
		got, err := patches[0].Apply(old)
		require.NoError(t, err, "seed %d, case %d: %q to %q", seed, i, old, new)
		require.Equal(t, new, got, "seed %d, case %d", seed, i)
	}
}

const patch = `Exercise: 3d
Misconception: none

--- a/solution/x.go	2026-01-01
+++ b/solution/x.go	2026-01-02
@@ -1,3 +1,3 @@
 one
-two
+zwei
 three
`

func TestApplyFindsDriftedHunks(t *testing.T) {
	patches, err := Parse(patch)
	require.NoError(t, err)
	got, err := patches[0].Apply("new\nlines\none\ntwo\nthree\n")
	require.NoError(t, err)
	require.Equal(t, "new\nlines\none\nzwei\nthree\n", got)

	_, err = patches[0].Apply("one\nthree\n")
	require.EqualError(t, err, "x.go: the hunk of the patch's line 6 does not fit any more: its context or its - lines are gone")
	_, err = patches[0].Apply("0\none\ntwo\nthree\none\ntwo\nthree\n")
	require.EqualError(t, err, "x.go: the hunk of the patch's line 6 fits in more than one place, and not at its line number")
}

func TestParseRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"@@ -1 +1 @@\n-a\n+b\n":                          "line 1: a hunk before any --- and +++ lines",
		"--- a/x\n+++ b/x\n":                             "the patch of x changes nothing",
		"--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n a\n-b\n":    "line 3: the hunk ends too early: 1 old and 2 new lines are missing",
		"--- a/x\n+++ b/x\n@@ x\n":                       `line 3: "@@ x" is no hunk's first line`,
		"--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n a\nb\n c\n": "line 5: a line of a hunk begins with a space, - or +",
	} {
		_, err := Parse(text)
		require.EqualError(t, err, want)
	}
}
