package picture

import (
	"fmt"

	"gatewaymeter/gateway"
	"gatewaymeter/internal/picture/scene"
	"gatewaymeter/stream"
)

// Where things stand in a picture of lives, in px.
const (
	livesLeft  = 70
	livesRight = 690
	livesTop   = 84
	laneHeight = 50
)

// drawLives draws for each key how long it has an entry in a state: "lives state=open from=0s to=1m
// tick=10s". Elements arrive in the order of their times.
func drawLives(s *scene.Scene) (*canvas, error) {
	l := &lives{canvas: &canvas{}, state: s.Draw.Arg("state"), from: s.Draw.At("from"), to: s.Draw.At("to"), lane: map[string]int{}}
	if l.to <= l.from || l.state == "" {
		return nil, fmt.Errorf("a picture of lives needs state=, from= and to=, not %q", s.Draw.Text)
	}
	for _, t := range s.Whole().Steps {
		if _, known := l.lane[t.Key]; t.Key != "" && !known {
			l.lane[t.Key] = len(l.lane)
		}
	}
	l.bottom = livesTop + laneHeight*float64(len(l.lane))
	l.height = l.bottom + 96
	l.text(14, 26, start, "title", s.Title)
	l.text(14, livesTop-18, start, "soft small", "event time")
	for t, tick := l.from, max(1, s.Draw.At("tick")); t <= l.to; t += tick {
		l.path("grid", l.x(t), livesTop-10, l.x(t), l.bottom+34)
		if l.x(t) > livesLeft+30 {
			l.text(l.x(t), livesTop-18, middle, "soft small", seconds(t))
		}
	}
	l.bars(s)
	l.marks(s)
	l.legend()
	return l.canvas, nil
}

// lives is the picture on its way.
type lives struct {
	*canvas
	state    string
	from, to stream.Time
	lane     map[string]int // of each key, from 0
	bottom   float64
}

func (l *lives) x(t stream.Time) float64 {
	return livesLeft + float64(t-l.from)/float64(l.to-l.from)*(livesRight-livesLeft)
}

func (l *lives) y(key string) float64 { return livesTop + laneHeight*(float64(l.lane[key])+0.5) }

// bars draws the entries, and below them how many there are.
func (l *lives) bars(s *scene.Scene) {
	since := map[string]stream.Time{}
	at, last := l.from, l.from
	l.text(14, l.bottom+26, start, "", "entries")
	count := func(until stream.Time) {
		l.text((l.x(last)+l.x(until))/2, l.bottom+26, middle, "title", fmt.Sprint(len(since)))
		last = until
	}
	for _, t := range s.Whole().Steps {
		switch {
		case t.Kind == stream.ElementIn:
			at = t.At
		case t.Kind == stream.StateSet && t.Name == l.state:
			count(at)
			since[t.Key] = at
		case t.Kind == stream.StateCleared && t.Name == l.state:
			count(at)
			l.bar(t.Key, since[t.Key], at, true)
			delete(since, t.Key)
		}
	}
	count(l.to)
	for _, key := range sortedKeys(l.lane) {
		l.text(14, l.y(key)+4.5, start, "", key)
	}
	for _, key := range sortedKeys(since) {
		l.bar(key, since[key], l.to, false)
	}
}

func (l *lives) bar(key string, from, to stream.Time, ended bool) {
	const half = 11
	x, y, until := l.x(from), l.y(key), l.x(to)
	hue := hueOf(key[2:])
	l.rect(hue+" tint", x, y-half, until-x, 2*half, 0)
	l.path(hue+" thin", until, y-half, x, y-half, x, y+half, until, y+half)
	words := fmt.Sprintf("%s, since %s", l.state, seconds(from))
	if !ended {
		words += ": it stays for ever"
		l.path(hue+" bold", until-1, y-half, until+8, y, until-1, y+half)
	} else {
		l.path(hue+" thin", until, y-half, until, y+half)
	}
	l.text(x+16, y+4.5, start, "small", words)
}

// marks draws what came and what went out.
func (l *lives) marks(s *scene.Scene) {
	at := l.from
	for _, t := range s.Whole().Steps {
		y := l.y(t.Key)
		switch t.Kind {
		case stream.ElementIn:
			at = t.At
			class := hueOf(t.Key[2:])
			if e, ok := t.Value.(gateway.Event); ok && e.Type == gateway.RequestStarted {
				class += " hollow thin"
			}
			l.circle(class, l.x(at), y, 8)
		case stream.Emitted:
			l.path("green bold", l.x(at), y+11, l.x(at), y+21)
			l.path("green bold", l.x(at)-5, y+16, l.x(at), y+22, l.x(at)+5, y+16)
		case stream.Dropped:
			l.cross("red", l.x(at)+16, y)
			l.text(l.x(at)+27, y+4.5, start, "small red", t.Name)
		}
	}
}

func (l *lives) legend() {
	l.signs(l.height-24, []sign{
		{dotSign("blue hollow thin"), "start"}, {dotSign("blue"), "completion"},
		{func(c *canvas, x, y float64) {
			c.rect("blue tint", x, y-8, 24, 16, 0)
			c.path("blue thin", x, y-8, x+24, y-8, x+24, y+8, x, y+8, x, y-8)
		}, "entry in state " + l.state},
		{func(c *canvas, x, y float64) {
			c.path("green bold", x+12, y-7, x+12, y+5)
			c.path("green bold", x+7, y, x+12, y+6, x+17, y)
		}, "record emitted"},
	})
}
