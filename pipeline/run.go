package pipeline

import (
	"context"
	"time"

	"gatewaymeter/broker"
	"gatewaymeter/engine"
	"gatewaymeter/gateway"
	"gatewaymeter/generator"
	"gatewaymeter/oracle"
	"gatewaymeter/stream"
)

// RunConfig is a run on a broker: see `lab run`.
type RunConfig struct {
	Broker      *broker.Broker
	Stage       int
	Parallelism int
	Parts       engine.Parts
	Functions   Functions

	Input      string           // a topic to read as it stands; empty: Traffic into a topic of our own
	Traffic    generator.Params // what to generate
	CardsInput string           // from stage 06: a topic of card transactions to read as it stands
	Cards      int              // or so many requests' worth of transactions to generate (see CardTraffic); 0: none
	Partitions int              // of every topic that is made
	// Claimed are the caller's words for what decides Traffic, such as "--seed 2". A run that restores writes
	// no traffic: it refuses such a claim unless Traffic is what its topic holds. Nil: nothing is claimed.
	Claimed []string
	Prefix  string // before the names of the topics that are made

	Follow  bool  // wait for more at the end of the input, until the context ends: there is no verdict
	Stopped []int // with Follow: partitions of Traffic that stop half way

	Checkpoints *CheckpointConfig // nil: none are taken

	Board *Board // shows the tenants while the job runs; nil: nobody looks

	Trace func(stream.Step) // is told of each step of the job, by all its goroutines; nil: off, and free

	// Started is told of the job once it runs. May be nil; an error ends the run.
	Started func(*engine.Execution) error
	// Progress is told, now and then, how far the run has come. May be nil.
	Progress func(Progress)
}

// Progress is how far a run has come.
type Progress struct {
	Phase   string // "traffic", "job", "invoice"
	Done    int64  // messages written, or read by the job
	Total   int64
	Metrics []engine.Metrics // of the job
}

// Report is what a run came to: the last line of `lab run --json`.
type Report struct {
	oracle.Counts
	Oracle     string  `json:"oracle"` // "match" or "mismatch"
	EventsPerS float64 `json:"events_per_s"`
	CardsReport
	ElapsedMS   int64               `json:"elapsed_ms"`
	Output      *Output             `json:"-"`
	Result      *engine.Result      `json:"-"`
	Invoice     *oracle.Invoice     `json:"-"`
	Differences []oracle.Difference `json:"-"`
	Truth       *generator.Counts   `json:"-"` // nil for an input that we did not make
	Unused      []string            `json:"-"` // partitions and subtasks that handled no record
}

// Run writes traffic into a topic, runs the job over it, reads the output back with a plain consumer
// and asks the oracle. An error means that the run could not be finished; a mismatch is no error.
func Run(ctx context.Context, cfg RunConfig) (*Report, error) {
	r := &run{RunConfig: cfg, report: &Report{}}
	if r.Progress == nil {
		r.Progress = func(Progress) {}
	}
	start := time.Now()
	for _, step := range []func(context.Context) error{r.prepare, r.job, r.readBack, r.judge} {
		if err := step(ctx); err != nil {
			return r.report, err
		}
	}
	r.report.ElapsedMS = time.Since(start).Milliseconds()
	return r.report, nil
}

// run is a run on its way.
type run struct {
	RunConfig
	events input
	cards  input // without a topic: the job does not watch cards
	report *Report

	latest   *stream.Checkpoint     // to start from; nil: the run starts anew
	restored bool                   // the job started from a checkpoint: lines may be told twice
	store    stream.CheckpointStore // nil without checkpoints
	commits  *committing            // the same
}

// prepare makes the topics and, unless a topic is given, the traffic. What a restored job goes on from
// must be there, and what a new one writes to must not.
func (r *run) prepare(ctx context.Context) (err error) {
	if r.restores() {
		r.latest, err = r.Checkpoints.find(jobName(r.Stage))
	} else {
		err = r.openStore()
	}
	if err != nil {
		return err
	}
	err = r.source(ctx, &r.events, r.Input, gateway.TopicEvents, r.traffic)
	if err == nil && (r.CardsInput != "" || r.Cards > 0) {
		err = r.source(ctx, &r.cards, r.CardsInput, gateway.TopicTransactions, r.cardTraffic)
	}
	if err != nil {
		return err
	}
	makeTopic := r.newTopic
	if r.restores() {
		makeTopic = func(topic string) error { return r.Broker.CreateTopic(topic, int32(r.Partitions)) }
	}
	for _, topic := range []string{gateway.TopicTotals, gateway.TopicInvoice, gateway.TopicDeadLetters,
		gateway.TopicUnpriced, gateway.TopicLate, gateway.TopicAlerts} {
		if err := makeTopic(r.Prefix + topic); err != nil {
			return err
		}
	}
	return nil
}

func (r *run) restores() bool { return r.Checkpoints != nil && r.Checkpoints.Restore != "" }

// progressEvery is how often the metrics of a running job are looked at.
const progressEvery = 100 * time.Millisecond

// job runs the job to the end of its input.
func (r *run) job(ctx context.Context) error {
	p, err := r.Broker.NewProducer()
	if err != nil {
		return err
	}
	defer p.Close()
	functions, sinks := r.Functions, KafkaSinks(p, r.Prefix, r.Partitions)
	if r.Board != nil {
		r.Board.Watch(&functions, &sinks)
	}
	j, err := Build(Config{
		Stage: r.Stage, Parallelism: r.Parallelism, Parts: r.Parts, Functions: functions, Sinks: sinks,
		Events: r.reading(r.events), Cards: r.reading(r.cards),
	})
	if err != nil {
		return err
	}
	j.SetTrace(r.Trace)
	started := time.Now()
	o, err := r.checkpoints(j)
	if err != nil {
		return err
	}
	if r.commits != nil {
		defer r.commits.stop()
	}
	if err := r.checkClaim(ctx); err != nil {
		return err
	}
	e, err := j.Start(ctx, o)
	if err != nil {
		return err
	}
	if r.Started != nil {
		if err := r.Started(e); err != nil {
			e.Cancel(err)
		}
	}
	r.watch(e)
	r.report.Result, err = e.Wait()
	if err == nil {
		events := r.report.Result.Counters["gateway-source/events"]
		r.report.EventsPerS = float64(events) / time.Since(started).Seconds()
		r.report.Unused = r.unused()
	}
	return err
}

// watch reports progress until the job ends.
func (r *run) watch(e *engine.Execution) {
	var total int64
	for _, s := range r.events.splits {
		total += s.Stop - s.Next
	}
	ticker := time.NewTicker(progressEvery)
	defer ticker.Stop()
	for {
		select {
		case <-e.Done():
			return
		case <-ticker.C:
		}
		metrics := e.Metrics()
		var done int64
		for _, m := range metrics {
			done += m.Counters["gateway-source/events"]
		}
		r.Progress(Progress{Phase: "job", Done: done, Total: total, Metrics: metrics})
	}
}

func (r *run) unused() []string {
	sources := map[string][]stream.Split{"gateway-source": r.events.splits, "card-source": r.cards.splits}
	return Unused(sources, r.Parallelism, r.report.Result.Tasks)
}

// readBack reads input and output with a plain consumer: what a reader of the topics sees.
func (r *run) readBack(ctx context.Context) (err error) {
	r.Progress(Progress{Phase: "invoice"})
	for _, in := range []*input{&r.events, &r.cards} {
		if in.topic == "" {
			continue
		}
		if in.messages, err = r.Broker.ReadAll(ctx, in.topic); err != nil {
			return err
		}
		in.messages = upTo(in.messages, in.splits)
	}
	r.report.Output, err = ReadOutput(ctx, r.Broker, r.Prefix)
	return err
}

// judge asks the oracle.
func (r *run) judge(ctx context.Context) error {
	invoice, err := ExpectUntil(ctx.Err, r.Stage, r.events.topic, r.events.messages)
	if err != nil {
		return err
	}
	invoice.Options.Repeats = r.restored
	r.report.Invoice = invoice
	r.report.Counts = Count(r.Stage, invoice, r.report.Output, r.report.Result)
	r.report.Differences = Verify(invoice, r.report.Output, r.report.Counts)
	if r.cards.topic != "" {
		var more []oracle.Difference
		r.report.CardsReport, more, err = JudgeCards(r.cards.messages, r.report.Output, r.report.Result)
		if err != nil {
			return err
		}
		r.report.Differences = append(r.report.Differences, more...)
	}
	r.report.Oracle = "match"
	if len(r.report.Differences) > 0 {
		r.report.Oracle = "mismatch"
	}
	return nil
}
