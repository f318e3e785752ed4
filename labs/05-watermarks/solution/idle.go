package watermarks

import "gatewaymeter/stream"

// IdleTimer says when a split has gone idle (Flink: WatermarksWithIdleness.IdlenessTimer). It is
// looked at only when the source is probed, and costs an element no look at a clock.
type IdleTimer struct {
	timeout stream.Time // ms
	active  bool        // there was an element since the last probe
	//lab:begin 5c
	running bool        // no element at the last probe
	since   stream.Time // processing time of the first probe without an element
	//lab:end
}

// Activity notes that there was an element.
func (t *IdleTimer) Activity() { t.active = true }

// Probe reports whether the split is idle at processing time now.
//
// A probe that finds that there was an element says no, and forgets what was before. The first probe
// that finds none says no, too, but starts the clock. A later one says yes if more than the timeout
// has passed since then. So it takes two probes at least, and just the timeout is not enough. If the
// clock was set back, time starts anew: it must not take hours until the next split is idle.
func (t *IdleTimer) Probe(now stream.Time) bool {
	//lab:begin 5c
	switch {
	case t.active:
		t.active, t.running = false, false
		return false
	case !t.running, now < t.since:
		t.running, t.since = true, now
		return false
	}
	return now-t.since > t.timeout
	//lab:end
}

// NewIdleTimer makes a timer that calls a split idle after more than timeout (ms).
func NewIdleTimer(timeout stream.Time) *IdleTimer { return &IdleTimer{timeout: timeout} }

// noneActive is what Emit answers when no split is active: the source goes idle, and says so once.
// That is so at once for a subtask that never got a split (FLINK-8001: it has nothing to wait for, and
// the final watermark would be a lie). If all splits are finished it says nothing: the end of input
// is about to be announced.
func (s *Splits) noneActive() stream.Signal {
	//lab:begin 5c
	if s.idle || s.allFinished() {
		return stream.Nothing
	}
	s.idle = true
	return stream.Signal{Watermark: stream.NoTime, Status: stream.Idle}
	//lab:end
}

// allFinished reports whether there were splits, and all have finished.
func (s *Splits) allFinished() bool {
	for _, sp := range s.order {
		if !sp.finished {
			return false
		}
	}
	return len(s.order) > 0
}
