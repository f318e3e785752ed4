package picture

import (
	"fmt"
	"strings"

	"gatewaymeter/gateway"
	"gatewaymeter/internal/picture/scene"
	"gatewaymeter/stream"
)

// board is what a trace comes to on a board: event time to the right, what arrives down the page. Rows
// are the scene's steps after the first.
type board struct {
	rows   []*scene.Step
	told   [][]string // of each row: its effects, in words
	boxes  []*box     // windows in state
	dots   []dot
	fires  []fire
	stairs map[int]*stair // watermarks by channel; whole for the operator's own
	timers []*lifeline
}

// whole stands for the operator's own watermark among the stairs.
const whole = -1

// box is a window from the row in which its state came to the one in which it went.
type box struct {
	window   stream.Window
	from, to int  // to: -1 while it is there
	merged   bool // it became part of another
}

// dot is an element.
type dot struct {
	row  int
	at   stream.Time
	text string
	hue  string
	hole bool // drawn hollow: it begins something
	late bool // it came behind the watermark and was refused
}

// fire is a window's firing.
type fire struct {
	row   int
	at    stream.Time
	again bool
}

// stair is a watermark over the rows.
type stair struct{ treads []tread }

type tread struct {
	row    int
	at     stream.Time
	status string // active, idle, unaligned, …
}

// lifeline is a timer from when it is set to when it is deleted or fires.
type lifeline struct {
	key      string
	at       stream.Time
	set      stream.Time // the time of the element that set it
	from, to int
	how      stream.StepKind // TimerDeleted or TimerFired; 0 while it is there
}

// fold reads a played scene. key: only what concerns that key; empty for all.
func fold(s *scene.Scene, key string) *board {
	b := &board{rows: s.Steps[1:], stairs: map[int]*stair{}, told: make([][]string, len(s.Steps)-1)}
	for row, step := range b.rows {
		f := folder{board: b, row: row}
		for _, t := range step.Trace {
			if key == "" || t.Key == "" || t.Key == key {
				f.step(t)
			}
		}
		f.done()
	}
	return b
}

// folder takes the steps of one row.
type folder struct {
	*board
	row     int
	element stream.Step  // the row's element
	cleared int          // windows that went
	merged  *box         // the window that they became
	least   *stream.Step // of the channels that are waited for, the one behind all others
	time    bool         // the operator's watermark went on
}

func (f *folder) tell(format string, args ...any) {
	f.told[f.row] = append(f.told[f.row], fmt.Sprintf(format, args...))
}

func (f *folder) step(t stream.Step) {
	switch t.Kind {
	case stream.ElementIn:
		f.element = t
		f.dots = append(f.dots, dotOf(t, f.row))
		if s := f.stairs[whole]; t.Entry != nil && s != nil && t.At <= s.treads[len(s.treads)-1].at {
			f.tell("behind the watermark: late")
		}
	case stream.StateSet:
		f.open(t)
	case stream.StateCleared:
		f.close(t)
	case stream.TimerSet, stream.TimerDeleted, stream.TimerFired:
		f.timer(t)
	case stream.Emitted:
		f.emitted(t)
	case stream.Dropped:
		f.tell("%s: dropped", t.Name)
	case stream.Forwarded:
		f.forwarded(t)
	case stream.ChannelSeen:
		f.stair(t.Input).step(f.row, t.At, t.Name)
		if t.Name == "active" && (f.least == nil || t.At < f.least.At) {
			f.least = &t
		}
	}
}

// done adds what only the whole row shows.
func (f *folder) done() {
	switch step := f.rows[f.row]; {
	case step.Verb == "event" && f.element.Kind == 0:
		f.tell("partition %s waits, unread", step.Arg("partition"))
	case step.Verb == "probe" && !f.time && f.least != nil:
		f.tell("partition %d holds time back", f.least.Input)
	case f.merged != nil:
		f.tell("one session: %s", span(f.merged.window))
	}
}

// dotOf is an element as a dot.
func dotOf(t stream.Step, row int) dot {
	d := dot{row: row, at: t.At, text: stream.Show(t.Value), hue: "blue"}
	switch v := t.Value.(type) {
	case gateway.Event:
		d.text = strings.TrimPrefix(v.RequestID, "r-")
		d.hue, d.hole = hueOf(d.text), v.Type == gateway.RequestStarted
	case scene.Letter:
		if t.Entry != nil { // of a source: its partition is what matters
			d.hue = hues[t.Input%len(hues)]
		}
	}
	return d
}

// hues are the colours that tell keys and channels apart.
var hues = []string{"blue", "orange", "violet", "green"}

// hueOf is a key's colour: keys are numbered from 1.
func hueOf(number string) string {
	n := 0
	for _, r := range number {
		n = n*10 + int(r-'0')
	}
	return hues[max(0, n-1)%len(hues)]
}

func (f *folder) open(t stream.Step) {
	w, ok := t.Entry.(stream.Window)
	if !ok {
		return
	}
	for _, b := range f.boxes {
		if b.to < 0 && b.window == w {
			return
		}
	}
	opened := &box{window: w, from: f.row, to: -1}
	if f.cleared > 0 {
		f.merged = opened
	}
	f.boxes = append(f.boxes, opened)
}

func (f *folder) close(t stream.Step) {
	w, ok := t.Entry.(stream.Window)
	if !ok {
		return
	}
	for _, b := range f.boxes {
		if b.to < 0 && b.window == w {
			b.to = f.row
			f.cleared++
			if f.element.Kind == 0 { // a merge says so itself
				f.tell("%s gone", span(w))
			} else {
				b.merged = true
			}
		}
	}
}

func (f *folder) timer(t stream.Step) {
	if t.Window != (stream.Window{}) {
		return // a window's box shows when it fires and goes
	}
	switch t.Kind {
	case stream.TimerSet:
		f.board.timers = append(f.board.timers, &lifeline{key: t.Key, at: t.At, set: f.element.At, from: f.row})
		f.tell("timer at %s", seconds(t.At))
		return
	case stream.TimerDeleted:
		f.tell("timer deleted")
	case stream.TimerFired:
		f.tell("timer fires")
	}
	for _, l := range f.board.timers {
		if l.how == 0 && l.key == t.Key && l.at == t.At {
			l.to, l.how = f.row, t.Kind
		}
	}
}

func (f *folder) emitted(t stream.Step) {
	if t.Name == "late" {
		f.dots[len(f.dots)-1].late = true
		f.tell("too late: late output")
		return
	}
	switch v := t.Value.(type) {
	case gateway.RequestRecord:
		f.tell("%s %s", v.RequestID, map[bool]string{true: "abandoned", false: "billed"}[v.Status == "abandoned"])
	case string: // a window's letters
		again := f.element.Kind != 0
		f.fires = append(f.fires, fire{f.row, t.At, again})
		f.tell("%s: %s", map[bool]string{true: "fires again", false: "fires"}[again], v)
	}
}

func (f *folder) forwarded(t stream.Step) {
	if t.Name != "watermark" {
		return
	}
	f.stair(whole).step(f.row, t.At, "active")
	f.time = true
	switch step := f.rows[f.row]; {
	case step.Verb == "probe" && f.least != nil:
		f.tell("%s, set by partition %d", seconds(t.At), f.least.Input)
	case step.Arg("input") != "":
		f.tell("the task is at %s", seconds(t.At))
	}
}

func (b *board) stair(channel int) *stair {
	if b.stairs[channel] == nil {
		b.stairs[channel] = &stair{}
	}
	return b.stairs[channel]
}

// step adds a tread, unless nothing has changed.
func (s *stair) step(row int, at stream.Time, status string) {
	if n := len(s.treads); at == stream.NoTime || n > 0 && s.treads[n-1].at == at && s.treads[n-1].status == status {
		return
	}
	s.treads = append(s.treads, tread{row, at, status})
}

// seconds prints a time as scripts write it.
func seconds(t stream.Time) string {
	if t < 1000 && t > -1000 && t != 0 {
		return fmt.Sprintf("%dms", t)
	}
	return strings.TrimSuffix(strings.TrimRight(fmt.Sprintf("%.3f", float64(t)/1000), "0"), ".") + "s"
}

func span(w stream.Window) string {
	return fmt.Sprintf("[%s, %s)", seconds(w.Start), seconds(w.End))
}
