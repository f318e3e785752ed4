package bench

import (
	"sync"
	"time"

	"gatewaymeter/bench/work"
	"gatewaymeter/gateway"
	"gatewaymeter/stream"
)

// probe is what a run leaves for Run to read: when it started and ended, and the sinks' sums.
type probe struct {
	start  time.Time // the source's first poll
	events int64

	mu   sync.Mutex
	end  time.Time // the last sink's end of input
	sums work.Sums
}

// add takes in the sums of a sink whose input has ended.
func (p *probe) add(s work.Sums) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.sums.Add(s)
	p.end = time.Now()
}

// summing is a sink of one subtask: what it writes is added up.
type summing[T any] struct {
	probe *probe
	sums  work.Sums
	count func(*work.Sums, T)
}

func (s *summing[T]) Open(*stream.Context) error { return nil }

func (s *summing[T]) Write(_ *stream.Context, v T) error {
	s.count(&s.sums, v)
	return nil
}

// Flush is called at the end of input; the bench takes no snapshots through it.
func (s *summing[T]) Flush() stream.Work {
	s.probe.add(s.sums)
	s.sums = work.Sums{}
	return nil
}

// newTotals makes sink A, newWindows sink B.
func (p *probe) newTotals() stream.Sink[gateway.TenantTotal] {
	return &summing[gateway.TenantTotal]{probe: p, count: func(s *work.Sums, t gateway.TenantTotal) {
		s.A(t.Seq, int64(t.Cost))
	}}
}

func (p *probe) newWindows() stream.Sink[gateway.TenantWindow] {
	return &summing[gateway.TenantWindow]{probe: p, count: func(s *work.Sums, w gateway.TenantWindow) {
		s.B(w.Start, int64(w.Sum))
	}}
}
