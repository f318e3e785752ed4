package picture

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"gatewaymeter/internal/picture/scene"
	"gatewaymeter/stream"
)

// drawStorm draws, step by step, how many timers wait and how many fire: "storm".
func drawStorm(s *scene.Scene) (*canvas, error) {
	const left, right, top, row = 176, 420, 62, 46
	c := &canvas{height: top + row*float64(len(s.Steps)-1) + 42}
	c.text(14, 26, start, "title", s.Title)
	pending, most := 0, 1
	for _, step := range s.Steps[1:] {
		pending += tally(step).set
		most = max(most, pending)
	}
	pending = 0
	x := func(n int) float64 { return left + float64(n)/float64(most)*(right-left) }
	for i, step := range s.Steps[1:] {
		t, y := tally(step), top+row*(float64(i)+0.5)
		pending += t.set - t.fired
		c.text(14, y+4.5, start, "", t.label(step))
		c.rect("blue tint", left, y-13, x(pending)-left, 26, 0)
		c.path("blue thin", left, y-13, x(pending), y-13, x(pending), y+13, left, y+13, left, y-13)
		if t.fired > 0 {
			c.rect("red tint", x(pending), y-13, x(pending+t.fired)-x(pending), 26, 0)
			c.path("red thin dots", x(pending), y-13, x(pending+t.fired), y-13, x(pending+t.fired), y+13, x(pending), y+13)
		}
		c.text(right+14, y+4.5, start, "small", t.words(pending))
	}
	c.signs(c.height-20, []sign{
		{func(c *canvas, x, y float64) { c.rect("blue tint", x, y-8, 24, 16, 0) }, "timers that wait"},
		{func(c *canvas, x, y float64) { c.rect("red tint", x, y-8, 24, 16, 0) }, "timers that fire in this step"},
	})
	return c, nil
}

// counts is what happened in a step, in numbers.
type counts struct {
	set, fired, emitted int
	watermark           bool // it went on
}

func tally(s *scene.Step) (t counts) {
	for _, step := range s.Trace {
		switch step.Kind {
		case stream.TimerSet:
			t.set++
		case stream.TimerFired:
			t.fired++
		case stream.Emitted:
			t.emitted++
		case stream.Forwarded:
			t.watermark = true
		}
	}
	return t
}

func (t counts) label(s *scene.Step) string {
	switch {
	case s.Verb == "open":
		return grouped(t.set) + " requests open"
	case s.Verb == "restore":
		return "crash, and restore"
	case s.Arg("t") != "":
		return "watermark " + s.Arg("t") + ": a slice"
	}
	return "the next slice"
}

func (t counts) words(pending int) string {
	switch {
	case t.watermark:
		return fmt.Sprintf("%s records; the watermark goes on", grouped(t.emitted))
	case t.fired > 0:
		return fmt.Sprintf("%s records go out; %s timers wait", grouped(t.emitted), grouped(pending))
	}
	return grouped(pending) + " timers wait"
}

// grouped prints a number with a comma between thousands.
func grouped(n int) string {
	if n < 1000 {
		return strconv.Itoa(n)
	}
	return fmt.Sprintf("%s,%03d", grouped(n/1000), n%1000)
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
