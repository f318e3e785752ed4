package lab04_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"gatewaymeter/internal/kit/suite"
	windows "gatewaymeter/labs/04-windows/starter"
	"gatewaymeter/stream"
)

func newSession(t *testing.T, gap time.Duration) windows.Assigner {
	t.Helper()
	a, err := windows.NewSession(gap)
	suite.NoError(t, err, fmt.Sprintf("sessions with a gap of %v can be made", gap))
	return a
}

// Test4g: Sessions that merge (45 min, optional)
func Test4g(t *testing.T) {
	suite.Exercise(t, "4g", func(t *testing.T) {
		suite.Sub(t, "an element alone is a session of one gap", func(t *testing.T) {
			assigns(t, newSession(t, 10*unit), 5, "the session of one element lasts a gap", stream.Window{Start: 5, End: 15})
			assigns(t, newSession(t, 10*unit), -5, "the session of one element lasts a gap", stream.Window{Start: -5, End: 5})
			needsTime(t, newSession(t, 10*unit))
			for _, gap := range []time.Duration{0, -unit, 1500 * time.Microsecond} {
				_, err := windows.NewSession(gap)
				refuses(t, fmt.Sprintf("NewSession(%v)", gap), err, "gap")
			}
			reusesSlice(t, newSession(t, 10*unit))
		})
		suite.Sub(t, "which windows a new one meets", testAbsorb)
		suite.Sub(t, "any windows, in any order", testAbsorbAny)
		play(t, "sessions.txt", given)
	})
}

func testAbsorb(t *testing.T) {
	type ws = []stream.Window
	set := ws{{Start: 0, End: 10}, {Start: 20, End: 30}, {Start: 40, End: 50}}
	for _, c := range []struct {
		name  string
		w     stream.Window
		cover stream.Window
		parts ws
	}{
		{"meets none", stream.Window{Start: 12, End: 18}, stream.Window{Start: 12, End: 18}, nil},
		{"overlaps one", stream.Window{Start: 5, End: 15}, stream.Window{Start: 0, End: 15}, ws{set[0]}},
		{"touches one: events exactly a gap apart are one session (FLINK-15841)", stream.Window{Start: 10, End: 15}, stream.Window{Start: 0, End: 15}, ws{set[0]}},
		{"is a millisecond away", stream.Window{Start: 11, End: 15}, stream.Window{Start: 11, End: 15}, nil},
		{"lies inside one (FLINK-4589)", stream.Window{Start: 22, End: 28}, set[1], ws{set[1]}},
		{"covers one (FLINK-4589)", stream.Window{Start: 18, End: 33}, stream.Window{Start: 18, End: 33}, ws{set[1]}},
		{"bridges two", stream.Window{Start: 10, End: 20}, stream.Window{Start: 0, End: 30}, ws{set[0], set[1]}},
		{"covers all", stream.Window{Start: -5, End: 60}, stream.Window{Start: -5, End: 60}, set},
	} {
		before, last := slices.Clone(set), stream.Window{Start: 100, End: 110}
		cover, parts := windows.Absorb(set, c.w, ws{last})
		f := suite.Failure{Says: "a window that " + c.name, Input: fmt.Sprintf("%s beside %s", show(ws{c.w}), show(set))}
		suite.Equal(t, before, set, suite.Failure{Says: "Absorb changed the set that it was given", Input: f.Input})
		if len(parts) == 0 || parts[0] != last {
			f.Says, f.Got = "Absorb must append to parts, as append does: what stood in it is gone", "parts "+show(parts)
			suite.Wrong(t, f)
		}
		parts = parts[1:]
		if cover != c.cover || !slices.Equal(parts, c.parts) {
			f.Got = fmt.Sprintf("cover %s, parts %s", show(ws{cover}), show(parts))
			f.Want = fmt.Sprintf("cover %s, parts %s", show(ws{c.cover}), show(c.parts))
			suite.Wrong(t, f)
		}
	}
}

// testAbsorbAny compares with a picture: windows painted on a line of milliseconds.
func testAbsorbAny(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	for range 300 {
		var came, set []stream.Window
		painted := map[stream.Time]bool{}
		for range 1 + r.IntN(12) {
			start := stream.Time(r.IntN(60))
			w := stream.Window{Start: start, End: start + 1 + stream.Time(r.IntN(8))}
			came = append(came, w)
			cover, parts := windows.Absorb(set, w, nil)
			set = slices.DeleteFunc(set, func(o stream.Window) bool { return slices.Contains(parts, o) })
			set = append(set, cover)
			for p := 2 * w.Start; p <= 2*w.End; p++ { // half milliseconds, so that touching shows
				painted[p] = true
			}
		}
		slices.SortFunc(set, stream.Window.Compare)
		var want []stream.Window
		for p := stream.Time(0); p < 200; p++ {
			if painted[p] && !painted[p-1] {
				want = append(want, stream.Window{Start: p / 2})
			}
			if painted[p] && !painted[p+1] {
				want[len(want)-1].End = p / 2
			}
		}
		suite.Equal(t, show(want), show(set), suite.Failure{
			Says: "the windows that are left are not the ones that the elements cover", Input: "one after the other: " + show(came),
		})
	}
}
