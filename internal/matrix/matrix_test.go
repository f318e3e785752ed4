package matrix

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"gatewaymeter/broker"
	"gatewaymeter/internal/planted"
	"gatewaymeter/internal/reduce"
	"gatewaymeter/internal/replay"
	"gatewaymeter/pipeline"
)

// seeds are turned with every stage.
const seeds = 50

// days are few, so that each can be run before it comes: a test that fails on one day of the year only would
// fail on somebody who has changed nothing.
const days = 7

func offset(t *testing.T) uint64 {
	n, err := Offset(days)
	require.NoError(t, err)
	t.Logf("MATRIX_OFFSET=%d", n)
	return n
}

// onBroker opens BROKER, embedded without it.
func onBroker(t *testing.T) (b *broker.Broker, spec string) {
	spec = os.Getenv("BROKER")
	if spec == "" {
		spec = "embedded"
	}
	b, err := broker.Open(t.Context(), spec, broker.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, b.Close()) })
	return b, spec
}

// TestPairwise does the pairwise runs, the live ones on BROKER; or the one in MATRIX_CASE. A failure
// prints the commands that repeat and reduce it.
func TestPairwise(t *testing.T) {
	b, spec := onBroker(t)
	cases := Pairwise(seeds, offset(t))
	if spec != "embedded" {
		cases = LivePairwise(offset(t)) // a real Kafka is slower; its dimensions are the same
	}
	if text := os.Getenv("MATRIX_CASE"); text != "" {
		c, err := ParseCase(text)
		require.NoError(t, err)
		cases = []Case{c}
	}
	r := &Runner{Broker: func() *broker.Broker { return b }}
	r.All(t.Context(), cases, 2, func(c Case, err error) {
		if err != nil {
			t.Error(c.Failure(err, spec))
		}
	})
	t.Logf("%s, on %s", Coverage(cases), b)
}

// TestAPlantedBugIsFoundAndReduced: what the matrix finds, it says how to reduce, and what is left is a
// handful of messages that show the bug again and are nothing to the job without it.
func TestAPlantedBugIsFoundAndReduced(t *testing.T) {
	buggy := planted.WithoutDedupe()
	r := &Runner{Maker: buggy}
	for _, c := range Pairwise(seeds, offset(t)) {
		if c.Driver == Live {
			continue
		}
		err := r.Run(t.Context(), c)
		if err == nil { // no duplicates among so few
			continue
		}
		text := c.Failure(err, "embedded")
		t.Log(text)
		require.Regexp(t, `(?s)^stage=\d.*seed=\d+\nthe oracle disagrees:\nwhere +engine +oracle\n.*\nagain: .*MATRIX_CASE='stage=.*\nreduce: go tool lab reduce --stage 0\d `, text)

		messages, _ := c.traffic().Messages()
		p := c.traffic().Params()
		left, err := reduce.Run(t.Context(), reduce.Config{
			Job: c.job(), Maker: buggy, Messages: messages, Bound: p.Bound, Within: p.DuplicateWithin, Schedules: 5,
		})
		require.NoError(t, err)
		require.Less(t, left.Runs, 200, "each takes milliseconds")
		require.LessOrEqual(t, len(left.Messages), 10)

		path := filepath.Join(t.TempDir(), "left.txt")
		require.NoError(t, os.WriteFile(path, []byte(left.Recording().Text()), 0o600))
		again, err := replay.ReadFile(path)
		require.NoError(t, err)
		o, err := again.Job.RunMessages(buggy, again.Messages)
		require.NoError(t, err)
		require.Equal(t, left.Original.Way(), o.Way())
		sound, err := again.Job.RunMessages(pipeline.Ours, again.Messages)
		require.NoError(t, err)
		require.True(t, sound.OK())
		return
	}
	t.Fatal("no case has found it")
}
