package pipeline

import (
	"gatewaymeter/engine"
)

// arm chooses where this incarnation dies, if it is to die.
func (c *crash) arm(s *engine.Simulation) {
	if c.crashes >= c.Crashes {
		return
	}
	if c.At != nil {
		s.CrashAt(*c.At)
		return
	}
	what, after := c.step()
	from := 60 + c.rng.IntN(c.latest)
	s.CrashWhen(what, after, func() bool { return s.Steps() >= from && c.worthIt(s) })
}

// step is a step of the crash table that this job can meet while it runs, as the seed says.
func (c *crash) step() (what string, after bool) {
	var steps []string
	for _, row := range engine.CrashTable {
		if c.meets(row.Name) && (c.Step == "" || c.Step == row.Name) {
			steps = append(steps, row.Name)
		}
	}
	return steps[c.rng.IntN(len(steps))], c.rng.IntN(2) == 0
}

// meets reports whether a job of this stage takes a step of the table after its start.
func (c *crash) meets(step string) bool {
	switch step {
	case engine.PointRestore:
		return false // see Crashes: the start is crashed by name
	case engine.PointTimer:
		return c.Stage >= 4
	case engine.PointBarrier, engine.PointAlign, engine.PointSnapshot, engine.PointAck, engine.PointComplete, engine.PointNotify:
		return c.Stage >= 7
	case engine.PointFlush:
		return false // this run's sinks write at once
	}
	return true
}

// worthIt reports whether a crash now would put to the test what the stage promises: something is
// open, a window is unfinished, a timer is pending, and a checkpoint is there to go back to.
func (c *crash) worthIt(s *engine.Simulation) bool {
	if s.Entries("assemble", "open") == 0 {
		return false
	}
	if c.Stage >= 4 && s.EventTimers("tenant-minute") == 0 || c.Stage >= 6 && s.EventTimers("assemble") == 0 {
		return false
	}
	return c.Stage < 7 || s.Completed() > 0
}
