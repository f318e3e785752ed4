package lab04_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"gatewaymeter/internal/kit/suite"
	ours "gatewaymeter/labs/04-windows/solution"
	windows "gatewaymeter/labs/04-windows/starter"
	"gatewaymeter/stream"
)

func newSession(t *testing.T, gap time.Duration) windows.Assigner {
	t.Helper()
	a, err := windows.NewSession(gap)
	suite.NoError(t, err, fmt.Sprintf("sessions with a gap of %v can be made", gap))
	return a
}

// session is our assigner.
func session(t *testing.T, gap time.Duration) windows.Assigner {
	t.Helper()
	a, err := ours.NewSession(gap)
	suite.Harness(t, err)
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
		suite.Sub(t, "on the operator", testSessions)
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
		before := slices.Clone(set)
		cover, parts := windows.Absorb(set, c.w, nil)
		f := suite.Failure{Says: "a window that " + c.name, Input: fmt.Sprintf("%s beside %s", show(ws{c.w}), show(set))}
		suite.Equal(t, before, set, suite.Failure{Says: "Absorb changed the set that it was given", Input: f.Input})
		if cover != c.cover || !slices.Equal(parts, c.parts) {
			f.Got = fmt.Sprintf("cover %s, parts %s", show(ws{cover}), show(parts))
			f.Want = fmt.Sprintf("cover %s, parts %s", show(ws{c.cover}), show(c.parts))
			suite.Wrong(t, f)
		}
	}
}

// testAbsorbAny compares with a picture: windows painted on a line of milliseconds.
func testAbsorbAny(t *testing.T) {
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 4))
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
			Says: "the windows that are left are not the ones that the elements cover", Input: fmt.Sprintf("one after the other: %s (seed %d)", show(came), seed),
		})
	}
}

func testSessions(t *testing.T) {
	of := func(t *testing.T, lateness time.Duration) set {
		return set{assigner: session(t, 10*unit), retention: ours.Allowed(lateness)}
	}
	suite.Sub(t, "a session grows with its elements", func(t *testing.T) {
		play(t, of(t, 0),
			add("k", "a", 0).leaves(1, 1),
			add("k", "b", 7).leaves(1, 1).or("the elements @0ms and @7ms are one session: one window, and the timer of the shorter one must go"),
			add("l", "x", 8).leaves(2, 2),
			mark(15),
			mark(16).gives("k [0ms, 17ms) <ab> @16ms").leaves(1, 1),
			mark(17).gives("l [8ms, 18ms) <x> @17ms").leaves(0, 0),
		)
	})
	suite.Sub(t, "exactly a gap apart (FLINK-15841)", func(t *testing.T) {
		play(t, of(t, 0),
			add("k", "a", 0), add("k", "b", 10).leaves(1, 1), add("k", "c", 21).leaves(2, 2),
			mark(100).gives("k [0ms, 20ms) <ab> @19ms", "k [21ms, 31ms) <c> @30ms").leaves(0, 0),
		)
	})
	suite.Sub(t, "an element between two sessions makes them one", func(t *testing.T) {
		play(t, of(t, 0),
			add("k", "a", 0), add("k", "b", 14).leaves(2, 2),
			add("k", "c", 7).leaves(1, 1).or("three elements are one session: nothing of the two that it was made of may be left"),
			mark(23).gives("k [0ms, 24ms) <abc> @23ms").or("the accumulators must be merged in the order of their windows, and the element added last").leaves(0, 0),
		)
	})
	suite.Sub(t, "an element inside a session changes nothing but its content (FLINK-4589)", func(t *testing.T) {
		play(t, of(t, 5*unit),
			add("k", "a", 0), add("k", "b", 9).leaves(1, 2),
			add("k", "c", 5).leaves(1, 2).or("the session covers the element's window: its state and its timers stay"),
			mark(18).gives("k [0ms, 19ms) <abc> @18ms").leaves(1, 1),
			mark(23).leaves(0, 0),
		)
	})
	suite.Sub(t, "merging takes the cleanup timers along", func(t *testing.T) {
		play(t, of(t, 20*unit),
			add("k", "a", 0).leaves(1, 2), add("k", "b", 14).leaves(2, 4),
			add("k", "c", 7).leaves(1, 2).or("two timers a window: those of the merged windows must go, or they clean up what is no longer theirs"),
			mark(23).gives("k [0ms, 24ms) <abc> @23ms"),
			mark(29).leaves(1, 1),
			mark(43).leaves(0, 0),
		)
	})
	suite.Sub(t, "a late merge fires once (FLINK-9201)", func(t *testing.T) {
		play(t, of(t, 30*unit),
			add("k", "a", 0), add("k", "b", 20),
			mark(29).gives("k [0ms, 10ms) <a> @9ms", "k [20ms, 30ms) <b> @29ms"),
			add("k", "c", 10).gives("k [0ms, 30ms) <abc> @29ms").or("the merged session is over already: it fires at once, over all of its elements").leaves(1, 1),
			mark(30).or("and it must not fire a second time: no timer at or below the watermark may be set by merging"),
			mark(59).leaves(0, 0),
		)
	})
	suite.Sub(t, "a session that has fired comes to life again", func(t *testing.T) {
		play(t, of(t, 20*unit),
			add("k", "a", 0),
			mark(9).gives("k [0ms, 10ms) <a> @9ms"),
			add("k", "b", 5).leaves(1, 2).or("the session now ends at 15ms, ahead of the watermark: it needs a timer again"),
			mark(14).gives("k [0ms, 15ms) <ab> @14ms").leaves(1, 1),
			mark(34).leaves(0, 0),
		)
	})
	suite.Sub(t, "an old element is not late if it joins a session that is still there", func(t *testing.T) {
		play(t, of(t, 0),
			add("k", "a", 20),
			mark(19),
			add("k", "b", 5).gives("late: b of key k @5ms").or("alone, its session [5ms, 15ms) is over: the element is late, and leaves nothing").leaves(1, 1),
			add("k", "c", 10).or("its session touches the one @20ms, which is still open").leaves(1, 1),
			mark(29).gives("k [10ms, 30ms) <ac> @29ms").leaves(0, 0),
		)
	})
}
