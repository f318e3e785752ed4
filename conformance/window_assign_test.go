package conformance

import (
	"cmp"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	windows "gatewaymeter/labs/04-windows/solution"
	"gatewaymeter/stream"
)

// span is a window as the vectors write it.
type span [2]int64

func (s span) window() stream.Window {
	return stream.Window{Start: stream.Time(s[0]), End: stream.Time(s[1])}
}

func spans(ws []stream.Window) []span {
	out := make([]span, 0, len(ws))
	for _, w := range ws {
		out = append(out, span{int64(w.Start), int64(w.End)})
	}
	return out
}

// assignerSpec is an assigner's parameters; all of them in milliseconds.
type assignerSpec struct {
	Type   string `json:"type"`
	Size   int64  `json:"size"`
	Slide  int64  `json:"slide"`
	Offset int64  `json:"offset"`
	Gap    int64  `json:"gap"`
}

func (a assignerSpec) build(t *testing.T) (windows.Assigner, error) {
	t.Helper()
	ms := func(n int64) time.Duration { return time.Duration(n) * time.Millisecond }
	switch a.Type {
	case "tumbling":
		return windows.NewTumbling(ms(a.Size), ms(a.Offset))
	case "sliding":
		return windows.NewSliding(ms(a.Size), ms(a.Slide), ms(a.Offset))
	case "session":
		return windows.NewSession(ms(a.Gap))
	}
	t.Fatalf("unknown assigner %q", a.Type)
	return nil, nil
}

type assignCase struct {
	Kind       string `json:"kind"`
	Size       int64  `json:"size"`
	Slide      int64  `json:"slide"`
	Offset     int64  `json:"offset"`
	Gap        int64  `json:"gap"`
	TS         int64  `json:"ts"`
	Windows    []span `json:"windows"`
	WindowsIn  []span `json:"windows_in"`
	WindowsOut []span `json:"windows_out"`
	Error      string `json:"error"`
	ErrorIn    string `json:"error_in"`
}

// TestWindowAssign: the assigners, and the merging of sessions.
func TestWindowAssign(t *testing.T) {
	Each(t, "window_assign.jsonl", func(t *testing.T, line int, c assignCase) {
		if c.Kind == "merge" {
			sameWindows(t, line, c, c.WindowsOut, mergeAll(c.WindowsIn))
			return
		}
		a, err := assignerSpec{c.Kind, c.Size, c.Slide, c.Offset, c.Gap}.build(t)
		if c.ErrorIn == "constructor" {
			require.Error(t, err, "line %d: %+v", line, c)
			return
		}
		require.NoError(t, err, "line %d: %+v", line, c)
		ws, err := a.Assign(nil, stream.Time(c.TS))
		if c.ErrorIn == "assign" {
			require.Error(t, err, "line %d: %+v", line, c)
			return
		}
		require.Empty(t, c.Error, "line %d: a case with an error must say where", line)
		require.NoError(t, err, "line %d: %+v", line, c)
		sameWindows(t, line, c, c.Windows, ws)
	})
}

// sameWindows takes a list that is absent for an empty one.
func sameWindows(t *testing.T, line int, c assignCase, want []span, got []stream.Window) {
	require.True(t, slices.Equal(want, spans(got)), "line %d: %+v\ngot  %v\nwant %v", line, c, spans(got), want)
}

// mergeAll merges windows that come one after the other, as the operator does.
func mergeAll(in []span) []stream.Window {
	var set []stream.Window
	for _, s := range in {
		cover, parts := windows.Absorb(set, s.window(), nil)
		set = slices.DeleteFunc(set, func(w stream.Window) bool { return slices.Contains(parts, w) })
		set = append(set, cover)
	}
	slices.SortFunc(set, func(a, b stream.Window) int { return cmp.Compare(a.Start, b.Start) })
	return set
}
