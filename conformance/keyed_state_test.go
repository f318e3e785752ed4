package conformance

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

type keyedStateCase struct {
	ID      string             `json:"id"`
	Kind    string             `json:"kind"`
	Actions []keyedStateAction `json:"actions"`
	Steps   []specialStep      `json:"steps"` // of specials
	Heap    int                `json:"entries_heap"`
	RocksDB int                `json:"entries_rocksdb"`
}

type keyedStateAction struct {
	stateAction
	Heap    int `json:"entries_heap"`
	RocksDB int `json:"entries_rocksdb"`
}

// The five primitives on HashMapStateBackend and EmbeddedRocksDBStateBackend. Flink's two give the same
// results, and so do our two; entries are counted as Flink's heap does.
func TestKeyedState(t *testing.T) {
	var specials []keyedStateCase
	Each(t, "keyed_state.jsonl", func(t *testing.T, line int, c keyedStateCase) {
		switch c.Kind {
		case "script":
			for _, backend := range backends {
				runKeyedStateScript(t, backend, line, c)
			}
		case "special":
			specials = append(specials, c)
		default:
			t.Fatalf("line %d: kind %q is not known here", line, c.Kind)
		}
	})
	runSpecials(t, specials)
}

func runKeyedStateScript(t *testing.T, backend string, line int, c keyedStateCase) {
	s := newStates(t, backend, &handClock{})
	var script strings.Builder
	for i, a := range c.Actions {
		text, _ := json.Marshal(a)
		fmt.Fprintf(&script, "\n%d %s", i, text)
		where := fmt.Sprintf("%s on %s, line %d:%s", c.ID, backend, line, script.String())
		s.do(t, a.stateAction, where)
		require.Equal(t, a.Heap, s.entries(), "entries, %s", where)
	}
	s.close(t)
}
