package serialised_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	checkpoints "gatewaymeter/labs/07-checkpoints/solution"
)

// Lives of a job on pebble: in each a few checkpoints, some of them given up, then a crash that loses
// what came after the last, and a start with another parallelism. At any time each retained checkpoint is
// whole, and no file is kept that none of them names.
func TestCrashesAndRescaling(t *testing.T) {
	for name, disk := range map[string]checkpoints.Disk{
		"machine": checkpoints.OSDisk{Root: t.TempDir()}, "memory": checkpoints.NewMemDisk(),
	} {
		t.Run(name, func(t *testing.T) {
			const seed = 2
			t.Logf("seed %d", seed)
			r := newRequests(t, seed)
			defer r.close()
			r.start(2, nil)
			store := openStore(t, disk)
			id := int64(1)
			for life, next := range []int{3, 1, 1, 2, 2} {
				var kept map[string]int64
				for range 1 + r.rng.IntN(3) {
					where := fmt.Sprintf("life %d, checkpoint %d", life, id)
					r.openMany(200)
					r.change(0.05)
					if r.rng.IntN(3) == 0 { // one is given up half-way
						_, err := r.tasks[0].Part(store, id)
						require.NoError(t, err)
						require.NoError(t, store.Discard(id))
						id++
					}
					r.checkpoint(store, id)
					kept = maps.Clone(r.started)
					retainedAreWhole(t, store, disk, where)
					id++
				}
				r.openMany(50) // lost
				r.change(0.1)
				r.started, r.ids = kept, slices.Sorted(maps.Keys(kept))
				store = openStore(t, disk) // another process
				r.start(next, latest(t, store))
				r.check(fmt.Sprintf("life %d, started with parallelism %d", life+1, next))
			}
		})
	}
}

// retainedAreWhole reads every complete checkpoint, and holds the shared files against those that they
// name.
func retainedAreWhole(t *testing.T, store *checkpoints.Store, disk checkpoints.Disk, where string) {
	t.Helper()
	ids, err := store.IDs()
	require.NoError(t, err)
	named := map[string]bool{}
	for _, id := range ids {
		found := store.Inspect(id)
		require.NoError(t, found.Manifest, where)
		for _, p := range found.Parts {
			require.NoError(t, p.File.Damage, where)
			require.NotEmpty(t, p.Shared, where)
			for _, f := range p.Shared {
				require.NoError(t, f.Damage, where)
				named[f.Path] = true
			}
		}
	}
	names, err := disk.List("shared")
	require.NoError(t, err)
	var there []string
	for _, name := range names {
		there = append(there, "shared/"+name)
	}
	require.Equal(t, slices.Sorted(maps.Keys(named)), there, where)
}
