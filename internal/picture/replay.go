package picture

import (
	"fmt"
	"strings"

	"gatewaymeter/gateway"
	"gatewaymeter/internal/picture/scene"
	operators "gatewaymeter/labs/03-stateful-operators/solution"
	"gatewaymeter/stream"
)

// totalOf prints a running total in dollars; "" for anything else.
func totalOf(v any) string {
	t, ok := v.(operators.Total)
	if !ok {
		return ""
	}
	return dollars(t.Sum)
}

// dollars prints whole dollars without their nine zeros.
func dollars(n gateway.NanoUSD) string {
	return strings.TrimSuffix(strings.TrimRight(n.String(), "0"), ".")
}

// life is one incarnation of a job, as far as the picture tells of it.
type life struct {
	read  []read
	lines []gateway.TenantTotal
	saved int           // lines before the task's snapshot; -1: it took none
	next  map[int]int64 // by partition, the offset in the snapshot
}

// read is a record that a source read.
type read struct {
	partition int
	offset    int64
	id        string
}

// livesOf reads the lives of a job from its trace: one ends with the step "restore".
func livesOf(s *scene.Scene) []*life {
	all := []*life{{saved: -1, next: map[int]int64{}}}
	for _, step := range s.Steps {
		if step.Verb == "restore" {
			all = append(all, &life{saved: -1, next: map[int]int64{}})
		}
		l := all[len(all)-1]
		for _, t := range step.Trace {
			l.step(t)
		}
	}
	return all
}

func (l *life) step(t stream.Step) {
	switch {
	case t.Kind == stream.ElementIn && t.UID == "source":
		l.read = append(l.read, read{t.Input, t.Entry.(int64), t.Value.(gateway.RequestRecord).RequestID})
	case t.Kind == stream.StateSet && t.Name == "offsets":
		for _, split := range t.Value.([]stream.Split) {
			l.next[int(split.Partition)] = split.Next
		}
	case t.Kind == stream.Emitted && t.UID == "tenant-cost":
		l.lines = append(l.lines, t.Value.(gateway.TenantTotal))
	case t.Kind == stream.Snapshotted && t.UID == "tenant-cost" && l.saved < 0:
		l.saved = len(l.lines)
	}
}

// Where things stand in a picture of a replay, in px.
const (
	replayLeft = 108
	cellWidth  = 52
	replayTop  = 86
	replayRow  = 46
)

// drawReplay draws a log, what a checkpoint says of it, and the lines that each life of the job writes:
// "replay".
func drawReplay(s *scene.Scene) (*canvas, error) {
	lives := livesOf(s)
	if len(lives) != 2 || lives[0].saved < 0 {
		return nil, fmt.Errorf("a replay is two lives with a checkpoint in the first, not %d lives", len(lives))
	}
	r := &replay{canvas: &canvas{}, lives: lives, partitions: s.Steps[0].Number("partitions")}
	r.height = r.row(r.partitions+2) + 94
	r.text(14, 26, start, "title", s.Title)
	r.text(14, replayTop-26, start, "soft small", "the log: records, and the offsets in the checkpoint")
	for p := range r.partitions {
		r.partition(p)
	}
	r.text(14, r.row(r.partitions)+18, start, "soft small", "the lines that the sink writes, in their order")
	r.life(0, "first life")
	r.life(1, "second life")
	r.signs(r.height-20, []sign{
		{boxSign("green"), "in the checkpoint"}, {boxSign("orange"), "read again, and told twice"}, {boxSign("blue"), "told once"},
		{func(c *canvas, x, y float64) { c.rect("red", x+9, y-9, 6, 18, 0) }, "checkpoint"},
	})
	return r.canvas, nil
}

type replay struct {
	*canvas
	lives      []*life
	partitions int
}

// row is the middle of a row: the partitions, and below a gap the lives.
func (r *replay) row(n int) float64 { return replayTop + replayRow*(float64(n)+0.5) }

func (r *replay) cell(hue string, x, y float64, words ...string) {
	r.rect(hue, x+2, y-17, cellWidth-4, 34, 4)
	if len(words) == 1 {
		r.text(x+cellWidth/2, y+4.5, middle, "on small", words[0])
		return
	}
	r.text(x+cellWidth/2, y-2.5, middle, "on small", words[0])
	r.text(x+cellWidth/2, y+12, middle, "on small", words[1])
}

// partition draws the records of a partition that were read, coloured by who read them.
func (r *replay) partition(p int) {
	y := r.row(p)
	r.text(14, y+4.5, start, "", fmt.Sprintf("partition %d", p))
	ids, last := map[int64]string{}, int64(-1)
	for _, l := range r.lives {
		for _, e := range l.read {
			if e.partition == p {
				ids[e.offset], last = e.id, max(last, e.offset)
			}
		}
	}
	next := r.lives[0].next[p]
	for offset := range last + 1 {
		hue := "blue"
		switch {
		case offset < next:
			hue = "green"
		case r.times(ids[offset]) > 1:
			hue = "orange"
		}
		r.cell(hue, replayLeft+cellWidth*float64(offset), y, ids[offset])
	}
	r.rect("red", replayLeft+cellWidth*float64(next)-3, y-21, 6, 42, 0)
}

// life draws the lines of a life, and how it ended.
func (r *replay) life(n int, name string) {
	l, y := r.lives[n], r.row(r.partitions+n)+46
	r.text(14, y+4.5, start, "", name)
	for i, line := range l.lines {
		hue := "blue"
		switch {
		case n == 0 && i < l.saved:
			hue = "green"
		case r.times(line.RequestID) > 1:
			hue = "orange"
		}
		r.cell(hue, r.at(n, i), y, line.TenantID, dollars(line.Total))
	}
	if n == 0 {
		r.rect("red", r.at(n, l.saved)-3, y-21, 6, 42, 0)
		x := r.at(n, len(l.lines)) + 14
		r.cross("red bold", x, y)
		r.text(x+12, y+4.5, start, "small red", "killed")
	}
}

// at is where the i-th line of a life stands: the second life begins at the checkpoint.
func (r *replay) at(n, i int) float64 {
	if n == 1 {
		i += r.lives[0].saved
	}
	return replayLeft + cellWidth*float64(i)
}

// times is how often a request's line was written.
func (r *replay) times(id string) (n int) {
	for _, l := range r.lives {
		for _, line := range l.lines {
			if line.RequestID == id {
				n++
			}
		}
	}
	return n
}
