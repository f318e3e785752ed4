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
	cases := Pairs(seeds)
	for _, c := range cases {
		if err := Run(t.Context(), b, c); err != nil {
			t.Errorf("%s --broker %s\n%v", c, spec, err)
		}
	}
	t.Logf("%d runs on %s", len(cases), b)
}
