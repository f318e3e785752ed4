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
	Steps   json.RawMessage    `json:"steps"` // of specials: words, which the test in specials_test.go puts into code
	Heap    int                `json:"entries_heap"`
	RocksDB int                `json:"entries_rocksdb"`
}

type keyedStateAction struct {
	stateAction
	Heap    int `json:"entries_heap"`
	RocksDB int `json:"entries_rocksdb"`
}

// The five primitives on HashMapStateBackend and EmbeddedRocksDBStateBackend.
func TestKeyedState(t *testing.T) {
	var specials []string
	Each(t, "keyed_state.jsonl", func(t *testing.T, line int, c keyedStateCase) {
		switch c.Kind {
		case "script":
			runKeyedStateScript(t, line, c)
		case "special":
			specials = append(specials, c.ID)
		default:
			t.Fatalf("line %d: kind %q is not known here", line, c.Kind)
		}
	})
	checkSpecials(t, specials)
}

func runKeyedStateScript(t *testing.T, line int, c keyedStateCase) {
	s := newStates(t, &handClock{})
	var script strings.Builder
	for i, a := range c.Actions {
		text, _ := json.Marshal(a)
		fmt.Fprintf(&script, "\n%d %s", i, text)
		where := fmt.Sprintf("%s, line %d:%s", c.ID, line, script.String())
		s.do(t, a.stateAction, where)
		require.Equal(t, a.Heap, s.entries(), "entries, %s", where)
	}
}
func checkSpecials(t *testing.T, ids []string) {}
