package pipeline

import (
	"errors"
	"math/rand/v2"

	"gatewaymeter/engine"
	"gatewaymeter/gateway"
	"gatewaymeter/generator"
	checkpoints "gatewaymeter/labs/07-checkpoints/solution"
	"gatewaymeter/stream"
)

// crash is one crash on its way: the job lives, dies and lives again, over one log and one store.
type crash struct {
	CrashConfig
	rng     *rand.Rand
	topic   *Recorded
	traffic *producer
	stops   []int64 // where each partition will end

	lives   []life
	crashes int
	latest  int  // steps of the schedule after which it dies, at most
	over    bool // a life has come to its end
	result  *engine.Result
	died    death
}

// life is what one incarnation of the job has done.
type life struct {
	out    *Output
	starts []int64 // where it began to read
	read   []int64 // up to where anybody had read when it ended
}

// death is how an incarnation ended.
type death struct {
	point    engine.CrashPoint
	fired    bool
	barriers bool
	taken    int
}

func newCrash(cfg CrashConfig, attempt int) *crash {
	p := generator.Default(cfg.Requests, cfg.Seed)
	p.LagAboveBound = cfg.Lag
	whole, _ := Record(p, gateway.TopicEvents, cfg.Partitions)
	c := &crash{
		CrashConfig: cfg,
		rng:         rand.New(rand.NewPCG(cfg.Seed, uint64(2+attempt))),
		latest:      240 / (attempt + 1),
		topic:       NewRecorded(gateway.TopicEvents, cfg.Partitions),
		stops:       whole.ends(),
	}
	c.Crashes = max(1, c.Crashes)
	if c.Store == nil {
		disk := checkpoints.NewMemDisk() // it outlives the job, like the log
		c.Store = func() (stream.CheckpointStore, error) { return checkpoints.NewStore(disk, 2) }
	}
	c.traffic = &producer{from: generator.New(p), to: c.topic, rng: rand.New(rand.NewPCG(cfg.Seed, 1))}
	return c
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

// live is one incarnation, to its death or to the end of the log.
func (c *crash) live() error {
	l := life{out: &Output{}}
	o, err := c.start(&l)
	if err != nil {
		return err
	}
	j, err := c.job(&l)
	if err != nil {
		return err
	}
	s, err := engine.NewSimulation(j, o)
	if err == nil {
		c.arm(s)
	}
	for more := err == nil; more; {
		c.traffic.write()
		more, err = s.Step()
		more = more && err == nil
	}
	if s == nil {
		return err
	}
	l.read = c.topic.fetchedSoFar()
	c.lives = append(c.lives, l)
	return errors.Join(c.end(s, err), s.Close())
}

// end notes how an incarnation ended.
func (c *crash) end(s *engine.Simulation, err error) error {
	if errors.Is(err, engine.ErrCrashed) {
		c.crashes++
		c.died = death{point: s.Where(), fired: s.Fired(), barriers: s.BarriersInFlight(), taken: s.Completed()}
		return nil
	}
	c.over = true
	if err == nil {
		c.result = s.Result()
	}
	return err
}

// start decides where an incarnation begins, and sets up its checkpoints.
func (c *crash) start(l *life) (engine.SimOptions, error) {
	o := engine.SimOptions{Seed: c.Seed + uint64(len(c.lives))<<32}
	l.starts = c.topic.starts()
	if len(c.lives) > 0 && c.From == FromLatest {
		l.starts = c.topic.ends()
	}
	if c.From != FromCheckpoint {
		return o, nil
	}
	return o, c.fromCheckpoint(l, &o)
}

// simulatedCheckpoints are frequent, in virtual time.
var simulatedCheckpoints = stream.Checkpointing{Interval: 10, Timeout: 3000, Tolerate: 3}

// fromCheckpoint restores the latest checkpoint on the disk, if there is one, and takes new ones.
func (c *crash) fromCheckpoint(l *life, o *engine.SimOptions) error {
	store, err := c.Store()
	if err != nil {
		return err
	}
	cfg := simulatedCheckpoints
	if cfg.First, err = store.Next(); err != nil {
		return err
	}
	o.Checkpoints = &engine.Checkpoints{Store: store, Config: cfg}
	latest, _, err := store.Latest()
	if err != nil || latest == nil {
		return err
	}
	j, err := c.job(l)
	if err != nil {
		return err
	}
	if o.Restore, err = j.Match(latest, false); err != nil {
		return err
	}
	splits, err := engine.Offsets(o.Restore["gateway-source"])
	for _, s := range splits {
		l.starts[s.Partition] = s.Next
	}
	return err
}

// job builds the job of one incarnation.
func (c *crash) job(l *life) (*engine.Job, error) {
	var splits []stream.Split
	for p, stop := range c.stops {
		splits = append(splits, stream.Split{Topic: c.topic.Topic, Partition: int32(p), Next: min(l.starts[p], stop), Stop: stop})
	}
	sinks := l.out.Sinks()
	if c.TakenBack {
		sinks = sinks.takeBack()
	}
	return Build(Config{
		Stage: c.Stage, Parallelism: c.parallelism(), Parts: c.Parts, Functions: c.Functions,
		Events: Input{Splits: splits, Log: c.topic.Log, Every: 20}, Sinks: sinks,
	})
}

// parallelism is that of the life that starts now.
func (c *crash) parallelism() int {
	if n := len(c.lives); n > 0 && len(c.Rescale) > 0 {
		return c.Rescale[(n-1)%len(c.Rescale)]
	}
	return c.Parallelism
}
