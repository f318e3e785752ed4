package bench

import (
	"fmt"

	"gatewaymeter/bench/work"
	"gatewaymeter/engine"
	"gatewaymeter/gateway"
	keying "gatewaymeter/labs/02-keying/solution"
	"gatewaymeter/labs/03-stateful-operators/serialised"
	operators "gatewaymeter/labs/03-stateful-operators/solution"
	windows "gatewaymeter/labs/04-windows/solution"
	watermarks "gatewaymeter/labs/05-watermarks/solution"
	timers "gatewaymeter/labs/06-timers/solution"
	"gatewaymeter/stream"
)

// Config says what is run.
type Config struct {
	Stage       work.Stage
	Requests    int64
	Seed        uint64
	Parallelism int    // of all operators but the source
	Backend     string // Heap or Pebble
	Dir         string // where pebble keeps its files
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
	case c.Parallelism < 1 || c.Parallelism > groups:
		return fmt.Errorf("parallelism %d: there must be 1 to %d subtasks, one key group each at least", c.Parallelism, groups)
	case c.Backend != Heap && c.Backend != Pebble:
		return fmt.Errorf("backend %q: it is %s or %s", c.Backend, Heap, Pebble)
	}
	return nil
}

// groups is the number of key groups, as in `lab run`.
const groups = 128

// build makes the job.
func (c Config) build(p *probe) (*engine.Job, error) {
	parts, err := c.parts()
	if err != nil {
		return nil, err
	}
	j := engine.NewJob("bench", parts, c.Parallelism)
	if c.Trace != nil {
		j.SetTrace(c.Trace)
	}
	full := c.Stage == work.Full
	events := engine.From(j, "source", func() stream.Source[gateway.Event] {
		return &source{input: work.NewEvents(c.Requests, c.Seed), watermarks: full, probe: p}
	}).SetParallelism(1)
	assemble := operators.NewAssembler
	if full {
		assemble = func() stream.KeyedFunction[gateway.Event, gateway.RequestRecord] {
			return timers.NewAssembler(timers.EventTimeRule())
		}
	}
	records := engine.ProcessKeyed(keyBy(parts, events, requestOf), "assemble", assemble)
	totals := engine.ProcessKeyed(keyBy(parts, records, tenantOf), "tenant-cost",
		func() stream.KeyedFunction[gateway.RequestRecord, gateway.TenantTotal] {
			return operators.NewTenantCost(gateway.ListPrices())
		})
	engine.SinkTo(totals, "sink-a", p.newTotals)
	if full {
		minutes := engine.ProcessKeyed(keyBy(parts, records, tenantOf), "tenant-minute",
			func() stream.KeyedFunction[gateway.RequestRecord, gateway.TenantWindow] {
				return windows.NewMinuteInvoice(gateway.ListPrices(), 0)
			})
		engine.SinkTo(minutes, "sink-b", p.newWindows)
	}
	return j, j.Validate()
}

func requestOf(e gateway.Event) string        { return e.RequestID }
func tenantOf(r gateway.RequestRecord) string { return r.TenantID }

// keyBy is engine.KeyBy with lab 02's exchange.
func keyBy[T any](parts engine.Parts, s engine.Stream[T], keyOf func(T) string) engine.KeyedStream[T] {
	return engine.KeyBy(s, keyOf, func(owner []int) stream.Exchange[T] {
		return keying.NewExchange(func(v T) int { return parts.Groups.Of(keying.HashString(keyOf(v))) }, owner)
	})
}

// parts is the engine of the stage.
func (c Config) parts() (engine.Parts, error) {
	g, err := keying.NewGroups(groups)
	if err != nil {
		return engine.Parts{}, err
	}
	parts := engine.Parts{
		Groups:   g,
		Hash:     keying.HashString,
		Operator: operators.NewOperatorStore,
		Backend:  c.newBackend,
	}
	if c.Stage == work.Full {
		parts.Valve = watermarks.NewValve
		parts.Timers = timers.NewService
	}
	return parts, nil
}

// newBackend makes a subtask's backend, with time to live around it as the product has it.
func (c Config) newBackend(s engine.Subtask) (stream.Backend, error) {
	inner := operators.NewHeap(s.First, s.Last)
	if c.Backend == Pebble {
		var err error
		if inner, err = serialised.New(c.Dir, s.First, s.Last); err != nil {
			return nil, err
		}
	}
	return operators.NewTTL(inner, s.Clock), nil
}
