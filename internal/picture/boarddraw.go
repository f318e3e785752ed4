package picture

import (
	"fmt"
	"slices"
	"strings"

	"gatewaymeter/internal/picture/scene"
	"gatewaymeter/stream"
)

// Where things stand on a board, in px.
const (
	boardLeft  = 162 // of event time
	boardRight = 500
	boardTop   = 78
	rowHeight  = 27
	tellAt     = 514
)

// drawBoard draws a scene about event time: "board from=0s to=2m tick=30s key=acme".
func drawBoard(s *scene.Scene) (*canvas, error) {
	from, to, tick := s.Draw.At("from"), s.Draw.At("to"), s.Draw.At("tick")
	if to <= from || tick <= 0 {
		return nil, fmt.Errorf("a board needs from=, to= and tick=, not %q", s.Draw.Text)
	}
	d := &boardDrawing{
		board: fold(s, s.Draw.Arg("key")), canvas: &canvas{}, from: from, to: to,
	}
	d.bottom = boardTop + float64(len(d.rows))*rowHeight
	d.height = d.bottom + 44
	d.text(14, 26, start, "title", s.Title)
	d.past()
	d.axis(tick)
	d.windows()
	d.lifelines()
	d.watermarks()
	d.elements()
	d.words()
	d.legend()
	return d.canvas, nil
}

// boardDrawing is a board on its way onto a canvas.
type boardDrawing struct {
	*board
	*canvas
	from, to stream.Time
	bottom   float64
}

// x is where a time stands; outside the axis, at its end.
func (d *boardDrawing) x(t stream.Time) float64 {
	t = min(max(t, d.from), d.to)
	return boardLeft + float64(t-d.from)/float64(d.to-d.from)*(boardRight-boardLeft)
}

// y is the middle of a row.
func (d *boardDrawing) y(row int) float64 { return boardTop + (float64(row)+0.5)*rowHeight }

func (d *boardDrawing) axis(tick stream.Time) {
	d.text(14, boardTop-14, start, "soft small", "event time →")
	for t := d.from; t <= d.to; t += tick {
		d.path("grid", d.x(t), boardTop-6, d.x(t), d.bottom)
		d.text(d.x(t), boardTop-14, middle, "soft small", seconds(t))
	}
}

// past tints what lies behind the operator's watermark: an element there is late.
func (d *boardDrawing) past() {
	s := d.stairs[whole]
	if s == nil {
		return
	}
	for i, t := range s.treads {
		until := d.bottom
		if i+1 < len(s.treads) {
			until = d.y(s.treads[i+1].row)
		}
		if w := d.x(t.at) - boardLeft; w > 0 {
			d.rect("tint soft", boardLeft, d.y(t.row), w, until-d.y(t.row), 0)
		}
	}
}

func (d *boardDrawing) windows() {
	for i, b := range d.boxes {
		until := d.bottom
		if b.to >= 0 {
			until = d.y(b.to)
		}
		if b.merged {
			until -= 13 // where the new one begins
		}
		hue := hues[[]int{0, 3}[d.lane(i)]]
		inset := 2 + 3*float64(d.lane(i))
		top := d.y(b.from) - 11
		left, right := d.x(b.window.Start)+inset, d.x(b.window.End)-inset
		d.rect(hue+" tint", left, top, right-left, until-top, 4)
		d.path(hue+" thin", left, until, left, top, right, top, right, until)
		if b.to >= 0 {
			d.path(hue+" thin", left, until, right, until)
		}
	}
	for _, f := range d.fires {
		x, y := d.x(f.at), d.y(f.row)
		d.path("red bold", x-9, y-6, x, y, x-9, y+6)
	}
}

// lane keeps windows that overlap apart: the second of two that do is drawn in another colour.
func (d *boardDrawing) lane(i int) int {
	before := d.boxes[:i]
	for _, b := range slices.Backward(before) {
		w := d.boxes[i].window
		overlap := b.window.Start < w.End && w.Start < b.window.End
		if overlap && b.window != w && (b.to < 0 || b.to > d.boxes[i].from) {
			return 1 - d.lane(slices.Index(d.boxes, b))
		}
	}
	return 0
}

func (d *boardDrawing) lifelines() {
	for _, l := range d.timers {
		until, hue := d.bottom, hueOf(l.key[2:])
		if l.how != 0 {
			until = d.y(l.to)
		}
		x := d.x(l.at)
		d.path(hue+" dots thin", d.x(l.set), d.y(l.from), x, d.y(l.from))
		d.path(hue+" thin", x, d.y(l.from), x, until)
		switch l.how {
		case stream.TimerDeleted:
			d.cross(hue, x, until)
		case stream.TimerFired:
			d.path("red bold", x-6, until-9, x, until, x+6, until-9)
		}
	}
}

func (d *boardDrawing) watermarks() {
	channels := d.channels()
	if s := d.stairs[whole]; s != nil {
		class := "ink bold"
		if len(channels) > 0 {
			class = "ink fat" // the channel that it follows is drawn over it
		}
		d.stairway(s, class, 0)
	}
	for i, channel := range channels {
		d.stairway(d.stairs[channel], hues[channel%len(hues)]+" thin", 2.4*float64(i)-2.4*float64(len(channels)-1)/2)
	}
}

// channels are the numbers of the channels that have a watermark.
func (d *boardDrawing) channels() (all []int) {
	for channel := range d.stairs {
		if channel != whole {
			all = append(all, channel)
		}
	}
	slices.Sort(all)
	return all
}

// stairway draws a watermark: down while it stands, to the right when it rises. Channels that rise in
// one row are drawn a little below each other.
func (d *boardDrawing) stairway(s *stair, class string, below float64) {
	var points []float64
	for i, t := range s.treads {
		y, until := d.y(t.row)+below, d.bottom
		if i+1 < len(s.treads) {
			until = d.y(s.treads[i+1].row) + below
		}
		points = append(points, d.x(t.at), y, d.x(t.at), until)
		if i+1 < len(s.treads) && s.treads[i+1].status == t.status {
			continue
		}
		d.path(class+" "+dashes[t.status], points...)
		points = []float64{d.x(t.at), until} // the next piece begins where this one ends
	}
}

// dashes are how a channel is drawn that is not waited for.
var dashes = map[string]string{"idle": "dots", "unaligned": "dash", "paused": "dash"}

func (d *boardDrawing) elements() {
	for _, e := range d.dots {
		x, y := d.x(e.at), d.y(e.row)
		class, on := e.hue, "on small"
		if e.late {
			class = "red"
		}
		if e.hole {
			class, on = e.hue+" hollow thin", "small"
		}
		d.circle(class, x, y, 9)
		d.text(x, y+4.2, middle, on, e.text)
	}
}

func (d *boardDrawing) words() {
	for row, step := range d.rows {
		d.text(14, d.y(row)+4.5, start, "", labelOf(step))
		d.text(tellAt, d.y(row)+4.5, start, "small", strings.Join(d.told[row], "; "))
	}
}

// labelOf is what a row is about.
func labelOf(s *scene.Step) string {
	switch {
	case s.Arg("is") != "" && s.Arg("partition") != "":
		return fmt.Sprintf("partition %s: %s", s.Arg("partition"), s.Arg("is"))
	case s.Arg("is") != "":
		return fmt.Sprintf("%s, at %s", s.Arg("is"), seconds(s.At("t")))
	case s.Verb == "started":
		return fmt.Sprintf("%s starts, %s", s.Arg("id"), seconds(s.At("t")))
	case s.Verb == "completed":
		return fmt.Sprintf("%s completes, %s", s.Arg("id"), seconds(s.At("t")))
	case s.Verb == "probe":
		return "probe, clock " + seconds(s.At("now"))
	case s.Arg("input") != "" && s.Arg("t") != "":
		return fmt.Sprintf("input %s: %s", s.Arg("input"), seconds(s.At("t")))
	case s.Arg("input") != "":
		return fmt.Sprintf("input %s: %s", s.Arg("input"), s.Verb)
	}
	return fmt.Sprintf("%s %s", s.Verb, seconds(s.At("t")))
}
