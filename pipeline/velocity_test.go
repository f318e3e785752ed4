package pipeline_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"gatewaymeter/broker"
	"gatewaymeter/engine"
	"gatewaymeter/gateway"
	"gatewaymeter/generator"
	checkpoints "gatewaymeter/labs/07-checkpoints/solution"
	"gatewaymeter/oracle"
	"gatewaymeter/pipeline"
	"gatewaymeter/stream"
)

// cardsJob is the configuration of a job that watches cards beside an events topic with little in it.
func cardsJob(t *testing.T, stage, parallelism int, cards *pipeline.Recorded, out *pipeline.Output) pipeline.Config {
	t.Helper()
	parts, functions, err := pipeline.Ours(stage)
	require.NoError(t, err)
	events, _ := pipeline.Record(generator.Default(50, 1), gateway.TopicEvents, 2)
	return pipeline.Config{
		Stage: stage, Parallelism: parallelism, Parts: parts, Functions: functions, Sinks: out.Sinks(),
		Events: pipeline.Input{Splits: events.Splits(), Log: events.Log, Every: 10},
		Cards:  pipeline.Input{Splits: cards.Splits(), Log: cards.Log, Every: 10},
	}
}

// judgeCards holds a run against the oracle, and says what was too little to test anything.
func judgeCards(t *testing.T, cards *pipeline.Recorded, out *pipeline.Output, result *engine.Result, about string) {
	t.Helper()
	r, ds, err := pipeline.JudgeCards(cards.Messages(), out, result)
	require.NoError(t, err, about)
	require.Empty(t, oracle.Table(ds, 10), about)
	require.Positive(t, r.Alerts, about)
	require.Zero(t, result.Timers, about)
}

// The alerts are the oracle's, whatever the driver, the parallelism and the partitions.
func TestVelocityCheckMatchesTheOracle(t *testing.T) {
	for driver, run := range drivers {
		for i, parallelism := range []int{1, 2, 3} {
			for seed := range uint64(3) {
				about := fmt.Sprintf("%s driver, parallelism %d, seed %d", driver, parallelism, seed)
				cards := pipeline.RecordCards(pipeline.CardTraffic(2000, seed), gateway.TopicTransactions, []int{5, 3, 1}[i])
				cards.Append([]byte("card-x"), []byte(`{"card":"card-x","id":"","amount_cents":1,"ts":1}`))
				out := &pipeline.Output{}
				result, err := run(cardsJob(t, 6, parallelism, cards, out), seed)
				require.NoError(t, err, about)
				judgeCards(t, cards, out, result, about)
			}
		}
	}
}

// What a wrong check does is told by name: an alert too few, one too many.
func TestJudgeCardsFindsAWrongAlert(t *testing.T) {
	cards := pipeline.RecordCards(pipeline.CardTraffic(2000, 1), gateway.TopicTransactions, 2)
	out := &pipeline.Output{}
	result, err := pipeline.Simulate(cardsJob(t, 6, 2, cards, out), 1)
	require.NoError(t, err)
	gone := out.Alerts[0]
	out.Alerts = slices.DeleteFunc(out.Alerts, func(a gateway.Alert) bool { return a.Card == gone.Card && a.Minute == gone.Minute })
	out.Alerts = append(out.Alerts, gateway.Alert{Card: "nobody", Minute: 0, Total: 6})
	_, ds, err := pipeline.JudgeCards(cards.Messages(), out, result)
	require.NoError(t, err)
	require.Len(t, ds, 2)
	require.Equal(t, fmt.Sprintf("alerts %s %d", gone.Card, gone.Minute), ds[0].Where)
	require.Equal(t, "alerts nobody 0", ds[1].Where)
}

// Stages before 06 have no timers to forget a minute by.
func TestCardsComeWithStage06(t *testing.T) {
	cards := pipeline.RecordCards(pipeline.CardTraffic(10, 1), gateway.TopicTransactions, 1)
	_, err := pipeline.Build(cardsJob(t, 5, 1, cards, &pipeline.Output{}))
	require.ErrorContains(t, err, "stage 05 does not watch cards")
}

// Whatever kills the job of stage 07, topic alerts read as a table is the oracle's: an id may be told
// again, never with a total that stands and is wrong, and no minute is left in state.
func TestVelocityCheckSurvivesCrashes(t *testing.T) {
	repeated := 0
	for seed := range uint64(30) {
		about := fmt.Sprintf("seed %d", seed)
		cards := pipeline.RecordCards(pipeline.CardTraffic(3000, seed), gateway.TopicTransactions, 3)
		out := &pipeline.Output{} // the outside world: it outlives the job
		disk := checkpoints.NewMemDisk()
		before, at := crashOnce(t, seed, cards, out, disk)
		result := finish(t, seed, cards, out, disk)
		judgeCards(t, cards, out, result, about+", "+at)
		if twice(out.Alerts[:before], out.Alerts[before:]) {
			repeated++
		}
	}
	require.Positive(t, repeated, "no crash made the check tell anything again: they tested nothing")
}

// crashOnce runs the job with checkpoints until it dies with a minute in state, and says how many lines it
// had written and where it died.
func crashOnce(t *testing.T, seed uint64, cards *pipeline.Recorded, out *pipeline.Output, disk *checkpoints.MemDisk) (int, string) {
	t.Helper()
	s := simulate(t, seed, cards, out, disk, nil)
	rng := rand.New(rand.NewPCG(seed, 3))
	steps := []string{engine.PointProcess, engine.PointBarrier, engine.PointSnapshot, engine.PointTimer, engine.PointEmit}
	from := rng.IntN(120)
	what := steps[rng.IntN(len(steps))]
	s.CrashWhen(what, rng.IntN(2) == 0, func() bool {
		return s.Steps() >= from && s.Completed() > 0 && s.Entries("velocity-check", "minutes") > 0
	})
	err := s.Run()
	require.True(t, errors.Is(err, engine.ErrCrashed), "seed %d: the job did not die at %s in %d steps with %d checkpoints, but ended with %v", seed, what, s.Steps(), s.Completed(), err)
	require.NoError(t, s.Close())
	return len(out.Alerts), s.Where().String()
}

// finish starts the job from its latest checkpoint and lets it run to the end.
func finish(t *testing.T, seed uint64, cards *pipeline.Recorded, out *pipeline.Output, disk *checkpoints.MemDisk) *engine.Result {
	t.Helper()
	store, err := checkpoints.NewStore(disk, 2)
	require.NoError(t, err)
	latest, _, err := store.Latest()
	require.NoError(t, err)
	require.NotNil(t, latest)
	s := simulate(t, seed+1000, cards, out, disk, latest)
	require.NoError(t, s.Run(), "seed %d", seed)
	defer func() { require.NoError(t, s.Close()) }()
	return s.Result()
}

func simulate(t *testing.T, seed uint64, cards *pipeline.Recorded, out *pipeline.Output, disk *checkpoints.MemDisk, from *stream.Checkpoint) *engine.Simulation {
	t.Helper()
	cfg := cardsJob(t, 7, 2+int(seed%2), cards, out)
	cfg.Cards.Log = func(subtask int) (stream.Log, error) {
		log, err := cards.Log(subtask)
		return sipping{log}, err
	}
	j, err := pipeline.Build(cfg)
	require.NoError(t, err)
	store, err := checkpoints.NewStore(disk, 2)
	require.NoError(t, err)
	often := stream.Checkpointing{Interval: 10, Timeout: 3000, Tolerate: 3}
	often.First, err = store.Next()
	require.NoError(t, err)
	o := engine.SimOptions{Seed: seed, Checkpoints: &engine.Checkpoints{Store: store, Config: often}}
	if from != nil {
		o.Restore, err = j.Match(from, false)
		require.NoError(t, err)
	}
	s, err := engine.NewSimulation(j, o)
	require.NoError(t, err)
	return s
}

// sipping is a log that gives a few messages at a time, so that a run has room for checkpoints.
type sipping struct{ stream.Log }

func (l sipping) Fetch(partition int32, from int64, max int) ([]stream.Message, error) {
	return l.Log.Fetch(partition, from, min(max, 3))
}

func twice(before, after []gateway.Alert) bool {
	told := map[gateway.Alert]bool{}
	for _, a := range before {
		told[a] = true
	}
	for _, a := range after {
		if told[a] {
			return true
		}
	}
	return false
}

// On Kafka the alerts have keys of their own, card and minute, so that a table of the topic has one row
// for each id.
func TestVelocityCheckOnKafka(t *testing.T) {
	b, err := broker.Open(context.Background(), "embedded", broker.Options{})
	require.NoError(t, err)
	defer func() { require.NoError(t, b.Close()) }()
	for _, stage := range []int{6, 7} {
		parts, functions, err := pipeline.Ours(stage)
		require.NoError(t, err)
		prefix := pipeline.NewPrefix()
		r, err := pipeline.Run(context.Background(), pipeline.RunConfig{
			Broker: b, Stage: stage, Parallelism: 3, Parts: parts, Functions: functions,
			Traffic: generator.Default(2000, 1), Cards: 2000, Partitions: 4, Prefix: prefix,
		})
		require.NoError(t, err)
		require.Empty(t, oracle.Table(r.Differences, 10), "stage %02d", stage)
		require.Empty(t, r.Unused)
		require.EqualValues(t, 500, r.Transactions)
		require.Positive(t, r.Alerts)
		require.Zero(t, r.Timers)
		lines, err := b.ReadAll(context.Background(), prefix+gateway.TopicAlerts)
		require.NoError(t, err)
		ids := map[string]int32{}
		for _, m := range lines {
			at, known := ids[string(m.Key)]
			require.True(t, !known || at == m.Partition, "the lines of %s are in two partitions", m.Key)
			ids[string(m.Key)] = m.Partition
		}
		require.Len(t, ids, int(r.Alerts))
	}
}
