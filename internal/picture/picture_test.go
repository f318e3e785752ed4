package picture

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gatewaymeter/internal/picture/scene"
	"gatewaymeter/stream"
)

// root is the repository's folder, from here.
const root = "../.."

// played is every scene of the docs, played.
func played(t *testing.T) []*scene.Scene {
	t.Helper()
	all, err := scene.ReadAll(filepath.Join(root, Dir))
	require.NoError(t, err)
	for _, s := range all {
		require.NoError(t, s.Play())
	}
	return all
}

// named is one scene, played.
func named(t *testing.T, name string) *scene.Scene {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(root, Dir, name+".txt"))
	require.NoError(t, err)
	s, err := scene.Parse(name, string(content))
	require.NoError(t, err)
	require.NoError(t, s.Play())
	return s
}

func TestPicturesAreUpToDate(t *testing.T) {
	files, err := Files(root)
	require.NoError(t, err)
	for _, f := range Stale(root, files) {
		t.Errorf("%s is not what the engine does now: look at what has changed, and if it is right run `go tool lab docs pictures`", f.Path)
	}
	scripts, err := filepath.Glob(filepath.Join(root, Dir, "*.txt"))
	require.NoError(t, err)
	drawn, err := filepath.Glob(filepath.Join(root, Dir, "*.svg"))
	require.NoError(t, err)
	require.Len(t, drawn, len(scripts), "every picture has a script, and every script a picture")
}

// caption is a picture in a page: its words for those who cannot see it, its file, and below it how it
// was drawn.
var caption = regexp.MustCompile(`(?m)^!\[([^\]]+)\]\(pictures/([\w-]+)\.svg\)\n\n\*.+ Drawn by ` + "`go tool lab docs pictures`" + ` from the trace of \[pictures/([\w-]+)\.txt\]`)

func TestEveryPictureIsInItsChapter(t *testing.T) {
	pages, err := filepath.Glob(filepath.Join(root, "docs", "[0-9]*.md"))
	require.NoError(t, err)
	shown := map[string]string{}
	for _, p := range pages {
		text, err := os.ReadFile(p)
		require.NoError(t, err)
		for _, m := range caption.FindAllStringSubmatch(string(text), -1) {
			require.Equal(t, m[2], m[3], "%s: the caption names another script", p)
			shown[m[2]] = filepath.Base(p)
		}
		require.Len(t, caption.FindAllString(string(text), -1), strings.Count(string(text), ".svg)"),
			"%s: a picture needs an alternative text, and a caption that says how it was drawn", p)
	}
	for _, s := range played(t) {
		require.Equal(t, s.Name[:2], shown[s.Name][:min(2, len(shown[s.Name]))], "%s is in no chapter of its number", s.Name)
	}
}

func TestNoLabelStandsOverAnother(t *testing.T) {
	for _, s := range played(t) {
		c, err := lay(s)
		require.NoError(t, err)
		require.Empty(t, c.overlaps(), s.Name)
	}
}

// TestPicturesArePlainSVG reads every element: well-formed, of the few kinds that are needed, nothing
// fetched, and with words for those who cannot see it.
func TestPicturesArePlainSVG(t *testing.T) {
	allowed := map[string]bool{"svg": true, "title": true, "desc": true, "style": true, "rect": true, "text": true, "circle": true, "path": true}
	for _, s := range played(t) {
		svg, err := Draw(s)
		require.NoError(t, err)
		require.Contains(t, string(svg), `viewBox="0 0 720 `)
		require.Contains(t, string(svg), `role="img" aria-labelledby="title desc"`)
		require.Contains(t, string(svg), "prefers-color-scheme:dark")
		require.NotContains(t, strings.Replace(string(svg), "http://www.w3.org/2000/svg", "", 1), "//", s.Name)
		for d := xml.NewDecoder(strings.NewReader(string(svg))); ; {
			token, err := d.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			require.NoError(t, err, s.Name)
			if e, ok := token.(xml.StartElement); ok {
				require.True(t, allowed[e.Name.Local], "%s has an element %s", s.Name, e.Name.Local)
			}
		}
	}
}

// TestPicturesAreTheSameEachTime plays and draws twice: nothing hangs on a map's order or on the clock.
func TestPicturesAreTheSameEachTime(t *testing.T) {
	first, err := Files(root)
	require.NoError(t, err)
	again, err := Files(root)
	require.NoError(t, err)
	for i, f := range again {
		require.Equal(t, string(first[i].Content), string(f.Content), f.Path)
	}
}

// What the pictures of lateness say is what lab 04 says.
func TestABoardSaysWhatTheTraceSays(t *testing.T) {
	b := fold(named(t, "04-lateness"), "acme")
	require.Equal(t, "fires: a b", strings.Join(b.told[4], "; "))
	require.Equal(t, "fires again: a b d", strings.Join(b.told[5], "; "))
	require.Equal(t, "[0s, 60s) gone", strings.Join(b.told[8], "; "))
	require.Equal(t, "too late: late output", strings.Join(b.told[9], "; "))
	require.True(t, b.dots[len(b.dots)-1].late)
	require.Len(t, b.boxes, 2)
	require.Equal(t, "0 to 8", fmt.Sprintf("%d to %d", b.boxes[0].from, b.boxes[0].to), "state, from its first element to its cleanup")
	require.Empty(t, fold(named(t, "04-lateness"), "another").dots, "a key's picture has that key only")
}

// TestEveryKindOfStepIsInSomeTrace: what a trace can tell, some picture's does.
func TestEveryKindOfStepIsInSomeTrace(t *testing.T) {
	seen := map[stream.StepKind]bool{}
	for _, s := range played(t) {
		for _, step := range s.Whole().Steps {
			seen[step.Kind] = true
		}
	}
	for kind := stream.ElementIn; kind <= stream.ChannelSeen; kind++ {
		require.True(t, seen[kind], "no script has a step of kind %q", kind)
	}
}

func TestSessionsMergeOnABoard(t *testing.T) {
	b := fold(named(t, "04-sessions"), "")
	require.Len(t, b.boxes, 4)
	require.Equal(t, []bool{true, true, false, false}, []bool{b.boxes[0].merged, b.boxes[1].merged, b.boxes[2].merged, b.boxes[3].merged})
}

func TestTimersOnABoard(t *testing.T) {
	b := fold(named(t, "06-timers"), "")
	require.Len(t, b.timers, 3)
	var how []string
	for _, l := range b.timers {
		how = append(how, l.key+" "+l.how.String())
	}
	require.Equal(t, []string{"r-1 delete timer", "r-2 fire timer", "r-3 delete timer"}, how)
}

// After a crash, every record behind the checkpoint is read again, and none before it.
func TestAReplayBeginsAtTheCheckpoint(t *testing.T) {
	lives := livesOf(named(t, "07-replay"))
	require.Len(t, lives, 2)
	for partition, next := range lives[0].next {
		for _, e := range lives[1].read {
			require.False(t, e.partition == partition && e.offset < next, "%s was read again", e.id)
		}
	}
	told := map[string]int{}
	for i, l := range append(lives[0].lines[lives[0].saved:], lives[1].lines...) {
		told[l.RequestID]++
		require.NotEmpty(t, l.RequestID, i)
	}
	twice := 0
	for _, n := range told {
		if n == 2 {
			twice++
		}
	}
	require.Equal(t, len(lives[0].lines)-lives[0].saved, twice, "what was written behind the checkpoint is written again")
}

func TestOverlapsAreSeen(t *testing.T) {
	c := &canvas{height: 100}
	c.text(20, 40, start, "", "one label")
	c.text(20, 80, start, "", "another")
	require.Empty(t, c.overlaps())
	c.text(50, 42, middle, "", "a third")
	require.Equal(t, `"a third" stands over "one label"`, c.overlaps())
	c = &canvas{height: 100}
	c.text(width-20, 40, start, "", "too far right")
	require.Contains(t, c.overlaps(), "leaves the picture")
}

func TestUnknownKindsAreRefused(t *testing.T) {
	s, err := scene.Parse("x", "# from: our own engine\n# title: T\n# desc: D\n# draw: watercolour\n\nwindow size=1m\n----\n")
	require.NoError(t, err)
	_, err = Draw(s)
	require.ErrorContains(t, err, `x.txt: there is no kind of picture "watercolour"`)
	for draw, why := range map[string]string{"board": "needs from=", "lives state=open": "needs state=", "replay": "two lives"} {
		s, err := scene.Parse("x", "# from: our own engine\n# title: T\n# desc: D\n# draw: "+draw+"\n\nwindow size=1m\n----\n")
		require.NoError(t, err)
		_, err = Draw(s)
		require.ErrorContains(t, err, why)
	}
}

// A reader of a script is told of each step why it is there. The first only says what the scene is made of.
func TestEveryStepHasItsReason(t *testing.T) {
	all, err := scene.ReadAll(filepath.Join(root, Dir))
	require.NoError(t, err)
	for _, s := range all {
		for _, step := range s.Steps[1:] {
			require.NotEmpty(t, step.Note, "%s.txt:%d: %s: write above it, behind a #, what it shows", s.Name, step.Line, step.Text)
		}
	}
}
