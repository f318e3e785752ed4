package serialised_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"gatewaymeter/engine"
	"gatewaymeter/gateway"
	"gatewaymeter/internal/backends"
	timers "gatewaymeter/labs/06-timers/solution"
	checkpoints "gatewaymeter/labs/07-checkpoints/solution"
	"gatewaymeter/pipeline"
	"gatewaymeter/stream"
)

// requests drives subtasks of the assembler, with its timers, on pebble, and knows what is open.
type requests struct {
	t       *testing.T
	rng     *rand.Rand
	parts   engine.Parts
	tasks   []*engine.Unit
	started map[string]int64 // open requests
	ids     []string
}

func newRequests(t *testing.T, seed uint64) *requests {
	parts, _, err := pipeline.Ours(6)
	require.NoError(t, err)
	parts.Backend = backends.Pebble(t.TempDir())
	return &requests{t: t, rng: rand.New(rand.NewPCG(seed, 5)), parts: parts, started: map[string]int64{}}
}

// start ends what runs, without another word, and starts anew from a checkpoint or from nothing.
func (r *requests) start(parallelism int, from *stream.Checkpoint) {
	r.t.Helper()
	r.close()
	var restore []engine.OperatorSnapshot
	if from != nil {
		restore = from.Operators["assemble"]
	}
	for subtask := range parallelism {
		u, err := engine.NewKeyedUnit(engine.UnitConfig{
			Parts: r.parts, UID: "assemble", Subtask: subtask, Parallelism: parallelism,
			Clock: &engine.ManualClock{}, Restore: restore,
		}, requestOf, timers.NewAssembler(), func(stream.Record[gateway.RequestRecord]) {})
		require.NoError(r.t, err)
		r.tasks = append(r.tasks, u)
	}
}

func (r *requests) close() {
	for _, u := range r.tasks {
		require.NoError(r.t, u.Close())
	}
	r.tasks = nil
}

func requestOf(e gateway.Event) string { return e.RequestID }

func (r *requests) event(kind gateway.EventType, id string, at int64) {
	owner := r.parts.Groups.Owner(r.parts.Groups.Of(r.parts.Hash(id)), len(r.tasks))
	e := gateway.Event{Type: kind, RequestID: id, TenantID: "t-1", Model: "model-a", TS: at, PromptTokens: r.rng.Int64N(4000)}
	require.NoError(r.t, engine.Element(r.tasks[owner], e, stream.Time(at), requestOf))
}

func (r *requests) open(id string) {
	at := r.rng.Int64N(1e9)
	r.event(gateway.RequestStarted, id, at)
	if _, ok := r.started[id]; !ok {
		r.ids = append(r.ids, id)
	}
	r.started[id] = at
}

func (r *requests) openMany(n int) {
	for range n {
		r.open(fmt.Sprintf("r-%d", len(r.ids)))
	}
}

// change completes some requests, drawn by chance, and opens them again at another time.
func (r *requests) change(share float64) {
	for _, i := range r.rng.Perm(len(r.ids))[:int(share*float64(len(r.ids)))] {
		id := r.ids[i]
		r.event(gateway.RequestCompleted, id, r.started[id])
		r.open(id)
	}
}

// checkpoint takes one of all subtasks, as a job does.
func (r *requests) checkpoint(store *checkpoints.Store, id int64) stream.CheckpointSize {
	r.t.Helper()
	for _, u := range r.tasks {
		_, err := u.Part(store, id)
		require.NoError(r.t, err)
	}
	require.NoError(r.t, store.Complete(stream.Checkpoint{ID: id, Job: "test"}))
	return store.Size(id)
}

// check compares every open request and the number of timers with what was opened.
func (r *requests) check(where string) {
	r.t.Helper()
	found, pending := map[string]int64{}, 0
	for _, u := range r.tasks {
		c := u.Context()
		for group := c.FirstGroup; group <= c.LastGroup; group++ {
			require.NoError(r.t, c.Backend.Each("open", group, func(key string, v any) error {
				found[key] = v.(*gateway.OpenRequest).StartedTS
				return nil
			}))
		}
		pending += c.EventTimers.Len()
	}
	require.Equal(r.t, r.started, found, where)
	require.Equal(r.t, len(r.started), pending, where)
}

func openStore(t *testing.T, disk checkpoints.Disk) *checkpoints.Store {
	t.Helper()
	store, err := checkpoints.NewStore(disk, 2)
	require.NoError(t, err)
	return store
}

func latest(t *testing.T, store *checkpoints.Store) *stream.Checkpoint {
	t.Helper()
	c, refused, err := store.Latest()
	require.NoError(t, err)
	require.Empty(t, refused)
	return c
}

// Where one key in a hundred has changed, a checkpoint writes at most a twentieth of what the first has
// written, timers included. Now and then pebble merges, and one is as large as the first.
func TestACheckpointWritesWhatHasChanged(t *testing.T) {
	const seed = 1
	t.Logf("seed %d", seed)
	r := newRequests(t, seed)
	store := openStore(t, checkpoints.OSDisk{Root: t.TempDir()})
	r.start(1, nil)
	defer r.close()
	r.openMany(40_000)
	first := r.checkpoint(store, 1)
	require.Equal(t, first.Bytes, first.Written)
	merges, written := 0, int64(0)
	const rounds = 24 // one merge, and then far from the next
	for id := int64(2); id < 2+rounds; id++ {
		r.change(0.01)
		size := r.checkpoint(store, id)
		written += size.Written
		if size.Written > first.Written/20 {
			merges++
			require.Greater(t, id, int64(10), "the first checkpoints have nothing to merge: %+v of %+v", size, first)
		}
	}
	t.Logf("first %d bytes, the next %d together %d, %d of them more than a twentieth of it", first.Written, rounds, written, merges)
	require.LessOrEqual(t, merges, 2)
	require.Less(t, written, rounds*first.Written/10)
	r.start(1, latest(t, store))
	r.check("after the last")
	size := r.checkpoint(store, 2+rounds)
	require.Less(t, size.Written, first.Written/20, "nothing has changed since the restore")
}
