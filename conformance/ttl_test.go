package conformance

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gatewaymeter/stream"
)

type ttlCase struct {
	ID         string      `json:"id"`
	State      string      `json:"state"`
	TTL        int64       `json:"ttl"`
	UpdateType string      `json:"update_type"`
	Visibility string      `json:"visibility"`
	Cleanup    string      `json:"cleanup"`
	Actions    []ttlAction `json:"actions"`
}

type ttlAction struct {
	stateAction
	TS       stream.Time `json:"ts"`
	Repeat   int         `json:"repeat"`
	Entries  *int        `json:"entries"`
	AtMost   *int        `json:"entries_without_cleanup"`
	EntriesR *int        `json:"entries_rocksdb"`
}

func (c ttlCase) option(t *testing.T) stream.Option {
	ttl := stream.TTL{After: time.Duration(c.TTL) * time.Millisecond}
	ttl.Update = pick(t, c.UpdateType, map[string]stream.TTLUpdate{
		"OnCreateAndWrite": stream.OnCreateAndWrite, "OnReadAndWrite": stream.OnReadAndWrite})
	ttl.Visibility = pick(t, c.Visibility, map[string]stream.TTLVisibility{
		"NeverReturnExpired": stream.NeverReturnExpired, "ReturnExpiredIfNotCleanedUp": stream.ReturnExpiredIfNotCleanedUp})
	ttl.Cleanup = pick(t, c.Cleanup, map[string]stream.TTLCleanup{
		"none": stream.CleanupOnRead, "full": stream.CleanupInSnapshot, "incremental": stream.CleanupIncremental})
	return stream.Expire(ttl)
}

func pick[T any](t *testing.T, word string, words map[string]T) T {
	t.Helper()
	v, known := words[word]
	require.True(t, known, "%q is not known here", word)
	return v
}

// handClock is moved by the script.
type handClock struct{ now stream.Time }

func (c *handClock) Now() stream.Time { return c.now }

// StateTtlConfig and the Ttl*State classes. Vectors with a cleanup are the heap's: Flink has none of
// them on RocksDB.
func TestTTL(t *testing.T) {
	Each(t, "ttl.jsonl", func(t *testing.T, line int, c ttlCase) {
		runTTL(t, "heap", line, c)
		if c.Cleanup == "none" {
			runTTL(t, "serialised", line, c)
		}
	})
}

func runTTL(t *testing.T, backend string, line int, c ttlCase) {
	clock := &handClock{}
	s := newStates(t, backend, clock, c.option(t))
	var script strings.Builder
	for i, a := range c.Actions {
		text, _ := json.Marshal(a)
		fmt.Fprintf(&script, "\n%d %s", i, text)
		where := fmt.Sprintf("%s on %s, %d ms, %s, %s, cleanup %s, line %d:%s",
			c.ID, backend, c.TTL, c.UpdateType, c.Visibility, c.Cleanup, line, script.String())
		if a.Op == "time" {
			clock.now = a.TS
		}
		for range max(a.Repeat, 1) {
			s.do(t, a.stateAction, where)
		}
		switch {
		case a.AtMost != nil:
			require.LessOrEqual(t, s.entries(), *a.AtMost, "entries: at most as many as without cleanup, %s", where)
		case a.Entries != nil:
			require.Equal(t, *a.Entries, s.entries(), "entries, %s", where)
		}
	}
	s.close(t)
}
