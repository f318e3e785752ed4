package pipeline

import "gatewaymeter/engine"

// Life is one incarnation of a job in a crash run, as its watcher sees it. It is valid during the call.
type Life struct {
	Number     int // from 0
	Simulation *engine.Simulation
	Out        *Output // what this life has written
	Starts     []int64 // of gateway-events: where it began to read, by partition
	Read       []int64 // up to where this life or one before has read; at its end only
}

// LifeEvent is what happens in a life.
type LifeEvent uint8

// The events of a life. A run that is tried again begins with life 0 again.
const (
	LifeBegins LifeEvent = iota // restored, and nothing read yet
	LifeEnds                    // it has died, or come to the end of the log
)

// tell tells the watcher, if there is one.
func (c *crash) tell(e LifeEvent, s *engine.Simulation, l *life) {
	if c.Watch != nil {
		c.Watch(e, Life{Number: len(c.lives), Simulation: s, Out: l.out, Starts: l.starts, Read: l.read})
	}
}
