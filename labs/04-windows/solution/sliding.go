package windows

import (
	"fmt"
	"time"

	"gatewaymeter/stream"
)

// MaxOverlap is the most windows that one element may belong to. Each is an entry of state and a
// timer, for every key: a day that slides by a second is 86,400 of them an element.
const MaxOverlap = 100_000

// sliding are windows of one size that start every slide: they overlap, so an element is in several;
// or there are gaps between them, if slide is larger than size.
type sliding struct{ size, slide, offset stream.Time }

// NewSliding makes windows of that size, one every slide, the first at offset after the epoch, and the
// others in both directions from there (Flink: SlidingEventTimeWindows).
//
// It refuses, with the reason: a size or a slide that is not above 0; an offset of a whole slide or
// more in either direction; what is not in whole milliseconds (see millis); and windows so long, and
// so close together, that one element would be in more than MaxOverlap of them. Flink accepts those,
// and runs out of memory at the first element (FLINK-37512).
func NewSliding(size, slide, offset time.Duration) (Assigner, error) {
	//lab:begin 4b
	var a sliding
	for _, p := range []struct {
		name string
		from time.Duration
		to   *stream.Time
	}{{"size", size, &a.size}, {"slide", slide, &a.slide}, {"offset", offset, &a.offset}} {
		var err error
		if *p.to, err = millis("sliding windows: "+p.name, p.from); err != nil {
			return nil, err
		}
	}
	switch {
	case a.size <= 0:
		return nil, fmt.Errorf("sliding windows: size %v: a window must be longer than 0", size)
	case a.slide <= 0:
		return nil, fmt.Errorf("sliding windows: slide %v: it must be more than 0, or windows never move on", slide)
	case a.offset <= -a.slide || a.offset >= a.slide:
		return nil, fmt.Errorf("sliding windows: offset %v must lie within one slide, %v, of 0", offset, slide)
	case (a.size-1)/a.slide+1 > MaxOverlap:
		return nil, fmt.Errorf("sliding windows: with size %v and slide %v each element is in %d windows, and at most %d are allowed (FLINK-37512): make the slide longer, or use tumbling windows of the slide and add up their results",
			size, slide, (a.size-1)/a.slide+1, MaxOverlap)
	}
	return a, nil
	//lab:end
}

// Assign gives every window that at falls into, the latest start first: the operator then fires late
// corrections in Flink's order. In a gap between windows there are none, and that is no error. NoTime
// is an error (errNoTime).
func (s sliding) Assign(dst []stream.Window, at stream.Time) ([]stream.Window, error) {
	//lab:begin 4b
	if at == stream.NoTime {
		return dst, errNoTime(s)
	}
	last := lastStart(at, s.offset, s.slide)
	// Counted by the distance to at, not by comparing starts: near the earliest time there is, the
	// next start wraps around, and such a comparison is true for ever.
	for back := at - last; back < s.size; back += s.slide {
		dst = append(dst, stream.Window{Start: at - back, End: at - back + s.size})
	}
	return dst, nil
	//lab:end
}

func (s sliding) String() string {
	return fmt.Sprintf("sliding windows of %v every %v, offset %v", show(s.size), show(s.slide), show(s.offset))
}
