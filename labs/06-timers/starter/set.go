package timers

import (
	"slices"

	"gatewaymeter/stream"
)

// set is the timers of one key in one time domain: what the key's drawer holds. No two have the same
// time and window.
//
// Most keys have one timer, and it stands in the set itself: registering it allocates nothing. A few
// more are a slice to walk through. Only a key with many gets an index, so that the thousandth timer
// of a key costs no more than the tenth.
type set struct {
	one   timer
	taken bool // one is in use
	few   []*timer
	many  map[identity]*timer // nil while few is in use
	spare []*timer            // no longer in use
}

// identity tells the timers of one key apart.
type identity struct {
	at     stream.Time
	window stream.Window
}

// fewTimers is the most that are searched one by one.
const fewTimers = 8

func (t *timer) is(at stream.Time, w stream.Window) bool { return t.at == at && t.window == w }

// find is the timer at that time in that window, or nil.
func (s *set) find(at stream.Time, w stream.Window) *timer {
	if s.taken && s.one.is(at, w) {
		return &s.one
	}
	if s.many != nil {
		return s.many[identity{at, w}]
	}
	for _, t := range s.few {
		if t.is(at, w) {
			return t
		}
	}
	return nil
}

// add makes a timer that is not there yet.
func (s *set) add(at stream.Time, w stream.Window) *timer {
	t := &s.one
	if s.taken {
		t = s.another()
	}
	s.taken = true
	t.at, t.window = at, w
	switch {
	case t == &s.one:
	case s.many != nil:
		s.many[identity{at, w}] = t
	default:
		s.few = append(s.few, t)
	}
	return t
}

// another is a timer besides the first. The slice becomes an index when it has grown too long.
func (s *set) another() *timer {
	if s.many == nil && len(s.few) == fewTimers {
		s.many = make(map[identity]*timer, 2*fewTimers)
		for _, t := range s.few {
			s.many[identity{t.at, t.window}] = t
		}
		s.few = s.few[:0]
	}
	if n := len(s.spare); n > 0 {
		t := s.spare[n-1]
		s.spare = s.spare[:n-1]
		return t
	}
	return new(timer)
}

// remove takes out a timer of this set.
func (s *set) remove(t *timer) {
	if t == &s.one {
		s.taken = false
		return
	}
	if s.many != nil {
		delete(s.many, identity{t.at, t.window})
	} else {
		i := slices.Index(s.few, t)
		s.few[i] = s.few[len(s.few)-1]
		s.few = s.few[:len(s.few)-1]
	}
	if len(s.spare) < fewTimers {
		s.spare = append(s.spare, t)
	}
}

// empty reports whether no timer is left.
func (s *set) empty() bool { return !s.taken && len(s.few) == 0 && len(s.many) == 0 }

// reset makes the set empty, whatever it held for another key.
func (s *set) reset() {
	s.taken, s.many = false, nil
	s.few = s.few[:0]
}

// sorted is all timers, by time, then window.
func (s *set) sorted() []*timer {
	all := make([]*timer, 0, 1+len(s.few)+len(s.many))
	if s.taken {
		all = append(all, &s.one)
	}
	all = append(all, s.few...)
	for _, t := range s.many {
		all = append(all, t)
	}
	slices.SortFunc(all, (*timer).compare)
	return all
}
