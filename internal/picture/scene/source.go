package scene

import (
	"math"
	"time"

	"gatewaymeter/engine"
	"gatewaymeter/harness"
	watermarks "gatewaymeter/labs/05-watermarks/solution"
	"gatewaymeter/stream"
)

// sourceStage is the engine's source over a log in memory, with the watermarks of lab 05: "source
// partitions=3 bound=2s idle=10s", or with align=20s a partition waits that is so far ahead. Steps: event
// partition= is= t= writes a message and has the source read what it may; probe now= sets the clock, and
// the source gives its watermark.
type sourceStage struct {
	log *memoryLog[timed]
	h   *harness.Source[Letter]
}

// timed is a letter with its event time.
type timed struct {
	Letter
	at stream.Time
}

func newSource(head *Step, trace func(stream.Step)) stage {
	s := &sourceStage{log: newLog[timed](head.Number("partitions"))}
	p := parts()
	p.Watermarks = func() stream.SplitWatermarks {
		var options []watermarks.Option
		if idle := head.Span("idle"); idle > 0 {
			options = append(options, watermarks.WithIdleness(idle))
		}
		if drift := head.Span("align"); drift > 0 {
			options = append(options, watermarks.WithAlignment(drift))
		}
		return watermarks.NewSplits(head.Span("bound"), options...)
	}
	cfg := engine.LogConfig[Letter]{
		Log: func(int) (stream.Log, error) { return s.log, nil },
		Decode: func(m stream.Message) (Letter, stream.Time, error) {
			v := s.log.at(m)
			return v.Letter, v.at, nil
		},
		Interval: time.Millisecond,
		Splits:   s.log.splits(),
	}
	s.h = harness.NewSource(newFailing(), p, stream.Source[Letter](engine.NewLogSource(p, cfg)), harness.Named("source"), harness.TraceTo(trace))
	return s
}

func (s *sourceStage) close() { s.h.Close() }

func (s *sourceStage) do(step *Step) {
	switch step.Verb {
	case "event":
		s.log.write(step.Number("partition"), timed{Letter{Is: step.Arg("is")}, step.At("t")})
	case "probe":
		s.h.SetProcessingTime(step.At("now"))
	default:
		unknown(step)
	}
	s.h.Poll(math.MaxInt32)
}
