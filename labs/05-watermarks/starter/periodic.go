package watermarks

import (
	"time"

	"gatewaymeter/stream"
)

// Periodic probes watermarks at an interval of processing time, in the middle of a stream (Flink:
// TimestampsAndWatermarksOperator). What it passes on rises: an Active goes only with a watermark
// above all before. The engine's log source does the same, and also counts elements.
type Periodic struct {
	from     stream.SplitWatermarks
	interval stream.Time // ms
	next     stream.Time // processing time of the next probe
	out      stream.Time
	idle     bool
}

// NewPeriodic makes it at processing time now; the first probe is one interval later.
func NewPeriodic(from stream.SplitWatermarks, interval time.Duration, now stream.Time) *Periodic {
	ms := stream.Time(interval.Milliseconds())
	return &Periodic{from: from, interval: ms, next: now + ms, out: stream.NoTime}
}

// Tick tells the time. If a probe is due, the result is what it gave; the next is one interval after
// now, not after the time that this one was due at.
func (p *Periodic) Tick(now stream.Time) stream.Signal {
	if now < p.next {
		return stream.Nothing
	}
	p.next = now + p.interval
	return p.pass(p.from.Emit(now))
}

// Upstream takes a watermark from before this operator. Only the final one is passed on: the others
// are what this operator makes anew.
func (p *Periodic) Upstream(t stream.Time) stream.Signal {
	if t != stream.MaxTime {
		return stream.Nothing
	}
	return p.pass(stream.Signal{Watermark: t})
}

// pass lets through what is new: a watermark above all before, which also makes an idle stream active,
// and an Idle that was not the last status. After the final watermark no other is higher: the stream may
// still go idle, and then stays so (Flink: TimestampsAndWatermarksOperator.WatermarkEmitter).
func (p *Periodic) pass(s stream.Signal) stream.Signal {
	out := stream.Nothing
	if s.Watermark > p.out {
		p.out, out.Watermark = s.Watermark, s.Watermark
		if p.idle {
			p.idle, out.Status = false, stream.Active
		}
	}
	if s.Status == stream.Idle && !p.idle {
		p.idle, out.Status = true, stream.Idle
	}
	return out
}
