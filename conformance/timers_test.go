package conformance

import (
	"cmp"
	"slices"

	"gatewaymeter/stream"
)

// sortedTimers is a timer service that is plainly right: one sorted slice, and each key's timers in a
// value state. It stands in for lab 06's.
type sortedTimers struct {
	c     *stream.Context
	queue []stream.Timer
	saved stream.Value[[]stream.Timer]
}

func newSortedTimers(c *stream.Context, d stream.Domain) (stream.TimerService, error) {
	return &sortedTimers{c: c, saved: stream.NewValue(c, "timers-"+d.String(), stream.JSON[[]stream.Timer]())}, nil
}

func compareTimers(a, b stream.Timer) int {
	return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.Group, b.Group), cmp.Compare(a.Key, b.Key), a.Window.Compare(b.Window))
}

func (s *sortedTimers) find(at stream.Time, w stream.Window) (stream.Timer, int, bool) {
	t := stream.Timer{At: at, Group: s.c.Group(), Key: s.c.Key(), Window: w}
	i, ok := slices.BinarySearchFunc(s.queue, t, compareTimers)
	return t, i, ok
}

func (s *sortedTimers) Register(at stream.Time, w stream.Window) {
	if t, i, ok := s.find(at, w); !ok {
		s.queue = slices.Insert(s.queue, i, t)
		mine, _ := s.saved.Get()
		s.saved.Update(append(mine, t))
	}
}

func (s *sortedTimers) Delete(at stream.Time, w stream.Window) {
	t, i, ok := s.find(at, w)
	if !ok {
		return
	}
	s.queue = slices.Delete(s.queue, i, i+1)
	mine, _ := s.saved.Get()
	if mine = slices.DeleteFunc(mine, func(o stream.Timer) bool { return o == t }); len(mine) > 0 {
		s.saved.Update(mine)
	} else {
		s.saved.Clear()
	}
}

func (s *sortedTimers) Advance(to stream.Time, limit int, fire func(stream.Timer) error) (bool, error) {
	for fired := 0; len(s.queue) > 0 && s.queue[0].At <= to; fired++ {
		if fired == limit {
			return true, nil
		}
		t := s.queue[0]
		s.c.SetKey(t.Group, t.Key)
		s.Delete(t.At, t.Window)
		if err := fire(t); err != nil {
			return false, err
		}
	}
	return false, nil
}

func (s *sortedTimers) Next() (stream.Time, bool) {
	if len(s.queue) == 0 {
		return stream.NoTime, false
	}
	return s.queue[0].At, true
}

func (s *sortedTimers) Len() int { return len(s.queue) }

func (s *sortedTimers) Recover() error {
	s.queue = nil
	for group := range 128 {
		if err := s.c.Backend.Each("timers-event", group, func(_ string, v any) error {
			s.queue = append(s.queue, *v.(*[]stream.Timer)...)
			return nil
		}); err != nil {
			return err
		}
	}
	slices.SortFunc(s.queue, compareTimers)
	return nil
}
