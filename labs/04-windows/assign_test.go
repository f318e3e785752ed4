package lab04_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"gatewaymeter/internal/kit/suite"
	"gatewaymeter/internal/kit/timeline"
	windows "gatewaymeter/labs/04-windows/starter"
	"gatewaymeter/stream"
)

// assigned is the windows of an element at that time, which the assigner must find.
func assigned(t *testing.T, a windows.Assigner, at stream.Time) []stream.Window {
	t.Helper()
	ws, err := a.Assign(nil, at)
	suite.NoError(t, err, fmt.Sprintf("%v: the element @%s has windows", a, timeline.Clock(at)))
	return ws
}

// assigns is a check of one element.
func assigns(t *testing.T, a windows.Assigner, at stream.Time, says string, want ...stream.Window) {
	t.Helper()
	got := assigned(t, a, at)
	if !slices.Equal(got, want) {
		suite.Wrong(t, suite.Failure{Says: says, Input: fmt.Sprintf("%v, an element @%s", a, timeline.Clock(at)), Got: show(got), Want: show(want)})
	}
}

func show(ws []stream.Window) string {
	if len(ws) == 0 {
		return "no window"
	}
	var all []string
	for _, w := range ws {
		all = append(all, span(w))
	}
	return strings.Join(all, " ")
}

// refuses is a check that an assigner cannot be made, and that the error names what is wrong.
func refuses(t *testing.T, what string, err error, names ...string) {
	t.Helper()
	if err == nil {
		suite.Wrong(t, suite.Failure{Says: "an assigner that makes no sense is not refused", Input: what, Got: "no error", Want: "an error"})
	}
	for _, name := range names {
		if !strings.Contains(err.Error(), name) {
			suite.Wrong(t, suite.Failure{Says: "the error does not say what is wrong", Input: what, Got: err.Error(), Want: "an error that mentions " + name})
		}
	}
}

// needsTime is a check that an element without a timestamp is refused.
func needsTime(t *testing.T, a windows.Assigner) {
	t.Helper()
	if ws, err := a.Assign(nil, stream.NoTime); err == nil {
		suite.Wrong(t, suite.Failure{
			Says:  "an element without a timestamp is put into a window; it is the earliest time there is, so it would be billed in no minute that anybody looks at",
			Input: fmt.Sprintf("%v, an element @none", a), Got: show(ws), Want: "an error",
		})
	}
}

// reusesSlice is a check that what stood in the slice stays there, and that nothing is allocated.
func reusesSlice(t *testing.T, a windows.Assigner) {
	t.Helper()
	first := stream.Window{Start: 1, End: 2}
	got, err := a.Assign([]stream.Window{first}, 5)
	suite.NoError(t, err, "the element @5ms has windows")
	suite.Equal(t, append([]stream.Window{first}, assigned(t, a, 5)...), got, suite.Failure{
		Says: "Assign does not append to the slice that it is given", Input: fmt.Sprintf("%v, a slice with one window in it", a),
	})
	room := make([]stream.Window, 0, 100)
	if n := testing.AllocsPerRun(100, func() { room, _ = a.Assign(room[:0], 5) }); n > 0 {
		suite.Wrong(t, suite.Failure{
			Says: "Assign allocates, although the slice has room: it runs for every record of the job", Input: a.String(),
			Got: fmt.Sprintf("%v allocations an element", n), Want: "0",
		})
	}
}

func newTumbling(t *testing.T, size, offset time.Duration) windows.Assigner {
	t.Helper()
	a, err := windows.NewTumbling(size, offset)
	suite.NoError(t, err, fmt.Sprintf("tumbling windows of %v with offset %v can be made", size, offset))
	return a
}

// Test4a: Tumbling assigner: offsets, negative time (20 min)
func Test4a(t *testing.T) {
	suite.Exercise(t, "4a", func(t *testing.T) {
		suite.Sub(t, "an element is in the window that it falls into", func(t *testing.T) {
			a := newTumbling(t, 10*unit, 0)
			assigns(t, a, 15, "the window does not hold the element", stream.Window{Start: 10, End: 20})
			assigns(t, a, 10, "a window's start belongs to it", stream.Window{Start: 10, End: 20})
			assigns(t, a, 19, "a window's last instant is its end minus 1 ms", stream.Window{Start: 10, End: 20})
			assigns(t, a, 20, "a window's end belongs to the next window", stream.Window{Start: 20, End: 30})
		})
		suite.Sub(t, "time before the epoch (FLINK-26334)", func(t *testing.T) {
			a := newTumbling(t, 10*unit, 0)
			says := "the window of a negative time does not hold it: % rounds towards zero"
			assigns(t, a, -1, says, stream.Window{Start: -10, End: 0})
			assigns(t, a, -10, says, stream.Window{Start: -10, End: 0})
			assigns(t, a, -11, says, stream.Window{Start: -20, End: -10})
			assigns(t, newTumbling(t, 10*unit, 3*unit), 2, says, stream.Window{Start: -7, End: 3})
		})
		suite.Sub(t, "offsets", func(t *testing.T) {
			says := "windows start at offset plus a multiple of the size"
			assigns(t, newTumbling(t, 10*unit, 4*unit), 3, says, stream.Window{Start: -6, End: 4})
			assigns(t, newTumbling(t, 10*unit, 4*unit), 4, says, stream.Window{Start: 4, End: 14})
			assigns(t, newTumbling(t, 10*unit, -4*unit), 5, says, stream.Window{Start: -4, End: 6})
			assigns(t, newTumbling(t, 10*unit, -4*unit), 6, says, stream.Window{Start: 6, End: 16})
			day := newTumbling(t, 24*time.Hour, -8*time.Hour)
			start := stream.Time(time.Date(2016, 8, 10, 16, 0, 0, 0, time.UTC).UnixMilli())
			assigns(t, day, start+1, "a day of a zone eight hours ahead of UTC starts at 16:00 UTC", stream.Window{Start: start, End: start.Add(24 * time.Hour)})
		})
		suite.Sub(t, "impossible sizes are refused with the reason", func(t *testing.T) {
			for _, c := range []struct {
				size, offset time.Duration
				names        string
			}{
				{0, 0, "size"}, {-10 * unit, 0, "size"},
				{10 * unit, 10 * unit, "offset"}, {10 * unit, -10 * unit, "offset"}, {10 * unit, 25 * unit, "offset"},
				{1500 * time.Microsecond, 0, "size"}, {10 * unit, 500 * time.Microsecond, "offset"},
			} {
				_, err := windows.NewTumbling(c.size, c.offset)
				refuses(t, fmt.Sprintf("NewTumbling(%v, %v)", c.size, c.offset), err, c.names)
			}
			newTumbling(t, 10*unit, 9*unit)
			newTumbling(t, 10*unit, -9*unit)
		})
		suite.Sub(t, "no timestamp, no window", func(t *testing.T) { needsTime(t, newTumbling(t, 10*unit, 0)) })
		suite.Sub(t, "the ends of time", func(t *testing.T) {
			a := newTumbling(t, 10*unit, 0)
			assigns(t, a, stream.MaxTime, "the end of the last window lies past the last instant there is, and wraps around, as in Flink",
				stream.Window{Start: math.MaxInt64 - 7, End: math.MinInt64 + 2})
			assigns(t, a, stream.NoTime+9, "a window near the earliest time does not hold its element",
				stream.Window{Start: math.MinInt64 + 8, End: math.MinInt64 + 18})
		})
		suite.Sub(t, "any size, offset and time", func(t *testing.T) {
			r := rand.New(rand.NewPCG(4, 4))
			for range 2000 {
				size := 1 + r.Int64N(1000)
				offset := r.Int64N(2*size-1) - size + 1
				at := r.Int64N(4_000_000) - 2_000_000
				a := newTumbling(t, time.Duration(size)*unit, time.Duration(offset)*unit)
				ws := assigned(t, a, stream.Time(at))
				if len(ws) != 1 || int64(ws[0].Start) > at || int64(ws[0].End) <= at || int64(ws[0].End-ws[0].Start) != size || (int64(ws[0].Start)-offset)%size != 0 {
					suite.Wrong(t, suite.Failure{
						Says:  "the window must hold the element, be of the size, and start at offset plus a multiple of it",
						Input: fmt.Sprintf("size %d, offset %d, an element @%dms", size, offset, at), Got: show(ws), Want: "one such window",
					})
				}
			}
		})
		suite.Sub(t, "nothing is allocated", func(t *testing.T) { reusesSlice(t, newTumbling(t, 10*unit, 0)) })
	})
}

func newSliding(t *testing.T, size, slide, offset time.Duration) windows.Assigner {
	t.Helper()
	a, err := windows.NewSliding(size, slide, offset)
	suite.NoError(t, err, fmt.Sprintf("sliding windows of %v every %v with offset %v can be made", size, slide, offset))
	return a
}

// Test4b: Sliding assigner (20 min)
func Test4b(t *testing.T) {
	suite.Exercise(t, "4b", func(t *testing.T) {
		suite.Sub(t, "an element is in every window that holds it, the latest first", func(t *testing.T) {
			a := newSliding(t, 10*unit, 5*unit, 0)
			assigns(t, a, 7, "size 10 and slide 5 are two windows an element, the latest first", stream.Window{Start: 5, End: 15}, stream.Window{Start: 0, End: 10})
			assigns(t, a, 10, "a window's end is not in it", stream.Window{Start: 10, End: 20}, stream.Window{Start: 5, End: 15})
			assigns(t, newSliding(t, 7*unit, 3*unit, 0), 6, "a size that is no multiple of the slide", stream.Window{Start: 6, End: 13}, stream.Window{Start: 3, End: 10}, stream.Window{Start: 0, End: 7})
			assigns(t, newSliding(t, 7*unit, 3*unit, 0), 8, "how many windows hold an element hangs on where it lies", stream.Window{Start: 6, End: 13}, stream.Window{Start: 3, End: 10})
		})
		suite.Sub(t, "time before the epoch, and offsets", func(t *testing.T) {
			assigns(t, newSliding(t, 10*unit, 5*unit, 0), -1, "before the epoch as after it: the windows that hold the element, and no other", stream.Window{Start: -5, End: 5}, stream.Window{Start: -10, End: 0})
			assigns(t, newSliding(t, 7*unit, 3*unit, 2*unit), 6, "an offset of 2 moves all windows by 2", stream.Window{Start: 5, End: 12}, stream.Window{Start: 2, End: 9})
			assigns(t, newSliding(t, 7*unit, 3*unit, -2*unit), 6, "an offset of -2 moves all windows back by 2", stream.Window{Start: 4, End: 11}, stream.Window{Start: 1, End: 8})
		})
		suite.Sub(t, "gaps between windows", func(t *testing.T) {
			a := newSliding(t, 2*unit, 5*unit, 0)
			assigns(t, a, 6, "size 2 every 5: 6 is in the window that starts at 5", stream.Window{Start: 5, End: 7})
			assigns(t, a, 8, "size 2 every 5: 8 lies in a gap, and a gap is no error")
		})
		suite.Sub(t, "impossible sizes are refused with the reason", func(t *testing.T) {
			for _, c := range []struct {
				size, slide, offset time.Duration
				names               string
			}{
				{0, 3 * unit, 0, "size"}, {-7 * unit, 3 * unit, 0, "size"}, {7 * unit, 0, 0, "slide"}, {7 * unit, -3 * unit, 0, "slide"},
				{7 * unit, 3 * unit, 3 * unit, "offset"}, {7 * unit, 3 * unit, -3 * unit, "offset"},
				{7 * unit, 1500 * time.Microsecond, 0, "slide"},
			} {
				_, err := windows.NewSliding(c.size, c.slide, c.offset)
				refuses(t, fmt.Sprintf("NewSliding(%v, %v, %v)", c.size, c.slide, c.offset), err, c.names)
			}
		})
		suite.Sub(t, "too many windows an element are refused (FLINK-37512)", func(t *testing.T) {
			_, err := windows.NewSliding(365*24*time.Hour, unit, 0)
			refuses(t, "NewSliding(a year, every millisecond): 31,536,000,000 windows an element", err, fmt.Sprint(windows.MaxOverlap))
			_, err = windows.NewSliding((windows.MaxOverlap+1)*unit, unit, 0)
			refuses(t, "NewSliding: MaxOverlap + 1 windows an element", err)
			_, err = windows.NewSliding((2*windows.MaxOverlap+1)*unit, 2*unit, 0)
			refuses(t, "NewSliding: a size of 2 * MaxOverlap + 1 ms and a slide of 2 ms, so MaxOverlap + 1 windows hold every second millisecond", err)
			_, err = windows.NewSliding(windows.MaxOverlap*unit, unit, 0)
			suite.NoError(t, err, "MaxOverlap windows an element are allowed")
			newSliding(t, 24*time.Hour, time.Second, 0)
		})
		suite.Sub(t, "no timestamp, no window", func(t *testing.T) { needsTime(t, newSliding(t, 10*unit, 5*unit, 0)) })
		suite.Sub(t, "the ends of time", func(t *testing.T) {
			a := newSliding(t, 10*unit, 5*unit, 0)
			for _, at := range []stream.Time{stream.NoTime + 4, stream.NoTime + 1, stream.NoTime + 12, stream.MaxTime - 1, stream.MaxTime} {
				room := make([]stream.Window, 0, 2)
				ws, err := a.Assign(room, at)
				suite.NoError(t, err, "a time near an end is a time")
				suite.Equal(t, 2, len(ws), suite.Failure{
					Says:  "near the ends of time, the next start wraps around: comparing starts then ends too early, or never",
					Input: fmt.Sprintf("%v, an element @%d", a, int64(at)),
				})
			}
		})
		suite.Sub(t, "any size, slide, offset and time", func(t *testing.T) {
			r := rand.New(rand.NewPCG(4, 4))
			for range 1000 {
				size, slide := 1+r.Int64N(60), 1+r.Int64N(30)
				offset := r.Int64N(2*slide-1) - slide + 1
				at := r.Int64N(2000) - 1000
				var want []stream.Window
				for start := at; start > at-size; start-- { // every start that there could be
					if (start-offset)%slide == 0 {
						want = append(want, stream.Window{Start: stream.Time(start), End: stream.Time(start + size)})
					}
				}
				a := newSliding(t, time.Duration(size)*unit, time.Duration(slide)*unit, time.Duration(offset)*unit)
				assigns(t, a, stream.Time(at), "not the windows that hold the element", want...)
			}
		})
		suite.Sub(t, "nothing is allocated", func(t *testing.T) { reusesSlice(t, newSliding(t, 10*unit, 5*unit, 0)) })
	})
}
