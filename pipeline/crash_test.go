package pipeline_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"gatewaymeter/engine"
	"gatewaymeter/pipeline"
	"gatewaymeter/stream"
)

func crashConfig(t *testing.T, from string, seed uint64) pipeline.CrashConfig {
	t.Helper()
	parts, functions, err := pipeline.Ours(3)
	require.NoError(t, err)
	return pipeline.CrashConfig{Stage: 3, Parallelism: 3, Partitions: 3, Requests: 250, Seed: seed, From: from, Parts: parts, Functions: functions}
}

// Stage 03 has no checkpoint: whatever the source does after a crash, the bill is wrong (the course's
// text: "no setting of the source makes this stage right").
func TestCrashOfStage03LosesOrDoublesMoney(t *testing.T) {
	const seeds = 100
	shown := map[string]int{}
	for _, from := range []string{pipeline.FromEarliest, pipeline.FromLatest} {
		for seed := range uint64(seeds) {
			r, err := pipeline.Crash(crashConfig(t, from, seed))
			require.NoError(t, err, "seed %d", seed)
			require.True(t, r.Fired, "seed %d: the crash point %q was not reached", seed, r.At)
			if from == pipeline.FromEarliest {
				require.Empty(t, r.NeverBilled.Lines, "seed %d: everything is read again", seed)
			}
			if len(r.EmittedTwice.Lines) > 0 && from == pipeline.FromEarliest ||
				len(r.NeverBilled.Lines) > 0 && from == pipeline.FromLatest {
				shown[from]++
				require.Equal(t, "mismatch", r.Oracle, "seed %d", seed)
			}
		}
	}
	require.GreaterOrEqual(t, shown[pipeline.FromEarliest], 95, "runs that emitted something twice")
	require.GreaterOrEqual(t, shown[pipeline.FromLatest], 95, "runs that never billed something")
}

func TestCrashRepeatsItselfAndItsPointCanBeNamed(t *testing.T) {
	first, err := pipeline.Crash(crashConfig(t, pipeline.FromLatest, 7))
	require.NoError(t, err)
	again, err := pipeline.Crash(crashConfig(t, pipeline.FromLatest, 7))
	require.NoError(t, err)
	require.Equal(t, first, again)

	point, err := engine.ParseCrashPoint(first.At)
	require.NoError(t, err)
	named := crashConfig(t, pipeline.FromLatest, 7)
	named.At = &point
	byName, err := pipeline.Crash(named)
	require.NoError(t, err)
	require.Equal(t, first, byName)
}

// From stage 07 on the invoice is exact, wherever the worker dies. (Package crashmatrix turns all that can
// go wrong besides.)
func TestCrashOfStage07ChangesNothing(t *testing.T) {
	parts, functions, err := pipeline.Ours(7)
	require.NoError(t, err)
	for seed := range uint64(40) {
		r, err := pipeline.Crash(pipeline.CrashConfig{
			Stage: 7, Parallelism: 2 + int(seed%2), Partitions: 3, Requests: 250, Seed: seed,
			From: pipeline.FromCheckpoint, Parts: parts, Functions: functions, Crashes: 1 + int(seed%2),
		})
		require.NoError(t, err, "seed %d", seed)
		require.True(t, r.Fired, "seed %d: the worker did not die", seed)
		require.Len(t, r.Deaths, 1+int(seed%2))
		require.Empty(t, r.Wrong, "seed %d, %s", seed, r.At)
		require.Empty(t, r.NeverBilled.Lines)
		require.GreaterOrEqual(t, r.Events, 480)
	}
}

// A point without a number is the first such step that puts something to the test; a restore is the
// second life's, and may be named to the subtask.
func TestCrashPointsOfARestoreAndOfAnyOperator(t *testing.T) {
	parts, functions, err := pipeline.Ours(7)
	require.NoError(t, err)
	cfg := pipeline.CrashConfig{
		Stage: 7, Parallelism: 2, Partitions: 3, Requests: 250, Seed: 5,
		From: pipeline.FromCheckpoint, Parts: parts, Functions: functions,
	}
	named := engine.CrashPoint{What: engine.PointRestore, After: true, At: "assemble", N: 2}
	for _, at := range []engine.CrashPoint{named, {What: engine.PointRestore}, {What: engine.PointComplete, After: true}} {
		cfg.At = &at
		r, err := pipeline.Crash(cfg)
		require.NoError(t, err)
		require.True(t, r.Fired, at)
		require.Empty(t, r.Wrong, at)
		last := r.Deaths[len(r.Deaths)-1].Point
		require.Equal(t, at.What, last.What)
		require.Equal(t, at.After, last.After)
		if at.N > 0 {
			require.Equal(t, named, last)
		}
	}
}

func TestCrashRefusesWhatCannotBe(t *testing.T) {
	for says, cfg := range map[string]pipeline.CrashConfig{
		"stage 06 has none":             {Stage: 6, From: pipeline.FromLatest, Fault: pipeline.LostAck},
		"there is no fault":             {Stage: 7, From: pipeline.FromCheckpoint, Fault: "bad luck"},
		"it cannot be buffered":         {Stage: 7, From: pipeline.FromCheckpoint, Buffered: true, TakenBack: true},
		"stage 05 has no velocity":      {Stage: 5, From: pipeline.FromLatest, Cards: 1},
		"at least one request":          {Stage: 7, From: pipeline.FromCheckpoint, Rescale: []int{0}},
		"the run's own disk, but":       {Stage: 7, From: pipeline.FromCheckpoint, Fault: pipeline.TornWrite, Store: noStore},
		"the log is of stage 07 with 2": {Stage: 7, From: pipeline.FromCheckpoint, Log: logOf(t, 2)},
	} {
		cfg.Parallelism, cfg.Partitions, cfg.Requests = 1, 1, 1
		_, err := pipeline.Crash(cfg)
		require.ErrorContains(t, err, says)
	}
}

func noStore() (stream.CheckpointStore, error) { return nil, errors.New("never opened") }

func logOf(t *testing.T, partitions int) *pipeline.CrashLog {
	l, err := pipeline.NewCrashLog(pipeline.CrashConfig{Stage: 7, Partitions: partitions, Requests: 1})
	require.NoError(t, err)
	return l
}

// mute is a split reader that always says that there may be more.
type mute struct{ stream.SplitReader }

func (mute) Poll(int, stream.SplitOutput) (stream.Progress, error) { return stream.Waiting, nil }

// A job that never ends is an error, not a run that never ends.
func TestCrashGivesUpOnAJobThatHangs(t *testing.T) {
	parts, functions, err := pipeline.Ours(7)
	require.NoError(t, err)
	right := parts.Splits
	parts.Splits = func(log stream.Log) stream.SplitReader { return mute{right(log)} }
	_, err = pipeline.Crash(pipeline.CrashConfig{
		Stage: 7, Parallelism: 1, Partitions: 1, Requests: 20, From: pipeline.FromCheckpoint, Parts: parts, Functions: functions,
	})
	require.ErrorContains(t, err, "life 1 of the job has not ended after")
}

func TestCrashStopsInTheMiddle(t *testing.T) {
	cfg, asked, enough := crashConfig(t, pipeline.FromEarliest, 7), 0, errors.New("enough")
	cfg.Stop = func() error {
		if asked++; asked == 100 {
			return enough
		}
		return nil
	}
	_, err := pipeline.Crash(cfg)
	require.ErrorIs(t, err, enough)
	require.Equal(t, 100, asked)
}

// The traffic of a crash may be long: making it, judging it and looking through it are given up too.
func TestCrashStopsBeforeItsFirstLife(t *testing.T) {
	for _, at := range []int{2, 6, 10} {
		cfg, asked, enough := crashConfig(t, pipeline.FromEarliest, 7), 0, errors.New("enough")
		cfg.Requests = 2000 // 4,000 messages: stop is asked three or four times about each
		cfg.Watch = func(pipeline.LifeEvent, pipeline.Life) { t.Error("a life has begun") }
		cfg.Stop = func() error {
			if asked++; asked >= at {
				return enough
			}
			return nil
		}
		_, err := pipeline.Crash(cfg)
		require.ErrorIs(t, err, enough)
		require.LessOrEqual(t, asked, at+1)
	}
}
