package pipeline

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"gatewaymeter/engine"
	"gatewaymeter/gateway"
	"gatewaymeter/generator"
	"gatewaymeter/stream"
)

// Where a job without a checkpoint starts to read after a crash.
const (
	FromEarliest = "earliest" // the start of the log: everything is billed again
	FromLatest   = "latest"   // the end of the log at the restart: what came before is lost
)

// CrashConfig is one seeded crash of a stage's job.
type CrashConfig struct {
	Stage       int
	Parallelism int
	Partitions  int
	Requests    int
	Seed        uint64
	From        string
	At          *engine.CrashPoint // nil: the seed chooses
	Parts       engine.Parts
	Functions   Functions
}

// Money is a set of requests and what they cost together.
type Money struct {
	Requests []string `json:"requests"` // ids, ascending
	USDNano  int64    `json:"usd_nano"`
}

// CrashReport says what a crash did to the bill: a line of `lab crash --json`.
type CrashReport struct {
	Seed         uint64 `json:"seed"`
	From         string `json:"from"`
	At           string `json:"at"`
	Fired        bool   `json:"fired"`
	Survived     Money  `json:"survived"`      // had left the job before the crash
	Recomputed   Money  `json:"recomputed"`    // their completion had been read before, and was read again
	EmittedTwice Money  `json:"emitted_twice"` // billed before the crash, and again after it
	NeverBilled  Money  `json:"never_billed"`  // owed, and on no line
	Oracle       string `json:"oracle"`        // match or mismatch, of all lines together
}

// Crash runs a job in the simulated driver while a seeded producer writes its traffic, kills the
// worker, starts every task again with empty state, and lets the job run to the end of the log.
func Crash(cfg CrashConfig) (*CrashReport, error) {
	if cfg.From != FromEarliest && cfg.From != FromLatest {
		return nil, fmt.Errorf("from %q: a job without a checkpoint starts again at %q or %q", cfg.From, FromEarliest, FromLatest)
	}
	point := cfg.At
	if point == nil {
		p, err := choosePoint(cfg)
		if err != nil {
			return nil, err
		}
		point = &p
	}
	c := newCrash(cfg)
	before, err := c.until(point, c.topic.starts())
	if err != nil {
		return nil, err
	}
	read := c.topic.fetchedSoFar()
	starts := c.topic.starts()
	if cfg.From == FromLatest {
		starts = c.topic.ends()
	}
	after, err := c.until(nil, starts)
	if err != nil {
		return nil, err
	}
	return c.report(*point, before, after, read)
}

// crash is one crash on its way.
type crash struct {
	CrashConfig
	topic   *Recorded
	traffic *producer
	stops   []int64 // where each partition will end
	fired   bool
}

func newCrash(cfg CrashConfig) *crash {
	p := generator.Default(cfg.Requests, cfg.Seed)
	whole, _ := Record(p, gateway.TopicEvents, cfg.Partitions)
	c := &crash{CrashConfig: cfg, topic: NewRecorded(gateway.TopicEvents, cfg.Partitions), stops: whole.ends()}
	c.traffic = &producer{from: generator.New(p), to: c.topic, rng: rand.New(rand.NewPCG(cfg.Seed, 1))}
	return c
}

// until runs the job from the given offsets to a crash point, or to the end of the log, and returns
// what it has written.
func (c *crash) until(point *engine.CrashPoint, starts []int64) (*Output, error) {
	out := &Output{}
	s, err := c.simulation(starts, out, point)
	for more := err == nil; more; {
		c.traffic.write()
		if more, err = s.Step(); err != nil {
			break
		}
	}
	if s == nil {
		return nil, err
	}
	_ = s.Close() // a dead worker closes nothing in order; what matters is what stands in out
	if point != nil {
		c.fired = s.Fired()
	}
	if errors.Is(err, engine.ErrCrashed) {
		err = nil
	}
	return out, err
}

func (c *crash) simulation(starts []int64, out *Output, point *engine.CrashPoint) (*engine.Simulation, error) {
	var splits []stream.Split
	for p, stop := range c.stops {
		splits = append(splits, stream.Split{Topic: c.topic.Topic, Partition: int32(p), Next: min(starts[p], stop), Stop: stop})
	}
	j, err := Build(Config{
		Stage: c.Stage, Parallelism: c.Parallelism, Parts: c.Parts, Functions: c.Functions,
		Events: Input{Splits: splits, Log: c.topic.Log, Every: 20}, Sinks: out.Sinks(),
	})
	if err != nil {
		return nil, err
	}
	return engine.NewSimulation(j, engine.SimOptions{Seed: c.Seed, Crash: point})
}

// producer writes generated traffic while the job runs: a few messages a step, as its seed says.
type producer struct {
	from *generator.Generator
	to   *Recorded
	rng  *rand.Rand
}

func (p *producer) write() {
	for range p.rng.IntN(4) {
		var m generator.Message
		if !p.from.Next(&m) {
			return
		}
		p.to.Append(m.Key, m.Value)
	}
}

// choosePoint finds out, by a run without a crash, what happens how often under this seed, and
// chooses one of these moments: in the middle half of the run, so that there is something to lose
// and something left to do.
func choosePoint(cfg CrashConfig) (engine.CrashPoint, error) {
	c := newCrash(cfg)
	s, err := c.simulation(c.topic.starts(), &Output{}, nil)
	if err != nil {
		return engine.CrashPoint{}, err
	}
	for more := true; more; {
		c.traffic.write()
		if more, err = s.Step(); err != nil {
			return engine.CrashPoint{}, errors.Join(err, s.Close())
		}
	}
	var points []engine.CrashPoint
	for p, n := range s.Happened() {
		if n >= 8 {
			p.N = n
			points = append(points, p)
		}
	}
	slices.SortFunc(points, func(a, b engine.CrashPoint) int { return cmp.Compare(a.String(), b.String()) })
	rng := rand.New(rand.NewPCG(cfg.Seed, 2))
	p := points[rng.IntN(len(points))]
	p.N = p.N/4 + rng.IntN(p.N/2)
	p.After = rng.IntN(2) == 0
	return p, s.Close()
}

// report works out what became of each request's bill.
func (c *crash) report(point engine.CrashPoint, before, after *Output, read []int64) (*CrashReport, error) {
	invoice, err := Expect(c.Stage, c.topic.Topic, c.topic.Messages())
	if err != nil {
		return nil, err
	}
	r := &CrashReport{Seed: c.Seed, From: c.From, At: point.String(), Fired: c.fired, Oracle: "match"}
	first, second := billedRequests(before), billedRequests(after)
	completions := c.completionsRead(read)
	for _, b := range invoice.Bills {
		id := b.RequestID
		add := func(m *Money, when bool) {
			if when {
				m.Requests = append(m.Requests, id)
				m.USDNano += b.Cost
			}
		}
		add(&r.Survived, first[id])
		add(&r.Recomputed, second[id] && completions[id])
		add(&r.EmittedTwice, first[id] && second[id])
		add(&r.NeverBilled, !first[id] && !second[id])
	}
	both := &Output{Totals: append(slices.Clone(before.Totals), after.Totals...)}
	if len(invoice.CheckTotals(totalLines(both.Totals))) > 0 {
		r.Oracle = "mismatch"
	}
	return r, nil
}

// billedRequests are the requests that stand on a line of the output.
func billedRequests(o *Output) map[string]bool {
	ids := map[string]bool{}
	for _, t := range o.Totals {
		ids[t.RequestID] = true
	}
	return ids
}

// completionsRead are the requests whose completion stands before the offsets that had been read.
func (c *crash) completionsRead(read []int64) map[string]bool {
	ids := map[string]bool{}
	for _, m := range c.topic.Messages() {
		if m.Offset >= read[m.Partition] {
			continue
		}
		if e, err := c.Functions.Decode(m); err == nil && e.Type == gateway.RequestCompleted {
			ids[e.RequestID] = true
		}
	}
	return ids
}
