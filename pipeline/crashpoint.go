package pipeline

import (
	"gatewaymeter/engine"
)

// wanted is how many deaths the run is to have.
func (c *crash) wanted() int {
	if c.dying(engine.PointRestore) {
		return c.Crashes + 1
	}
	return c.Crashes
}

// dying reports whether the configuration asks for a death at a step.
func (c *crash) dying(step string) bool { return c.At != nil && c.At.What == step }

// fired reports whether everything that was to go wrong did.
func (c *crash) fired() bool { return len(c.deaths) == c.wanted() && c.happened }

// arm chooses where this incarnation dies, if it is to die, and what goes wrong before.
func (c *crash) arm(s *engine.Simulation) {
	if len(c.deaths) >= c.wanted() {
		return
	}
	if c.named() && !c.dying(engine.PointRestore) {
		s.CrashAt(*c.At)
		return
	}
	what, after := c.step()
	c.from = 60 + c.rng.IntN(c.latest)
	if len(c.deaths) == 0 {
		c.threaten(s)
		if c.Fault == TornWrite {
			return // the power cut is the crash
		}
	}
	s.CrashWhen(what, after, func() bool { return c.due(s) && (c.happened || c.struck(s)) })
}

// inRestore is the point of the second start at which the worker dies, if it is to die there.
func (c *crash) inRestore() *engine.CrashPoint {
	if !c.dying(engine.PointRestore) || len(c.lives) != 1 {
		return nil
	}
	p := *c.At
	if p.N == 0 {
		p.N = 1 + c.rng.IntN(4*c.Parallelism)
	}
	return &p
}

// step is a step of the crash table that this job can meet while it runs: the one that was asked for,
// in the first life, or one that the seed chooses.
func (c *crash) step() (what string, after bool) {
	if c.At != nil && c.At.N == 0 && c.meets(c.At.What) && len(c.deaths) == 0 {
		return c.At.What, c.At.After
	}
	var steps []string
	for _, row := range engine.CrashTable {
		if c.meets(row.Name) {
			steps = append(steps, row.Name)
		}
	}
	return steps[c.rng.IntN(len(steps))], c.rng.IntN(2) == 0
}

func (c *crash) meets(step string) bool {
	return step != engine.PointRestore && Meets(c.Stage, step, c.Buffered)
}

// Meets reports whether a job of a stage takes a step of the crash table, its sinks being buffered or
// not. Every job meets the restore, when it starts again.
func Meets(stage int, step string, buffered bool) bool {
	switch step {
	case engine.PointTimer:
		return stage >= 4
	case engine.PointBarrier, engine.PointAlign, engine.PointSnapshot, engine.PointAck, engine.PointComplete, engine.PointNotify:
		return stage >= 7
	case engine.PointFlush:
		return buffered && stage >= 7 // else the only flush is the one at the end
	}
	return true
}

// due reports whether it is time for something to go wrong.
func (c *crash) due(s *engine.Simulation) bool { return s.Steps() >= c.from && c.worthIt(s) }

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
