package timers

import (
	"fmt"

	"gatewaymeter/stream"
)

// service is stream.TimerService over a backend (Flink: InternalTimerServiceImpl): a set of timers for
// each key, in the key's drawer, and one queue over all of them.
type service struct {
	c      *stream.Context
	domain stream.Domain
	state  string
	cell   stream.ValueCell // a *set
	queue  queue
}

// StateName is the state that the timers of a domain are kept in.
func StateName(d stream.Domain) string { return "_timers/" + d.String() }

// NewService makes the timers of one domain, for the operator and subtask that c belongs to. The
// context's backend must be there already.
func NewService(c *stream.Context, d stream.Domain) (stream.TimerService, error) {
	s := &service{c: c, domain: d, state: StateName(d)}
	if c.Backend == nil {
		return nil, &stream.StateError{State: s.state, Err: stream.ErrNotKeyed}
	}
	cell, err := c.Backend.Cell(stream.Describe[set](s.state, setCodec{}, true))
	if err != nil {
		return nil, fmt.Errorf("the state of the %v timers: %w", d, err)
	}
	s.cell = cell.(stream.ValueCell)
	return s, nil
}

// Register adds a timer for the current key, to its set and to the queue. If there already is one at
// that time in that window, nothing changes.
//
// It does not look at the time: a timer that is due already waits for the next Advance.
func (s *service) Register(at stream.Time, w stream.Window) {
	//lab:begin 6a
	of, known := s.cell.Get().(*set)
	if known && of.find(at, w) != nil {
		return
	}
	of = s.cell.Put().(*set)
	if !known {
		of.reset()
	}
	t := of.add(at, w)
	t.group, t.key = s.c.Group(), s.c.Key()
	s.queue.push(t)
	//lab:end
}

// Delete removes the current key's timer at that time in that window, from its set and from the queue.
// If there is none, nothing changes. With its last timer, the key's set goes too.
func (s *service) Delete(at stream.Time, w stream.Window) {
	//lab:begin 6a
	of, known := s.cell.Get().(*set)
	if !known {
		return
	}
	t := of.find(at, w)
	if t == nil {
		return
	}
	s.queue.remove(t)
	s.take(of, t)
	//lab:end
}

//lab:begin 6a

// take takes a timer out of the current key's set. A set without timers must leave the drawer, or
// every key would keep its drawer for ever.
func (s *service) take(of *set, t *timer) {
	of.remove(t)
	if of.empty() {
		s.cell.Clear()
		return
	}
	s.cell.Put()
}

//lab:end

// Advance fires every timer at or before to, in the order of the queue. For each: first it makes the
// timer's key current (Context.SetKey), then it takes the timer out of its set and of the queue, then
// it calls fire, with all five fields of a stream.Timer. So fire finds the state of the right key, and
// may register the same timer again.
//
// A timer that fire registers at or before to fires in this pass too; one that it deletes does not
// fire. An error of fire ends the pass and is returned. After limit firings, Advance stops: more says
// whether another timer is due.
func (s *service) Advance(to stream.Time, limit int, fire func(stream.Timer) error) (more bool, err error) {
	//lab:begin 6b
	for fired := 0; ; fired++ {
		t := s.queue.next() // anew each time: fire may have changed what comes next
		if t == nil || t.at > to {
			return false, nil
		}
		if fired == limit {
			return true, nil
		}
		due := stream.Timer{Domain: s.domain, At: t.at, Group: t.group, Key: t.key, Window: t.window}
		s.c.SetKey(due.Group, due.Key)
		s.Delete(due.At, due.Window)
		if err := fire(due); err != nil {
			return false, err
		}
	}
	//lab:end
}

// Next is the time of the earliest timer, and whether there is one: until then, a clock may sleep.
func (s *service) Next() (stream.Time, bool) {
	//lab:begin 6c
	if t := s.queue.next(); t != nil {
		return t.at, true
	}
	return stream.NoTime, false
	//lab:end
}

// Len is the number of timers.
func (s *service) Len() int { return len(s.queue) }

// Recover makes the queue anew after a restore: it walks the sets of all keys in the subtask's groups
// (Context.FirstGroup to LastGroup, Backend.Each) and tells each timer its group and key. No key is
// current, and nothing fires: what was due during the outage fires at the next Advance, of processing
// time as soon as the clock is looked at, of event time when the watermark has come so far again,
// since watermarks are not in a snapshot.
func (s *service) Recover() error {
	//lab:begin 6c
	s.queue = s.queue[:0]
	for group := s.c.FirstGroup; group <= s.c.LastGroup; group++ {
		err := s.c.Backend.Each(s.state, group, func(key string, v any) error {
			for _, t := range v.(*set).sorted() {
				t.group, t.key = group, key
				s.queue = append(s.queue, queued{t.at, t})
			}
			return nil
		})
		if err != nil {
			return fmt.Errorf("the %v timers of key group %d: %w", s.domain, group, err)
		}
	}
	s.queue.order()
	return nil
	//lab:end
}
