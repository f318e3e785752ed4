package engine

// What can go wrong in a simulation besides a crash: a subtask that hardly gets a turn, and news that
// never arrives. A store that fails is the caller's: it hands the store in.

// slowness is how much less often a slow subtask gets a turn.
const slowness = 8

// fault is what goes wrong, and how often it has.
type fault struct {
	slow     *Task // nil: none
	withheld int   // turns that the slow subtask did not get
	loseAck  func() bool
	lost     int
}

// SlowDown makes one subtask slow and returns its name: it takes a packet, or is polled, an eighth as
// often as the others. What it is told by the coordinator arrives as ever. n is any number; the same
// number is the same subtask.
func (s *Simulation) SlowDown(n int) (name string) {
	s.fault.slow = s.tasks[n%len(s.tasks)]
	return s.fault.slow.Name
}

// Withheld is how many turns the slow subtask did not get.
func (s *Simulation) Withheld() int { return s.fault.withheld }

// LoseAckWhen has one acknowledgement get lost on its way to the coordinator, the first one for which
// armed says so. The subtask's part is stored by then, and the subtask believes that it is known.
func (s *Simulation) LoseAckWhen(armed func() bool) { s.fault.loseAck = armed }

// AcksLost is how many acknowledgements have got lost: 0 or 1.
func (s *Simulation) AcksLost() int { return s.fault.lost }

// withholds reports whether a task does not get the turn that it could have.
func (s *Simulation) withholds(t *Task) bool {
	if t != s.fault.slow || s.rng.IntN(slowness) == 0 {
		return false
	}
	s.fault.withheld++
	return true
}

// loses reports whether the acknowledgement that is about to arrive gets lost.
func (s *Simulation) loses() bool {
	if s.fault.loseAck == nil || s.fault.lost > 0 || !s.fault.loseAck() {
		return false
	}
	s.fault.lost++
	return true
}
