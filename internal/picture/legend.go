package picture

import "fmt"

// sign is one entry of a legend: what is drawn, in a space of 24 px, and what it means.
type sign struct {
	draw  func(c *canvas, x, y float64)
	means string
}

// signs writes a legend in one line.
func (c *canvas) signs(y float64, all []sign) {
	x := 14.0
	for _, s := range all {
		s.draw(c, x, y)
		c.text(x+30, y+4.5, start, "soft small", s.means)
		x += 30 + textWidth(s.means, 12) + 18
	}
}

func lineSign(class string) func(c *canvas, x, y float64) {
	return func(c *canvas, x, y float64) { c.path(class, x, y, x+24, y) }
}

func dotSign(class string) func(c *canvas, x, y float64) {
	return func(c *canvas, x, y float64) { c.circle(class, x+12, y, 7) }
}

// legend says what the signs of a board mean, those that it has.
func (d *boardDrawing) legend() {
	var all []sign
	switch {
	case len(d.timers) > 0:
		all = append(all, sign{dotSign("blue hollow thin"), "start"}, sign{dotSign("blue"), "completion"},
			sign{lineSign("blue thin"), "timer"},
			sign{func(c *canvas, x, y float64) { c.cross("blue", x+12, y) }, "deleted"},
			sign{func(c *canvas, x, y float64) { c.path("red bold", x+6, y-5, x+12, y+4, x+18, y-5) }, "fires"})
	case len(d.boxes) > 0:
		all = append(all, sign{dotSign("blue"), "element"},
			sign{func(c *canvas, x, y float64) {
				c.rect("blue tint", x, y-8, 24, 16, 4)
				c.path("blue thin", x, y+8, x, y-8, x+24, y-8, x+24, y+8, x, y+8)
			}, "window in state"},
			sign{func(c *canvas, x, y float64) { c.path("red bold", x+8, y-6, x+17, y, x+8, y+6) }, "fires"})
	}
	for _, channel := range d.channels() {
		what := "input"
		if len(d.dots) > 0 {
			what = "partition"
		}
		all = append(all, sign{lineSign(hues[channel%len(hues)] + " thin"), fmt.Sprintf("%s %d", what, channel)})
	}
	if d.stairs[whole] != nil {
		name := "watermark"
		if len(d.channels()) > 0 {
			name = "watermark given out"
		}
		class := "ink bold"
		if len(d.channels()) > 0 {
			class = "ink fat"
		}
		all = append(all, sign{lineSign(class), name})
	}
	if d.has("idle") {
		all = append(all, sign{lineSign("violet thin dots"), "idle"})
	}
	if d.has("paused") {
		all = append(all, sign{lineSign("blue thin dash"), "too far ahead: waits"})
	}
	if d.has("unaligned") {
		all = append(all, sign{lineSign("violet thin dash"), "back, behind"})
	}
	d.signs(d.bottom+22, all)
}

// has reports whether some channel is ever in that status.
func (d *boardDrawing) has(status string) bool {
	for _, s := range d.stairs {
		for _, t := range s.treads {
			if t.status == status {
				return true
			}
		}
	}
	return false
}
