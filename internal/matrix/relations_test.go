package matrix

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gatewaymeter/gateway"
	"gatewaymeter/internal/planted"
	"gatewaymeter/internal/replay"
	"gatewaymeter/pipeline"
	"gatewaymeter/stream"
)

func TestRelations(t *testing.T) {
	first := offset(t) * 10
	for _, r := range Relations {
		t.Run(r.Name, func(t *testing.T) {
			for _, stage := range stages() {
				seed := first + uint64(stage)
				require.NoError(t, r.CheckSeed(pipeline.Ours, stage, seed, os.TempDir()), "stage %02d, seed %d", stage, seed)
			}
		})
	}
}

// wrongly is a job whose assembler gets other events; each bug is one that only some change shows.
func wrongly(change func(n int, last, e gateway.Event) (gateway.Event, bool)) replay.Maker {
	return planted.Assemble(func() func(gateway.Event, func(gateway.Event) error) error {
		n, last := 0, gateway.Event{}
		return func(e gateway.Event, pass func(gateway.Event) error) error {
			n++
			changed, ok := change(n, last, e)
			last = e
			if !ok {
				return nil
			}
			return pass(changed)
		}
	})
}

// TestRelationsFindPlantedBugs: each relation has teeth of its own.
func TestRelationsFindPlantedBugs(t *testing.T) {
	bugs := map[string]replay.Maker{
		"another order between requests": wrongly(func(_ int, last, e gateway.Event) (gateway.Event, bool) {
			e.PromptTokens += last.PromptTokens // of whoever came before
			return e, true
		}),
		"every event once more": planted.WithoutDedupe(),
		"strangers between them": wrongly(func(n int, _, e gateway.Event) (gateway.Event, bool) {
			return e, n%50 != 0
		}),
		"another topic, with seven partitions": planted.Decode(func(right func(stream.Message) (gateway.Event, error), m stream.Message) (gateway.Event, error) {
			e, err := right(m)
			e.PromptTokens += int64(m.Partition)
			return e, err
		}),
		"seven hours later": wrongly(func(_ int, _, e gateway.Event) (gateway.Event, bool) {
			if e.TS/3_600_000%24 < 6 {
				e.CompletionTokens /= 2 // the night rate
			}
			return e, true
		}),
		"three times the tokens": wrongly(func(_ int, _, e gateway.Event) (gateway.Event, bool) {
			e.PromptTokens = min(e.PromptTokens, 8000)
			return e, true
		}),
		"garbage between them": poisoned(),
		"other request ids": wrongly(func(_ int, _, e gateway.Event) (gateway.Event, bool) {
			return e, !strings.HasSuffix(e.RequestID, "7")
		}),
	}
	for _, r := range Relations {
		t.Run(r.Name, func(t *testing.T) {
			require.Contains(t, bugs, r.Name)
			err := r.CheckSeed(bugs[r.Name], 6, 5, t.TempDir())
			require.ErrorContains(t, err, fmt.Sprintf("%s: %s, but ", r.Name, r.Says))
			require.ErrorContains(t, err, "reduce: go tool lab reduce ")
			t.Log(err)
		})
	}
}

// poisoned loses the event that follows a malformed message.
func poisoned() replay.Maker {
	bad := map[int32]bool{}
	return planted.Decode(func(right func(stream.Message) (gateway.Event, error), m stream.Message) (gateway.Event, error) {
		e, err := right(m)
		if err == nil && bad[m.Partition] {
			e.PromptTokens = 0
		}
		bad[m.Partition] = err != nil
		return e, err
	})
}
