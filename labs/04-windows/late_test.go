package lab04_test

import (
	"fmt"
	"testing"
	"time"

	"gatewaymeter/internal/kit/suite"
	windows "gatewaymeter/labs/04-windows/starter"
	"gatewaymeter/stream"
)

// Test4f: Allowed lateness, late output, dropped counter (35 min)
func Test4f(t *testing.T) {
	suite.Exercise(t, "4f", func(t *testing.T) {
		suite.Sub(t, "when a window is late", func(t *testing.T) {
			w := stream.Window{Start: 0, End: 10}
			for _, c := range []struct {
				lateness  time.Duration
				watermark stream.Time
				want      bool
			}{{0, stream.NoTime, false}, {0, 8, false}, {0, 9, true}, {5 * unit, 9, false}, {5 * unit, 13, false}, {5 * unit, 14, true}, {5 * unit, stream.MaxTime, true}} {
				suite.Equal(t, c.want, windows.Allowed(c.lateness).WindowLate(w, c.watermark), suite.Failure{
					Says:  "a window is late from the watermark on that equals its cleanup time: at that one, its state goes",
					Input: fmt.Sprintf("window [0ms, 10ms), lateness %v, watermark %s", c.lateness, ms(c.watermark)),
				})
			}
		})
		suite.Sub(t, "when an element is late", func(t *testing.T) {
			for _, c := range []struct {
				lateness      time.Duration
				at, watermark stream.Time
				want          bool
			}{{0, 5, 4, false}, {0, 5, 5, true}, {3 * unit, 5, 7, false}, {3 * unit, 5, 8, true}, {0, 5, stream.NoTime, false}, {time.Hour, stream.MaxTime - 1, 100, false}} {
				suite.Equal(t, c.want, windows.Allowed(c.lateness).ElementLate(c.at, c.watermark), suite.Failure{
					Says:  "an element is late if its own time plus the lateness is at or below the watermark",
					Input: fmt.Sprintf("element @%s, lateness %v, watermark %s", ms(c.at), c.lateness, ms(c.watermark)),
				})
			}
		})
		suite.Sub(t, "within the lateness a record corrects the bill, after it goes to the late output", func(t *testing.T) {
			play(t, set{assigner: tumbling(t, 10*unit), retention: windows.Allowed(5 * unit)},
				add("k", "a", 5),
				mark(9).gives("k [0ms, 10ms) <a> @9ms"),
				mark(13),
				add("k", "b", 6).gives("k [0ms, 10ms) <ab> @9ms").or("the window is kept until 14ms: this element corrects it"),
				mark(14).leaves(0, 0),
				add("k", "c", 7).gives("late: c of key k @7ms").or("the window is gone, so the element is late: it must go to the side output with its own time. A new window for it would overwrite the bill with this one element").leaves(0, 0),
				mark(15),
			)
		})
		suite.Sub(t, "late is counted, with and without an output", func(t *testing.T) {
			for _, c := range []struct {
				noSide        bool
				late, dropped int64
			}{{false, 2, 0}, {true, 0, 2}} {
				h := newHarness(t, set{assigner: tumbling(t, 10*unit), retention: windows.Allowed(0), noSide: c.noSide})
				h.ProcessWatermark(20)
				h.ProcessElement(letter{"k", "a"}, 5)
				h.ProcessElement(letter{"k", "b"}, 19)
				h.ProcessElement(letter{"k", "c"}, 25)
				suite.Equal(t, [2]int64{c.late, c.dropped}, [2]int64{h.Counter(windows.CountLate), h.Counter(windows.CountDropped)}, suite.Failure{
					Says:  "a late element counts as late if it went to the side output, and as dropped if there is none",
					Input: fmt.Sprintf("watermark 20ms, elements @5ms, @19ms and @25ms, side output: %v (counters: late, dropped)", !c.noSide),
				})
			}
		})
		suite.Sub(t, "refused by one window, taken by another", func(t *testing.T) {
			play(t, set{assigner: sliding(t, 10*unit, 5*unit), retention: windows.Allowed(0)},
				mark(9),
				add("k", "a", 7).leaves(1, 1).or("an element that one of its windows still takes is not late, and must not enter the window that is gone"),
				mark(14).gives("k [5ms, 15ms) <a> @14ms").leaves(0, 0),
				add("k", "b", 7).gives("late: b of key k @7ms").or("now no window takes it, and it is late, once"),
			)
		})
		suite.Sub(t, "in a gap between windows", func(t *testing.T) {
			play(t, set{assigner: sliding(t, 2*unit, 5*unit), retention: windows.Allowed(3 * unit)},
				mark(10),
				add("k", "a", 8).or("an element that has no window is not late while its time plus the lateness is above the watermark: it belongs nowhere, and goes"),
				mark(11),
				add("k", "b", 8).gives("late: b of key k @8ms").or("8ms plus a lateness of 3ms is at the watermark 11ms: the element is late, window or not"),
			)
		})
		suite.Sub(t, "at the end of time a record is not lost", func(t *testing.T) {
			play(t, set{assigner: tumbling(t, 10*unit), retention: windows.Allowed(0)},
				mark(100),
				add("k", "a", stream.MaxTime).gives("late: a of key k @end").or("the window of the last instant wraps around and is late at once; its element must go to the late output, not vanish"),
			)
		})
		suite.Sub(t, "a window that cannot be cleaned up is never late", func(t *testing.T) {
			at := stream.MaxTime - 1500
			end := at - at%1000 + 1000
			line := func(spells string) string {
				return fmt.Sprintf("k [%s, %s) <%s> @%s", ms(end-1000), ms(end), spells, ms(end-1))
			}
			play(t, set{assigner: tumbling(t, time.Second), retention: windows.Allowed(2 * time.Second)},
				add("k", "a", at).leaves(1, 1),
				mark(stream.MaxTime-1).gives(line("a")).leaves(1, 0),
				add("k", "b", at).gives(line("ab")).or("the cleanup time is past the end of time, so the window is still there and takes the element"),
			)
		})
		suite.Sub(t, "after a restore, time starts anew", func(t *testing.T) {
			s := set{assigner: tumbling(t, 10*unit), retention: windows.Allowed(5 * unit)}
			play(t, s,
				add("k", "a", 5),
				mark(9).gives("k [0ms, 10ms) <a> @9ms"),
				restart(t, s).leaves(1, 1),
				add("k", "b", 6).leaves(1, 2).or("watermarks are not in a snapshot: the window, which had fired, is open again and needs a timer to fire"),
				mark(9).gives("k [0ms, 10ms) <ab> @9ms").or("the window must fire again when the watermark has come so far a second time"),
				mark(14).leaves(0, 0),
			)
		})
	})
}
