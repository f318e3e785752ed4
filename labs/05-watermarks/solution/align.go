package watermarks

import "gatewaymeter/stream"

// Paused lists, by ascending id, the splits that should not be read for now: the watermark of each is
// more than the drift ahead of the least. nil if alignment is off or nobody has to wait. The slice is
// valid until the next call; call it before each poll, since it looks at the elements read so far.
//
// The least is taken over the splits that are neither idle nor finished and that have had an element:
// a split without any has no watermark that others could be ahead of, and waiting for it might never
// end. A drift that does not fit into an int64 holds nobody back.
//
// What is paused is remembered in the split, for probe.
func (s *Splits) Paused() []int {
	if s.drift == 0 {
		return nil
	}
	return s.ahead()
}

// ahead is Paused where alignment is on.
func (s *Splits) ahead() []int {
	//lab:begin 5e
	limit := s.limit()
	s.paused = s.paused[:0]
	for _, sp := range s.order {
		sp.paused = !sp.finished && sp.generator.Watermark() > limit
		if sp.paused {
			s.paused = append(s.paused, sp.id)
		}
	}
	if len(s.paused) == 0 {
		return nil
	}
	return s.paused
	//lab:end
}

//lab:begin 5e

// limit is the highest watermark that a split may have now. Time.Add stops at MaxTime, which no
// generator reaches.
func (s *Splits) limit() stream.Time {
	least := stream.MaxTime
	for _, sp := range s.order {
		mark := sp.generator.Watermark()
		if !sp.idle && !sp.finished && mark != stream.NoTime {
			least = min(least, mark)
		}
	}
	return least.Add(s.drift)
}

//lab:end
