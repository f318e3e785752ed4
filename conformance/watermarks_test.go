package conformance

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	watermarks "gatewaymeter/labs/05-watermarks/solution"
	"gatewaymeter/stream"
)

type watermarkCase struct {
	Kind        string            `json:"kind"`
	ID          string            `json:"id"`
	Channels    int               `json:"channels"`
	Delay       int64             `json:"delay"`
	IdleTimeout *int64            `json:"idle_timeout"`
	Interval    int64             `json:"interval"`
	Start       int64             `json:"start_processing_time"`
	Actions     []watermarkAction `json:"actions"`
}

type watermarkAction struct {
	Op      string   `json:"op"`
	Channel int      `json:"channel"`
	TS      int64    `json:"ts"`
	MS      int64    `json:"ms"`
	Out     []effect `json:"out"`
}

func (a watermarkAction) String() string {
	return fmt.Sprintf("%s channel=%d ts=%d ms=%d", a.Op, a.Channel, a.TS, a.MS)
}

// effect is one element that goes on: "watermark 10", "record 3", "idle", "active".
type effect string

func (e *effect) UnmarshalJSON(b []byte) error {
	var (
		name string
		ts   int64
	)
	if err := tuple(b, &name); err == nil {
		*e = effect(name)
		return nil
	}
	if err := tuple(b, &name, &ts); err != nil {
		return err
	}
	*e = timed(name, stream.Time(ts))
	return nil
}

func timed(name string, at stream.Time) effect { return effect(fmt.Sprintf("%s %d", name, int64(at))) }

// effects is a signal as what goes on because of it, in order.
func effects(s stream.Signal) (out []effect) {
	if s.Status == stream.Active {
		out = append(out, "active")
	}
	if s.Watermark != stream.NoTime {
		out = append(out, timed("watermark", s.Watermark))
	}
	if s.Status == stream.Idle {
		out = append(out, "idle")
	}
	return out
}

// TestWatermarks: the valve, the bounded generator with idleness, and both inside an operator.
func TestWatermarks(t *testing.T) {
	Each(t, "watermarks.jsonl", func(t *testing.T, line int, c watermarkCase) {
		step := watermarkStep(t, c)
		for i, a := range c.Actions {
			if got := step(a); !slices.Equal(a.Out, got) {
				t.Fatalf("line %d, case %s\n%sgot  %q\nwant %q", line, c.ID, steps(c.Actions[:i+1]), got, a.Out)
			}
		}
	})
}

// steps is the actions so far, one a line; the last is the one that failed.
func steps[A fmt.Stringer](actions []A) string {
	var b strings.Builder
	for i, a := range actions {
		fmt.Fprintf(&b, "  %3d %v\n", i+1, a)
	}
	return b.String()
}

func watermarkStep(t *testing.T, c watermarkCase) func(watermarkAction) []effect {
	unknown := func(a watermarkAction) []effect {
		require.Failf(t, "unknown op", "%s: %q in a case of kind %q", c.ID, a.Op, c.Kind)
		return nil
	}
	switch c.Kind {
	case "valve":
		return valveStep(c, unknown)
	case "generator":
		return generatorStep(c, unknown)
	case "source":
		return sourceStep(c, unknown)
	}
	t.Fatalf("%s: unknown kind %q", c.ID, c.Kind)
	return nil
}

func valveStep(c watermarkCase, unknown func(watermarkAction) []effect) func(watermarkAction) []effect {
	valve := watermarks.NewValve(c.Channels)
	return func(a watermarkAction) []effect {
		switch a.Op {
		case "watermark":
			return effects(valve.Watermark(a.Channel, stream.Time(a.TS)))
		case "idle":
			return effects(valve.Idle(a.Channel))
		case "active":
			return effects(valve.Active(a.Channel))
		}
		return unknown(a)
	}
}

// generatorStep is the generator alone: it gives its watermark at every probe, risen or not, and says
// once that it is idle.
func generatorStep(c watermarkCase, unknown func(watermarkAction) []effect) func(watermarkAction) []effect {
	generator := watermarks.NewBounded(ms(c.Delay))
	var timer *watermarks.IdleTimer
	if c.IdleTimeout != nil {
		timer = watermarks.NewIdleTimer(stream.Time(*c.IdleTimeout))
	}
	now, idle := stream.Time(1000), false
	return func(a watermarkAction) []effect {
		switch a.Op {
		case "event":
			generator.Event(stream.Time(a.TS))
			if timer != nil {
				timer.Activity()
			}
			idle = false
			return nil
		case "advance":
			now += stream.Time(a.MS)
			return nil
		case "probe":
			if timer == nil || !timer.Probe(now) {
				return []effect{timed("watermark", generator.Watermark())}
			}
			if idle {
				return nil
			}
			idle = true
			return []effect{"idle"}
		}
		return unknown(a)
	}
}

func sourceStep(c watermarkCase, unknown func(watermarkAction) []effect) func(watermarkAction) []effect {
	var options []watermarks.Option
	if c.IdleTimeout != nil {
		options = append(options, watermarks.WithIdleness(ms(*c.IdleTimeout)))
	}
	splits := watermarks.NewSplits(ms(c.Delay), options...)
	splits.Add(0)
	periodic := watermarks.NewPeriodic(splits, ms(c.Interval), stream.Time(c.Start))
	return func(a watermarkAction) []effect {
		switch a.Op {
		case "event":
			splits.Event(0, stream.Time(a.TS))
			return []effect{timed("record", stream.Time(a.TS))}
		case "processing_time":
			return effects(periodic.Tick(stream.Time(a.TS)))
		case "upstream_watermark":
			return effects(periodic.Upstream(stream.Time(a.TS)))
		}
		return unknown(a)
	}
}

func ms(n int64) time.Duration { return time.Duration(n) * time.Millisecond }
