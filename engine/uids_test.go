package engine_test

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gatewaymeter/engine"
	"gatewaymeter/stream"
)

// countedNumbers counts what its source reads: operator state.
type countedNumbers struct {
	numbers
	read stream.Counter
}

func (s *countedNumbers) Open(c *stream.Context) error {
	s.read = stream.NewCounter(c, "read")
	return s.numbers.Open(c)
}

// nameless is a job without a single uid.
func nameless(r *results, parallelism int) *engine.Job {
	j := engine.NewJob("nameless", testParts(), parallelism)
	words := engine.Process(engine.From(j, "", func() stream.Source[word] { return &countedNumbers{numbers: numbers{total: 100, keys: 10}} }),
		"", func() stream.Function[word, word] { return doubling{} })
	sums := engine.ProcessKeyed(keyBy(words, keyOfWord), "", func() stream.KeyedFunction[word, word] { return &summing{} })
	engine.SinkTo(sums, "", r.sink)
	return j
}

// State without a uid is warned of, once, with where it is and what to do; no state, no warning.
func TestStateWithoutUIDIsWarnedOf(t *testing.T) {
	j := nameless(&results{}, 2)
	var said []string
	j.Warn = func(message string) { said = append(said, message) }
	for range 2 { // a second start, as after a failure, says nothing new
		_, err := j.Run(context.Background(), engine.Options{})
		require.NoError(t, err)
	}
	require.Len(t, said, 2, "the source counts, the sum is keyed; the function and the sink have no state: %q", said)
	require.Contains(t, said[0], `operator "auto-0-source" of job "nameless" (source) has state and no uid`)
	require.Contains(t, said[1], `operator "auto-2-keyed" of job "nameless" (keyed, behind "auto-1-function") has state and no uid`)
	require.Contains(t, said[1], "Give it a uid where it is built, and keep it")
}

func TestUIDsOfOnesOwnAreNotWarnedOf(t *testing.T) {
	j := sums(1, 100, &results{}, func() stream.KeyedFunction[word, word] { return &summing{} })
	j.Warn = func(message string) { t.Errorf("a warning: %s", message) }
	_, err := j.Run(context.Background(), engine.Options{})
	require.NoError(t, err)
}

// Without Warn the log is told.
func TestWarningsGoToTheLog(t *testing.T) {
	var out bytes.Buffer
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(&out, nil)))
	defer slog.SetDefault(before)
	_, err := nameless(&results{}, 1).Run(context.Background(), engine.Options{})
	require.NoError(t, err)
	require.Equal(t, 2, strings.Count(out.String(), "level=WARN"))
}

// Names by place are enough to restore a graph that has not changed.
func TestGeneratedUIDsRestore(t *testing.T) {
	run := func(parallelism int, restore map[string][]engine.OperatorSnapshot) (map[string]int64, map[string][]engine.OperatorSnapshot) {
		r := &results{}
		j := nameless(r, parallelism)
		j.Warn = func(string) {}
		s, err := engine.NewSimulation(j, engine.SimOptions{Seed: 7, Restore: restore})
		require.NoError(t, err)
		require.NoError(t, s.Run())
		state, err := s.Snapshot()
		require.NoError(t, err)
		require.NoError(t, s.Close())
		return r.last, state
	}
	once, state := run(3, nil)
	twice, _ := run(2, state)
	require.NotEmpty(t, once)
	for key, sum := range once {
		require.Equal(t, 2*sum, twice[key], "the sums go on from the snapshot")
	}
}
