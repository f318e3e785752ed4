package bench

import (
	"fmt"
	"time"

	"gatewaymeter/bench/work"
	"gatewaymeter/engine"
	"gatewaymeter/gateway"
	"gatewaymeter/labs/03-stateful-operators/serialised"
	operators "gatewaymeter/labs/03-stateful-operators/solution"
	windows "gatewaymeter/labs/04-windows/solution"
	"gatewaymeter/pipeline"
	"gatewaymeter/stream"
)

// Config says what is run.
type Config struct {
	Stage       work.Stage
	Requests    int64
	Seed        uint64
	Parallelism int           // of all operators but the source
	Backend     string        // Heap or Pebble
	Dir         string        // where pebble and checkpoints get a folder for their files, removed afterwards; empty: TMPDIR
	Checkpoint  time.Duration // between two checkpoints; 0: none are taken. At stage 06 only
	Changed     float64       // OpenRequests alone: the share of the entries that change between two checkpoints
	Trace       func(stream.Step)
}

// The backends.
const (
	Heap   = "heap"
	Pebble = "pebble"
)

// Validate says what of the configuration cannot be.
func (c Config) Validate() error {
	switch {
	case c.Stage != work.Stateful && c.Stage != work.Full:
		return fmt.Errorf("stage %02d: the work is defined for stages %02d (no timers, no windows) and %02d", c.Stage, work.Stateful, work.Full)
	case c.Requests < 1:
		return fmt.Errorf("%d requests: there must be at least 1", c.Requests)
	case c.Parallelism < 1 || c.Parallelism > pipeline.Groups:
		return fmt.Errorf("parallelism %d: there must be 1 to %d subtasks, one key group each at least", c.Parallelism, pipeline.Groups)
	case c.Backend != Heap && c.Backend != Pebble:
		return fmt.Errorf("backend %q: it is %s or %s", c.Backend, Heap, Pebble)
	case c.Changed < 0 || c.Changed > 1:
		return fmt.Errorf("%v %% of the entries changed: there are 0 to 100 %%", c.Changed*100)
	case c.Checkpoint < 0 || c.Checkpoint > 0 && c.Stage != work.Full:
		return fmt.Errorf("a checkpoint every %v at stage %02d: checkpoints are taken at stage %02d, every 1ms or more", c.Checkpoint, c.Stage, work.Full)
	}
	return nil
}

// build makes the job.
func (c Config) build(p *probe) (*engine.Job, error) {
	parts, ours, err := c.ours()
	if err != nil {
		return nil, err
	}
	j := engine.NewJob("bench", parts, c.Parallelism)
	if c.Trace != nil {
		j.SetTrace(c.Trace)
	}
	events := engine.From(j, "source", func() stream.Source[gateway.Event] {
		return &source{input: work.NewEvents(c.Requests, c.Seed), watermarks: parts.Watermarks != nil, probe: p}
	}).SetParallelism(1)
	records := engine.ProcessKeyed(keyBy(events, requestOf, ours.Exchanges.Events), "assemble", ours.Assemble)
	totals := engine.ProcessKeyed(keyBy(records, tenantOf, ours.Exchanges.Records), "tenant-cost", ours.Total)
	engine.SinkTo(totals, "sink-a", p.newTotals)
	if c.Stage == work.Full {
		minutes := engine.ProcessKeyed(keyBy(records, tenantOf, ours.Exchanges.Records), "tenant-minute", newMinute)
		engine.SinkTo(minutes, "sink-b", p.newWindows)
	}
	return j, j.Validate()
}

// ours is the stage's engine and functions; with checkpoints those of lab 07, whose functions are stage
// 06's.
func (c Config) ours() (engine.Parts, pipeline.Functions, error) {
	stage := int(c.Stage)
	if c.Checkpoint > 0 {
		stage = pipeline.LastStage
	}
	parts, ours, err := pipeline.Ours(stage)
	if c.Backend == Pebble {
		parts.Backend = c.pebble
	}
	return parts, ours, err
}

// newMinute is the job's invoice with WORK.md's windows, which have no lateness.
func newMinute() stream.KeyedFunction[gateway.RequestRecord, gateway.TenantWindow] {
	return windows.NewMinuteInvoice(gateway.ListPrices(), 0)
}

func requestOf(e gateway.Event) string        { return e.RequestID }
func tenantOf(r gateway.RequestRecord) string { return r.TenantID }

// keyBy is KeyBy with the job's way to make exchanges.
func keyBy[T any](s engine.Stream[T], keyOf func(T) string, newExchange func(func(T) string, []int) stream.Exchange[T]) engine.KeyedStream[T] {
	return engine.KeyBy(s, keyOf, func(owner []int) stream.Exchange[T] { return newExchange(keyOf, owner) })
}

// pebble makes a subtask's serialised backend, with time to live around it as the product has it.
func (c Config) pebble(s engine.Subtask) (stream.Backend, error) {
	inner, err := serialised.New(c.Dir, s.First, s.Last)
	if err != nil {
		return nil, err
	}
	return operators.NewTTL(inner, s.Clock), nil
}
