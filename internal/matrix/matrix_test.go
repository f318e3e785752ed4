package matrix

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"gatewaymeter/broker"
)

func TestPairsMeetEveryPairAndSeed(t *testing.T) {
	met := map[string]bool{}
	for _, c := range Pairs(20) {
		for _, p := range c.pairs() {
			met[p] = true
		}
	}
	for _, c := range All(20) {
		for _, p := range c.pairs() {
			require.True(t, met[p], p)
		}
	}
}

// TestPairwise does the pairwise runs on BROKER. A failure prints the command that repeats it.
func TestPairwise(t *testing.T) {
	spec := os.Getenv("BROKER")
	if spec == "" {
		spec = "embedded"
	}
	seeds := 20
	if spec != "embedded" {
		seeds = 2 // a real Kafka is slower; its dimensions are the same
	}
	b, err := broker.Open(t.Context(), spec, broker.Options{})
	require.NoError(t, err)
	defer b.Close()
	cases, sums := Pairs(seeds), Sums{}
	for _, c := range cases {
		if err := Run(t.Context(), b, c, sums); err != nil {
			t.Errorf("%s --broker %s\n%v", c, spec, err)
		}
	}
	t.Logf("%d runs on %s", len(cases), b)
}

func TestSumsOfTheSameTrafficAreEqual(t *testing.T) {
	s := Sums{}
	require.NoError(t, s.add(Case{Stage: 3, Seed: 1, Parallelism: 1}, 10))
	require.NoError(t, s.add(Case{Stage: 3, Seed: 1, Parallelism: 8, Backend: "pebble"}, 10))
	require.NoError(t, s.add(Case{Stage: 6, Seed: 1}, 11), "stages differ")
	require.NoError(t, s.add(Case{Stage: 3, Seed: 2}, 12), "seeds differ")
	require.ErrorContains(t, s.add(Case{Stage: 3, Seed: 1, Partitions: 7}, 13), "was 10 for the same traffic")
}
