package watermarks

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"gatewaymeter/stream"
)

// Splits is the watermark of a source subtask that reads several splits (stream.SplitWatermarks;
// Flink: WatermarkOutputMultiplexer). Each split has a generator of its own: the partitions of a
// topic do not advance together, and one generator over all of them would make every element of a
// partition that lags behind late.
type Splits struct {
	bound    time.Duration
	timeout  time.Duration // of idleness; 0: a split is never idle
	drift    time.Duration // of alignment; 0: off
	order    []*split      // by id
	last     *split        // the split of the last element
	out      stream.Time   // the last watermark given out; NoTime before the first
	idle     bool          // Idle was the last status given out
	clock    *WorkClock    // nil: the clock as it is
	paused   []int
	reported []stream.ChannelTime
}

// split is what is known of one split.
type split struct {
	id        int
	generator *Bounded
	timer     IdleTimer
	event     stream.Time // timestamp of the last element
	idle      bool        // as of the last probe
	finished  bool
	paused    bool // as of the last Paused
}

// Option changes what NewSplits makes.
type Option func(*Splits)

// WithIdleness makes a split idle that had no element for longer than timeout (Flink: withIdleness).
func WithIdleness(timeout time.Duration) Option { return func(s *Splits) { s.timeout = timeout } }

// WithAlignment makes splits wait whose watermark is more than maxDrift ahead of the least one
// (Flink: withWatermarkAlignment, here between the splits of one subtask).
func WithAlignment(maxDrift time.Duration) Option { return func(s *Splits) { s.drift = maxDrift } }

// WithMaxGap says how much of the time between two probes counts for idleness at most: twice the
// interval is right. A source that was not probed for longer was held up by backpressure, and could
// not have read anything (see WorkClock).
func WithMaxGap(gap time.Duration) Option {
	return func(s *Splits) { s.clock = NewWorkClock(gap) }
}

// NewSplits makes the watermarks of one source subtask. bound is how far elements of one split may be
// out of order.
func NewSplits(bound time.Duration, options ...Option) *Splits {
	s := &Splits{bound: bound, out: stream.NoTime}
	for _, option := range options {
		option(s)
	}
	return s
}

// Add takes a split over. Adding one twice changes nothing.
func (s *Splits) Add(id int) {
	i, known := s.find(id)
	if known {
		return
	}
	s.order = slices.Insert(s.order, i, &split{
		id:        id,
		generator: NewBounded(s.bound),
		timer:     IdleTimer{timeout: stream.Time(s.timeout.Milliseconds())},
		event:     stream.NoTime,
	})
}

// Event tells of an element at time t on a split: its generator and its idle timer must know, and
// Channels reports t as the split's last event. It never lowers the split's watermark.
func (s *Splits) Event(id int, t stream.Time) {
	//lab:begin 5b
	sp := s.at(id)
	sp.event = t
	sp.generator.Event(t)
	sp.timer.Activity()
	//lab:end
}

// Finish takes a split out: it has no more elements, so nobody has to wait for it.
func (s *Splits) Finish(id int) {
	//lab:begin 5b
	s.at(id).finished = true
	//lab:end
}

// Emit is the periodic probe: first it calls probe, which says which splits are idle now, and then
// gives the least watermark over the splits that are neither idle nor finished, if that has risen
// since the last one given out; else Nothing. If the source was idle until now, Active goes with the
// watermark. If there is no such split, the answer is noneActive's.
//
// now is processing time; only idleness looks at it.
func (s *Splits) Emit(now stream.Time) stream.Signal {
	//lab:begin 5b
	s.probe(now)
	least := s.least()
	if least == nil {
		return s.noneActive()
	}
	mark := least.generator.Watermark()
	if mark <= s.out {
		return stream.Nothing
	}
	s.out = mark
	signal := stream.Signal{Watermark: mark}
	if s.idle {
		s.idle = false
		signal.Status = stream.Active
	}
	return signal
	//lab:end
}

// least is the split that holds time back: of those that are neither idle nor finished, the one with
// the least watermark, and of equals the first; nil if there is none.
func (s *Splits) least() *split {
	//lab:begin 5b
	var least *split
	for _, sp := range s.order {
		if sp.idle || sp.finished {
			continue
		}
		if least == nil || sp.generator.Watermark() < least.generator.Watermark() {
			least = sp
		}
	}
	return least
	//lab:end
}

// probe asks every split's timer whether the split is idle now.
func (s *Splits) probe(now stream.Time) {
	if s.timeout == 0 {
		return
	}
	if s.clock != nil {
		now = s.clock.Advance(now)
	}
	for _, sp := range s.order {
		if sp.paused {
			sp.timer.Activity() // it was not read: no wonder that nothing came (FLINK-35886)
		}
		sp.idle = !sp.finished && sp.timer.Probe(now)
	}
}

// Channels reports every split, by id, for whoever asks what holds time back (stream.TimeReporter).
// The slice is valid until the next call.
func (s *Splits) Channels() []stream.ChannelTime {
	s.reported = s.reported[:0]
	for _, sp := range s.order {
		s.reported = append(s.reported, stream.ChannelTime{
			Channel:   sp.id,
			Watermark: sp.generator.Watermark(),
			LastEvent: sp.event,
			Idle:      sp.idle,
			Ended:     sp.finished,
			Paused:    sp.paused,
		})
	}
	return s.reported
}

// at is a split by id. Elements come in runs of one split, so the last one is looked at first.
func (s *Splits) at(id int) *split {
	if s.last != nil && s.last.id == id {
		return s.last
	}
	i, known := s.find(id)
	if !known {
		panic(fmt.Sprintf("watermarks: split %d was never added: add every split before the first element", id))
	}
	s.last = s.order[i]
	return s.last
}

func (s *Splits) find(id int) (int, bool) {
	return slices.BinarySearchFunc(s.order, id, func(sp *split, id int) int { return cmp.Compare(sp.id, id) })
}
