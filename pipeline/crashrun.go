package pipeline

import (
	"errors"
	"fmt"
	"math/rand/v2"

	"gatewaymeter/engine"
	checkpoints "gatewaymeter/labs/07-checkpoints/solution"
	"gatewaymeter/stream"
)

// crash is one run on its way: the job lives, dies and lives again, over one log and one disk.
type crash struct {
	CrashConfig
	attempt int
	rng     *rand.Rand
	events  *producer
	cards   *producer // nothing to write: the job has no second branch

	platter  *checkpoints.MemDisk // it outlives the job, like the log
	disk     *flakyDisk           // what the store is given
	complete int64                // the newest checkpoint that the store called complete
	aborted  int

	lives   []life
	deaths  []Death
	running *engine.Simulation
	latest  int  // the step of the schedule at which there is something to wait for, at most
	from    int  // that step, in this life
	over    bool // a life has come to its end
	result  *engine.Result

	strikeAt storeCall
	set      bool // the disk has been told to fail
	happened bool // the fault has
}

// life is what one incarnation of the job has done.
type life struct {
	out    *Output
	starts []int64 // where it began to read
	read   []int64 // up to where anybody had read when it ended
	cards  []int64 // where it began to read those
}

func newCrash(cfg CrashConfig, attempt int) *crash {
	cfg.Crashes = max(1, cfg.Crashes)
	if cfg.Pace == 0 {
		cfg.Pace = max(1, 5-2*cfg.Crashes) // a run must be long enough for its crashes
	}
	c := &crash{
		CrashConfig: cfg,
		attempt:     attempt,
		rng:         rand.New(rand.NewPCG(cfg.Seed, uint64(2+attempt))),
		latest:      240 / (attempt + 1),
		events:      newProducer(cfg.Log.events, cfg.Pace, cfg.Seed, 1),
		platter:     checkpoints.NewMemDisk(),
	}
	if c.Log.cards != nil {
		c.cards = newProducer(cfg.Log.cards, cfg.Pace, cfg.Seed, 0)
	}
	if c.Store == nil {
		c.plug()
		retain := c.Retain
		if retain == 0 {
			retain = 2
		}
		c.Store = func() (stream.CheckpointStore, error) {
			s, err := checkpoints.NewStore(c.disk, retain)
			return watchedStore{s, c}, err
		}
	}
	return c
}

// plug puts the disk together.
func (c *crash) plug() {
	c.disk = &flakyDisk{Disk: c.platter}
	if c.Disk != nil {
		c.disk.Disk = c.Disk(c.platter)
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
	if s == nil {
		return err
	}
	if err == nil {
		c.running = s
		c.arm(s)
		c.tell(LifeBegins, s, &l)
	}
	for more := err == nil; more; {
		if c.Stop != nil {
			if err = c.Stop(); err != nil {
				break
			}
		}
		c.write()
		if more, err = s.Step(); err == nil && s.Steps() == c.mostSteps() {
			err = fmt.Errorf("life %d of the job has not ended after %d steps of the schedule: some task waits for what never comes", len(c.lives)+1, s.Steps())
		}
		more = more && err == nil && !c.platter.PowerFailed()
	}
	l.read = c.events.to.fetchedSoFar()
	c.tell(LifeEnds, s, &l)
	c.lives = append(c.lives, l)
	c.running = nil
	return errors.Join(c.end(s, err), s.Close())
}

// mostSteps is far more than one life takes: at most a few for each message.
func (c *crash) mostSteps() int { return 20_000 + 100*len(c.Log.events.order) }

func (c *crash) write() {
	c.events.write()
	if c.cards != nil {
		c.cards.write()
	}
}

// end notes how an incarnation ended. After a power cut the disk comes back as it is then.
func (c *crash) end(s *engine.Simulation, err error) error {
	d := Death{
		Barriers: s.BarriersInFlight(), Taken: s.Completed(),
		Open: s.Entries("assemble", "open"), Windows: s.EventTimers("tenant-minute"), Timers: s.EventTimers("assemble"),
	}
	switch {
	case c.platter.PowerFailed():
		d.At = fmt.Sprintf("in a file operation of the store: the power failed (%s)", c.strikeAt)
		c.platter = c.platter.Restart(c.Seed)
		c.plug()
		c.happened = true
	case errors.Is(err, engine.ErrCrashed):
		d.Point = s.Where()
		d.At = d.Point.String()
		c.happened = c.happened || c.struck(s)
	case c.Fault == FailedWrite && errors.Is(err, errFailedWrite):
		d.At = "since a file operation of the store failed: " + err.Error()
		c.happened = true
	default:
		c.over = true
		if err == nil {
			c.result = s.Result()
		}
		return err
	}
	c.deaths = append(c.deaths, d)
	return nil
}

// start decides where an incarnation begins, and sets up its checkpoints.
func (c *crash) start(l *life) (engine.SimOptions, error) {
	o := engine.SimOptions{Seed: c.Seed + uint64(len(c.lives))<<32 + uint64(c.attempt)<<48, Crash: c.inRestore()}
	l.starts, l.cards = c.events.to.starts(), c.events.to.starts()
	if len(c.lives) > 0 && c.From == FromLatest {
		l.starts = c.events.to.ends()
		if c.cards != nil {
			l.cards = c.cards.to.ends()
		}
	}
	if c.From != FromCheckpoint {
		return o, nil
	}
	return o, c.fromCheckpoint(l, &o)
}

// simulatedCheckpoints are frequent, in virtual time, and one may fail.
var simulatedCheckpoints = stream.Checkpointing{Interval: 10, Timeout: 3000, Tolerate: 1000}

// lostTimeout is short, so that the checkpoint whose acknowledgement got lost is given up in time for
// others to follow.
const lostTimeout = 400

// quietInterval is that of the last life, which nothing threatens any more: taking checkpoints is most of
// what a run costs.
const quietInterval = 300

// fromCheckpoint restores the latest checkpoint on the disk, if there is one, and takes new ones.
func (c *crash) fromCheckpoint(l *life, o *engine.SimOptions) error {
	store, err := c.Store()
	if err != nil {
		return err
	}
	cfg := simulatedCheckpoints
	if c.Fault == LostAck {
		cfg.Timeout = lostTimeout
	}
	if len(c.deaths) == c.wanted() {
		cfg.Interval = quietInterval
	}
	if cfg.First, err = store.Next(); err != nil {
		return err
	}
	o.Checkpoints = &engine.Checkpoints{Store: store, Config: cfg}
	from, err := c.newest(store)
	if err != nil || from == nil {
		return err
	}
	j, err := c.job(l)
	if err != nil {
		return err
	}
	if o.Restore, err = j.Match(from, false); err != nil {
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
	cfg := Config{
		Stage: c.Stage, Parallelism: c.parallelism(), Parts: c.Parts, Functions: c.Functions,
		Events: c.events.input(l.starts), Sinks: l.out.Sinks(),
	}
	if c.cards != nil {
		cfg.Cards = c.cards.input(l.cards)
	}
	switch {
	case c.TakenBack:
		cfg.Sinks = cfg.Sinks.takeBack()
	case c.Buffered:
		cfg.Sinks = buffered(cfg.Sinks)
	}
	j, err := Build(cfg)
	if err == nil {
		j.SetTrace(c.Trace)
	}
	return j, err
}

// parallelism is that of the life that starts now.
func (c *crash) parallelism() int {
	if n := len(c.lives); n > 0 && len(c.Rescale) > 0 {
		return c.Rescale[(n-1)%len(c.Rescale)]
	}
	return c.Parallelism
}
