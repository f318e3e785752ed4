package scene

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gatewaymeter/stream"
)

const head = "# from: our own engine\n# title: T\n# desc: what is\n# desc: to be seen\n# draw: board from=0s\n"

const script = head + `
window size=1m lateness=30s
----

# Note.
element key=acme is=a t=20s
----
window/0 element key="acme" @t=20s a
window/0 set key="acme" windows[[t=0s, t=1m0s)] a
window/0 set timer key="acme" @t=59.999s [t=0s, t=1m0s)
window/0 set timer key="acme" @t=1m29.999s [t=0s, t=1m0s)

watermark t=10s
----
window/0 control 0 watermark @t=10s
window/0 forward watermark @t=10s
`

func TestAScriptIsPlayedAndWrittenAgain(t *testing.T) {
	s, err := Parse("x", script)
	require.NoError(t, err)
	require.Equal(t, "what is to be seen", s.Desc)
	require.NoError(t, s.Play())
	require.Empty(t, s.Differs())
	require.Equal(t, script, s.Text())
	require.False(t, s.Locked())
	require.Len(t, s.Whole().Steps, 6)
	require.NoError(t, s.Play(), "again, from the start")
	require.Equal(t, script, s.Text())
}

func TestADifferenceIsNamed(t *testing.T) {
	s, err := Parse("x", strings.Replace(script, "forward watermark @t=10s", "forward watermark @t=11s", 1))
	require.NoError(t, err)
	require.NoError(t, s.Play())
	require.Contains(t, s.Differs(), "x.txt:18: watermark t=10s\ngot\n")
}

// A script whose expectations come from Flink or the oracle is locked.
func TestOthersExpectationsAreLocked(t *testing.T) {
	s, err := Parse("x", strings.Replace(script, "our own engine", "vectors/window_operator.jsonl", 1))
	require.NoError(t, err)
	require.True(t, s.Locked())
}

func TestALongTraceIsCut(t *testing.T) {
	s, err := Parse("x", strings.Replace(head, "# draw", "# lines: 2\n# draw", 1)+"\nassemble stage=06\n----\n\nopen requests=3 t=0s\n----\n")
	require.NoError(t, err)
	require.NoError(t, s.Play())
	lines := strings.Split(strings.TrimSpace(s.Text()), "\n")
	require.Equal(t, "… 7 more steps", lines[len(lines)-1])
}

func TestParseRefuses(t *testing.T) {
	for text, why := range map[string]string{
		"window\n----\n":                "the first line must say where",
		"# from: x\n\nwindow\n----\n":   "# title:, # desc: and # draw:",
		head + "\nwindow size=1m\n":     "x.txt:7: ",
		head + "\nwindow large\n----\n": `x.txt:7: "large" is not name=value`,
		head:                            "nothing happens in it",
		head + "\nwindow size=1m\n----\n\n# n\n----": "x.txt:10: nothing happens",
	} {
		_, err := Parse("x", text)
		require.ErrorContains(t, err, why, "%q", text)
	}
}

func TestPlayRefuses(t *testing.T) {
	for steps, why := range map[string]string{
		"submarine\n----\n":                                    `x.txt:7: "submarine" is nothing that a scene can be about`,
		"window size=1m\n----\n\ndive t=1s\n----\n":            `x.txt:10: dive t=1s: unknown verb "dive"`,
		"window size=-1m\n----\n":                              "x.txt:7: window size=-1m: ",
		"job partitions=1\n----\n\nrun lines=1\n----\n":        "it does not come to an end",
		"valve inputs=2\n----\n\nelement input=0 is=a\n----\n": `unknown verb "element"`,
	} {
		s, err := Parse("x", head+"\n"+steps)
		require.NoError(t, err)
		require.ErrorContains(t, s.Play(), why)
	}
}

func TestReadAllNeedsScripts(t *testing.T) {
	dir := t.TempDir()
	_, err := ReadAll(dir)
	require.ErrorContains(t, err, "holds no scripts")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "b.txt"), []byte(script), 0o644))
	all, err := ReadAll(dir)
	require.NoError(t, err)
	require.Equal(t, "b", all[0].Name)
	require.Equal(t, stream.MaxTime, (&Step{Args: Args{args: map[string]string{"t": "end"}}}).At("t"))
}
