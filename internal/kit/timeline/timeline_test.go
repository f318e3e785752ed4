package timeline

import (
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gatewaymeter/internal/kit/suite"
	"gatewaymeter/stream"
)

func TestParse(t *testing.T) {
	scenes, err := Parse("# from: here\n\nnew scene=a-b size=3 # not a comment=x\n")
	require.ErrorContains(t, err, `line 3: "#" is not name=value`)
	require.Nil(t, scenes)

	scenes, err = Parse("# from: here\n\nnew scene=a-b size=3\nadd t=1.5s   -> two words\n# why\nnew scene=c\n")
	require.NoError(t, err)
	require.Len(t, scenes, 2)
	require.Equal(t, 3, scenes[0][0].Number(t, "size"))
	add := scenes[0][1]
	require.Equal(t, "two words", add.Want)
	require.Equal(t, 4, add.Line)
	require.Empty(t, add.Note)
	require.Equal(t, "why", scenes[1][0].Note)
	require.Equal(t, stream.Time(1500), add.At(t, "t"))
	require.Equal(t, 1500*time.Millisecond, add.Span(t, "t"))
	require.False(t, add.Has("size"))
}

func TestParseRefuses(t *testing.T) {
	for text, why := range map[string]string{
		"new scene=a\n":             "the first line must say",
		"# from: x\n":               "no scene",
		"# from: x\nadd\n":          "line 2: a scene starts with new",
		"# from: x\nnew\n-> what\n": "line 3: nothing happens",
		"# from: x\nnew\nadd ->\n":  "line 3: nothing stands behind the arrow",
		"# from: x\nnew t=1 t=1\n":  "line 2: argument t: it stands there twice",
	} {
		_, err := Parse(text)
		require.ErrorContains(t, err, why, "%q", text)
	}
}

// An argument that no player asks for is a slip, and is named with those that there are.
func TestUnreadArguments(t *testing.T) {
	scenes, err := Parse("# from: here\n\nnew scene=a\nadd t=1s latenes=3s -> done\n")
	require.NoError(t, err)
	require.NoError(t, scenes[0][0].Unread(), "the scene's name is everyone's")
	s := scenes[0][1]
	s.At(t, "t")
	require.False(t, s.Has("lateness"))
	require.EqualError(t, s.at("x.txt", s.Unread()), "x.txt: line 4: argument latenes: add has none of that name, only t, lateness")
	require.Equal(t, "3s", s.Arg("latenes"))
	require.NoError(t, s.at("x.txt", s.Unread()))
}

// recorded is someone with a trace.
type recorded []stream.Step

func (r recorded) Trace() []stream.Step { return r }

// A step that goes wrong shows the trace of its key, or, where nothing is recorded, the lines before.
func TestMismatchTellsOfTheStepsKey(t *testing.T) {
	scenes, err := Parse("# from: here\n\nnew scene=a\n# a start is remembered\nstarted id=r-1 t=5s -> (1 open)\n")
	require.NoError(t, err)
	s := scenes[0][1]
	all := recorded{{Kind: stream.StateSet, Key: "r-1"}}
	f := s.mismatch("testdata/x.txt", "a start", Outcome{Got: "(0 open)", Before: "nothing", Watermark: "3s", Of: all}, []string{"new scene=a"})
	require.Equal(t, suite.Failure{
		Says: "at line 5 of testdata/x.txt (a start) something else comes out: a start is remembered", Input: "started id=r-1 t=5s -> (1 open)",
		State: "nothing", Watermark: "3s", Got: "(0 open)", Want: "(1 open)", Of: all, Key: "r-1",
	}, f)
	f = s.mismatch("testdata/x.txt", "a start", Outcome{Got: "(0 open)"}, []string{"new scene=a"})
	require.Equal(t, []string{"new scene=a"}, f.Trace)
}

func TestClock(t *testing.T) {
	for want, at := range map[string]stream.Time{
		"none": stream.NoTime, "end": stream.MaxTime, "0s": 0, "-5ms": -5, "999ms": 999, "1s": 1000,
		"300s": 300_000, "-1.5s": -1500, "9223372036854775806ms": stream.MaxTime - 1,
	} {
		require.Equal(t, want, Clock(at))
	}
}

func TestPlay(t *testing.T) {
	var did []string
	Play(t, "testdata/example.txt", func(_ *testing.T, head Step) func(Step) Outcome {
		return func(s Step) Outcome {
			did = append(did, head.Arg("scene")+"/"+s.Verb)
			return Outcome{Got: s.Verb + " " + s.Arg("n")}
		}
	})
	require.Equal(t, []string{"one/say", "one/think", "two/say"}, did)
}

// TestBrokenPlay fails on purpose, as a child of the test below: the part fails in the second scene.
func TestBrokenPlay(t *testing.T) {
	if os.Getenv("TIMELINE_BROKEN") == "" {
		t.Skip("runs only as a child of another test")
	}
	suite.Exercise(t, "9a", func(t *testing.T) {
		Play(t, "testdata/example.txt", func(t *testing.T, head Step) func(Step) Outcome {
			return func(s Step) Outcome {
				if head.Arg("scene") == "two" {
					require.FailNow(t, "the part is broken")
				}
				return Outcome{Got: s.Verb + " " + s.Arg("n")}
			}
		})
	})
}

func TestAPartThatFailsShowsTheLineThatWasPlayed(t *testing.T) {
	cmd := exec.Command(os.Args[0], "-test.run=^TestBrokenPlay$")
	cmd.Env = append(os.Environ(), "TIMELINE_BROKEN=1")
	out, err := cmd.CombinedOutput()
	require.Error(t, err)
	require.Contains(t, string(out), "the part is broken")
	require.Contains(t, string(out), "scene      internal/kit/timeline/testdata/example.txt:9 (two)\n")
	require.Contains(t, string(out), "input      say n=3")
}
