package pipeline

import (
	"fmt"

	"gatewaymeter/engine"
	"gatewaymeter/gateway"
	"gatewaymeter/stream"
)

// Stages of the job: the lab after which it stands.
const (
	FirstStage = 3
	LastStage  = 7
)

// Config is everything that a job is made of.
type Config struct {
	Stage       int // FirstStage to LastStage
	Parallelism int
	Parts       engine.Parts
	Functions   Functions
	Events      Input
	Cards       Input // from stage 06; no splits: the job has no velocity check
	Sinks       Sinks
}

// Input is a topic to read.
type Input struct {
	Splits []stream.Split
	Log    func(subtask int) (stream.Log, error)
	Every  int // messages between two looks at the watermark, besides the clock; 0: the clock alone
}

// Sinks take the job's output, one for each topic.
type Sinks struct {
	Totals      func() stream.Sink[gateway.TenantTotal]
	Invoice     func() stream.Sink[gateway.TenantWindow]
	DeadLetters func() stream.Sink[gateway.DeadLetter]
	Unpriced    func() stream.Sink[gateway.RequestRecord]
	Late        func() stream.Sink[gateway.RequestRecord]
	Alerts      func() stream.Sink[gateway.Alert]
}

// Build makes the job of a stage. Mistakes in the configuration come out of the job's Validate.
func Build(cfg Config) (*engine.Job, error) {
	if cfg.Stage < FirstStage || cfg.Stage > LastStage {
		return nil, fmt.Errorf("stage %02d: the job stands at stages %02d to %02d", cfg.Stage, FirstStage, LastStage)
	}
	if cfg.Stage < FirstWithCards && len(cfg.Cards.Splits) > 0 {
		return nil, fmt.Errorf("stage %02d does not watch cards: that begins at stage %02d", cfg.Stage, FirstWithCards)
	}
	f := cfg.Functions
	j := engine.NewJob(jobName(cfg.Stage), cfg.Parts, cfg.Parallelism)

	events := engine.From(j, "gateway-source", func() stream.Source[gateway.Event] {
		return engine.NewLogSource(cfg.Parts, eventsFrom(cfg))
	})
	engine.SinkTo(engine.Side(events, deadLetters), "dead-letters-sink", cfg.Sinks.DeadLetters)
	first := engine.ProcessKeyed(byKey(events, byRequest, f.Exchanges.Events), "dedupe", f.Dedupe)
	records := engine.ProcessKeyed(byKey(first, byRequest, f.Exchanges.Events), "assemble", f.Assemble)
	bill(cfg, byKey(records, byTenant, f.Exchanges.Records))
	if len(cfg.Cards.Splits) > 0 {
		watchCards(cfg, j)
	}
	return j, j.Validate()
}

func jobName(stage int) string { return fmt.Sprintf("gatewaymeter-stage-%02d", stage) }

// bill ends the main branch: running totals in stage 03, minutes later on.
func bill(cfg Config, records engine.KeyedStream[gateway.RequestRecord]) {
	if cfg.Stage == 3 {
		totals := engine.ProcessKeyed(records, "tenant-cost", cfg.Functions.Total)
		engine.SinkTo(totals, "totals-sink", cfg.Sinks.Totals)
		engine.SinkTo(engine.Side(totals, unpriced), "unpriced-sink", cfg.Sinks.Unpriced)
		return
	}
	minutes := engine.ProcessKeyed(records, "tenant-minute", cfg.Functions.Minute)
	engine.SinkTo(minutes, "invoice-sink", cfg.Sinks.Invoice)
	engine.SinkTo(engine.Side(minutes, unpriced), "unpriced-sink", cfg.Sinks.Unpriced)
	engine.SinkTo(engine.Side(minutes, late), "late-sink", cfg.Sinks.Late)
}

// watchCards is the second branch.
func watchCards(cfg Config, j *engine.Job) {
	cards := engine.From(j, "card-source", func() stream.Source[gateway.Transaction] {
		return engine.NewLogSource(cfg.Parts, engine.LogConfig[gateway.Transaction]{
			Splits: cfg.Cards.Splits, Log: cfg.Cards.Log, Every: cfg.Cards.Every,
			Decode: DecodeTransaction, Malformed: refuseTransaction,
		})
	})
	alerts := engine.ProcessKeyed(byKey(cards, byCard, cfg.Functions.Exchanges.Transactions), "velocity-check", cfg.Functions.Velocity)
	engine.SinkTo(alerts, "alerts-sink", cfg.Sinks.Alerts)
}

// byKey is KeyBy with the job's way to make exchanges.
func byKey[T any](s engine.Stream[T], keyOf func(T) string, newExchange func(func(T) string, []int) stream.Exchange[T]) engine.KeyedStream[T] {
	return engine.KeyBy(s, keyOf, func(owner []int) stream.Exchange[T] { return newExchange(keyOf, owner) })
}

// eventsFrom is how the job reads gateway-events: what cannot be decoded goes to the dead letters.
func eventsFrom(cfg Config) engine.LogConfig[gateway.Event] {
	f := cfg.Functions
	return engine.LogConfig[gateway.Event]{
		Splits: cfg.Events.Splits, Log: cfg.Events.Log, Every: cfg.Events.Every,
		Decode: func(m stream.Message) (gateway.Event, stream.Time, error) {
			e, err := f.Decode(m)
			return e, stream.Time(e.TS), err
		},
		Malformed: func(c *stream.Context, m stream.Message, err error) {
			stream.SideOutput(c, deadLetters).Collect(f.DeadLetter(m, err))
		},
	}
}
