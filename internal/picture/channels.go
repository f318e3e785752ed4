package picture

import (
	"fmt"
	"strings"

	"gatewaymeter/gateway"
	"gatewaymeter/internal/picture/scene"
	"gatewaymeter/stream"
)

// Where things stand in a picture of channels, in px.
const (
	channelsLeft = 96
	channelsTop  = 70
	slotWidth    = 56
)

// drawChannels draws what arrives on the inputs of a task, what waits there for a barrier, and what the
// task handles in which order: "channels".
func drawChannels(s *scene.Scene) (*canvas, error) {
	c := &channels{canvas: &canvas{}, barrier: map[int]int{}, handled: map[string]int{}, totals: map[string]string{}}
	inputs := s.Steps[0].Number("inputs")
	c.task = channelsTop + 62*float64(inputs) + 22
	c.height = c.task + 106
	c.text(14, 26, start, "title", s.Title)
	for input := range inputs {
		c.text(14, c.y(input)+4.5, start, "", fmt.Sprintf("input %d", input))
		c.path("grid", channelsLeft-16, c.y(input)+24, width-24, c.y(input)+24)
	}
	c.text(14, c.task+4.5, start, "", "the task")
	slot := 0
	for _, step := range s.Steps[1:] {
		arrival := slot
		slot = c.run(step, slot)
		c.arrive(step, arrival)
	}
	front := c.body.String()
	c.body.Reset()
	c.wait(s) // behind the records
	c.body.WriteString(front)
	c.signs(c.height-20, []sign{
		{boxSign("blue"), "record"}, {boxSign("orange"), "record that waits"},
		{func(c *canvas, x, y float64) { c.rect("red", x+9, y-8, 6, 16, 0) }, "barrier"},
		{func(c *canvas, x, y float64) { c.rect("red tint", x, y-8, 24, 16, 0) }, "input is blocked"},
	})
	return c.canvas, nil
}

func boxSign(hue string) func(c *canvas, x, y float64) {
	return func(c *canvas, x, y float64) { c.rect(hue, x, y-8, 24, 16, 3) }
}

// channels is the picture on its way. A slot is a column: one element that the task handles, or that
// arrives and waits.
type channels struct {
	*canvas
	task     float64           // the task's line
	barrier  map[int]int       // the slot of each input's barrier
	handled  map[string]int    // the slot in which each record was handled
	snapshot int               // the slot in which the state was copied
	totals   map[string]string // what the task's state is
}

func (c *channels) x(slot int) float64  { return channelsLeft + slotWidth*(float64(slot)+0.5) }
func (c *channels) y(input int) float64 { return channelsTop + 62*(float64(input)+0.5) }

// run draws what the task does in a step, and gives the next free slot.
func (c *channels) run(step *scene.Step, slot int) int {
	first := slot
	for _, t := range step.Trace {
		switch t.Kind {
		case stream.ControlIn:
			c.barrier[t.Input] = slot
			slot++
		case stream.Snapshotted:
			c.snapshot = slot - 1
			c.copied(t)
		case stream.ElementIn:
			id := t.Value.(gateway.RequestRecord).RequestID
			c.handled[id] = slot
			c.record("blue", c.x(slot), c.task, id)
			slot++
		case stream.StateSet:
			if dollars := totalOf(t.Value); dollars != "" {
				c.totals[t.Key] = dollars
			}
		}
	}
	return max(slot, first+1)
}

// copied draws the snapshot: where it is taken, and what is in it.
func (c *channels) copied(t stream.Step) {
	var parts []string
	for _, key := range sortedKeys(c.totals) {
		parts = append(parts, key+" "+c.totals[key])
	}
	x := c.x(c.snapshot)
	c.rect("red", x-3, c.task-20, 6, 40, 0)
	c.text(x, c.task+38, middle, "small red", fmt.Sprintf("checkpoint %v: %s", t.Value, strings.Join(parts, ", ")))
}

func (c *channels) record(hue string, x, y float64, id string) {
	c.rect(hue, x-18, y-13, 36, 26, 4)
	c.text(x, y+4.5, middle, "on small", id)
}

// arrive draws what a step brings to its input.
func (c *channels) arrive(step *scene.Step, slot int) {
	x, y := c.x(slot), c.y(step.Number("input"))
	if step.Verb == "barrier" {
		c.rect("red", x-3, y-20, 6, 40, 0)
		return
	}
	hue := "blue"
	if len(step.Trace) == 0 {
		hue = "orange"
	}
	c.record(hue, x, y, step.Arg("id"))
}

// wait draws which input was blocked, from its barrier to the snapshot, and where the records that
// waited came to.
func (c *channels) wait(s *scene.Scene) {
	for input := range s.Steps[0].Number("inputs") {
		if from := c.barrier[input]; from < c.snapshot {
			c.rect("red tint", c.x(from)+3, c.y(input)-20, c.x(c.snapshot)-c.x(from)-3, 40, 0)
			c.text(c.x(c.snapshot)-6, c.y(input)-26, end, "small red", "blocked until the last barrier")
		}
	}
	slot := 0
	for _, step := range s.Steps[1:] {
		if at, ok := c.handled[step.Arg("id")]; ok && len(step.Trace) == 0 {
			y := c.y(step.Number("input"))
			c.path("orange thin dots", c.x(slot)+18, y+13, c.x(at), c.task-14)
		}
		slot += max(1, len(handledIn(step)))
	}
}

// handledIn are the steps of a trace that take a slot.
func handledIn(step *scene.Step) (all []stream.Step) {
	for _, t := range step.Trace {
		if t.Kind == stream.ControlIn || t.Kind == stream.ElementIn {
			all = append(all, t)
		}
	}
	return all
}
