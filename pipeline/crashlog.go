package pipeline

import (
	"fmt"
	"math/rand/v2"

	"gatewaymeter/gateway"
	"gatewaymeter/generator"
	events "gatewaymeter/labs/01-events/solution"
	"gatewaymeter/oracle"
	"gatewaymeter/stream"
)

// CrashLog is the traffic of crash runs and what the oracle makes of it. It does not change, so any
// number of runs may share one, at the same time: making and judging traffic costs more than a run.
type CrashLog struct {
	stage, partitions int
	events            *Recorded
	cards             *Recorded // nil: the job has no second branch
	invoice           *oracle.Invoice
	alerts            *oracle.Velocity
	owed              []owedLine
	billed            [][]string // by partition and offset: the request whose bill the message ends
}

// NewCrashLog generates the traffic of a configuration: its requests, and its card transactions if it
// has any. Of the rest of it only Stop matters, which is asked here too.
func NewCrashLog(cfg CrashConfig) (*CrashLog, error) {
	l := &CrashLog{stage: cfg.Stage, partitions: cfg.Partitions}
	p := generator.Default(cfg.Requests, cfg.Seed)
	p.LagAboveBound = cfg.Lag
	stop := cfg.Stop
	if stop == nil {
		stop = func() error { return nil }
	}
	l.events, _ = recordUntil(stop, p, gateway.TopicEvents, cfg.Partitions)
	if cfg.Cards > 0 {
		l.cards = RecordCards(generator.DefaultTransactions(cfg.Cards, cfg.Seed), gateway.TopicTransactions, cfg.Partitions)
	}
	if err := stop(); err != nil {
		return nil, err
	}
	return l, l.judge(stop)
}

// judge asks the oracle. From stage 07 on a line may stand in the output more than once, but always the
// same.
func (l *CrashLog) judge(stop func() error) (err error) {
	messages := l.events.Messages()
	if l.invoice, err = ExpectUntil(stop, l.stage, l.events.Topic, messages); err != nil {
		return err
	}
	l.invoice.Options.Repeats = l.stage >= 7
	l.owed = owed(l.stage, l.invoice)
	l.billed = make([][]string, l.partitions)
	for i, m := range messages {
		if i%1024 == 0 {
			if err := stop(); err != nil {
				return err
			}
		}
		id := ""
		if e, err := events.Decode(m); err == nil && (e.Type == gateway.RequestCompleted || l.stage >= 6) {
			id = e.RequestID
		}
		l.billed[m.Partition] = append(l.billed[m.Partition], id)
	}
	if l.cards != nil {
		l.alerts, err = oracle.ExpectAlerts(OracleLog(l.cards.Messages()))
	}
	return err
}

// Invoice is what the oracle makes of the requests. It is shared by all runs of the log: look, do not
// touch.
func (l *CrashLog) Invoice() *oracle.Invoice { return l.invoice }

// Alerts is what the oracle makes of the card transactions; none if the log has no cards. It is shared
// likewise.
func (l *CrashLog) Alerts() []oracle.Alert {
	if l.alerts == nil {
		return nil
	}
	return l.alerts.Alerts
}

// fits reports whether the log is one of such a configuration.
func (l *CrashLog) fits(cfg CrashConfig) error {
	if l.stage != cfg.Stage || l.partitions != cfg.Partitions {
		return fmt.Errorf("the log is of stage %02d with %d partitions, the crash is of stage %02d with %d", l.stage, l.partitions, cfg.Stage, cfg.Partitions)
	}
	return nil
}

// producer writes a topic while the job runs: a few messages a step, as its seed says.
type producer struct {
	from, to *Recorded
	pace     int // messages a step, at most
	rng      *rand.Rand
}

func newProducer(from *Recorded, pace int, seed, salt uint64) *producer {
	return &producer{from: from, to: NewRecorded(from.Topic, len(from.partitions)), pace: pace, rng: rand.New(rand.NewPCG(seed, salt))}
}

func (p *producer) write() {
	for range p.rng.IntN(p.pace + 1) {
		if !p.to.follow(p.from) {
			return
		}
	}
}

// input is the topic as a job reads it: from the given offsets to where it will end.
func (p *producer) input(starts []int64) Input {
	var splits []stream.Split
	for partition, stop := range p.from.ends() {
		splits = append(splits, stream.Split{Topic: p.to.Topic, Partition: int32(partition), Next: min(starts[partition], stop), Stop: stop})
	}
	return Input{Splits: splits, Log: p.to.Log, Every: 20}
}
