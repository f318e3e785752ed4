package anatomy_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gatewaymeter/engine"
	"gatewaymeter/internal/anatomy"
	"gatewaymeter/internal/anatomy/anatomytest"
	"gatewaymeter/internal/backends"
	ours "gatewaymeter/labs/07-checkpoints/solution"
	"gatewaymeter/pipeline"
	"gatewaymeter/stream"
)

// folder is a new folder with three checkpoints.
func folder(t *testing.T, seed uint64) string {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, anatomytest.Fill(dir, seed))
	return dir
}

func look(t *testing.T, dir string) []anatomy.Checkpoint {
	t.Helper()
	all, err := anatomy.Look(t.Context(), dir, anatomy.Options{Now: time.UnixMilli(60_000), Groups: true, Open: backends.Reader})
	require.NoError(t, err)
	return all
}

// One source for the audit: what the states of the job say of themselves is the answer of lab 07's
// investigation 7.6.
func TestRemovalsAreThoseOfTheAudit(t *testing.T) {
	var got, want []string
	for _, o := range look(t, folder(t, 1))[0].Operators {
		for _, s := range o.States {
			got = append(got, fmt.Sprintf("%s/%s: %v", o.UID, s.Name, s.Removed))
		}
	}
	for _, a := range ours.Audit(6) {
		want = append(want, fmt.Sprintf("%s/%s: %v", a.UID, a.State, a.Removed))
	}
	require.Equal(t, want, got)
}

// What is shown of a checkpoint is what is in it: counts by key group add up, ranges cover all groups,
// and every entry that a timer is to remove has one.
func TestCountsAddUp(t *testing.T) {
	for seed := range uint64(5) {
		for _, c := range look(t, folder(t, seed)) {
			require.Equal(t, anatomy.Whole, c.Status, "seed %d", seed)
			require.Len(t, c.Offsets, 6, "three partitions of two topics")
			require.True(t, slices.IsSortedFunc(c.Offsets, func(a, b anatomy.Offset) int {
				return cmp.Or(cmp.Compare(a.UID, b.UID), cmp.Compare(a.Partition, b.Partition))
			}))
			var size int64
			for _, f := range c.Files {
				size += f.Size
			}
			require.Equal(t, size, c.Size)
			for _, o := range c.Operators {
				requireRanges(t, o)
				for _, s := range o.States {
					sum := 0
					for _, n := range s.Groups {
						sum += n
					}
					require.Equal(t, s.Entries, sum, "seed %d: %s/%s", seed, o.UID, s.Name)
					require.Equal(t, slices.Min(s.Groups), s.Min)
					require.Equal(t, slices.Max(s.Groups), s.Max)
					require.Zero(t, s.Untimed, "seed %d: %s/%s has entries that nothing will remove", seed, o.UID, s.Name)
				}
			}
		}
	}
}

// The same run shows the same on the heap and in an incremental backend's files, but for the files.
func TestBackendsShowTheSame(t *testing.T) {
	heap, pebble := t.TempDir(), t.TempDir()
	require.NoError(t, anatomytest.Fill(heap, 3))
	require.NoError(t, anatomytest.FillWith(pebble, 3, func(p *engine.Parts) { p.Backend = backends.Pebble(t.TempDir()) }))
	onHeap, onPebble := look(t, heap), look(t, pebble)
	require.Positive(t, onPebble[0].Shared, "files of the checkpoint before")
	for i := range onHeap {
		for _, c := range []*anatomy.Checkpoint{&onHeap[i], &onPebble[i]} {
			c.Path, c.Files, c.Size, c.Shared = "", nil, 0, 0
		}
	}
	require.Equal(t, onHeap, onPebble)

	_, err := anatomy.Look(t.Context(), pebble, anatomy.Options{})
	require.NoError(t, err)
}

// Files that nothing can read, and files of a backend that are damaged, are said to be so.
func TestFilesOfABackendThatCannotBeRead(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, anatomytest.FillWith(dir, 3, func(p *engine.Parts) { p.Backend = backends.Pebble(t.TempDir()) }))
	all, err := anatomy.Look(t.Context(), dir, anatomy.Options{})
	require.NoError(t, err)
	require.Contains(t, strings.Join(all[0].Problems, "\n"), "there is none to read them")

	files, err := filepath.Glob(filepath.Join(dir, "shared", "*.sst"))
	require.NoError(t, err)
	require.NoError(t, os.Remove(files[len(files)-1]))
	problems := ""
	for _, c := range look(t, dir) {
		problems += strings.Join(c.Problems, "\n")
	}
	require.Contains(t, problems, "shared/"+filepath.Base(files[len(files)-1])+" is missing")
}

func requireRanges(t *testing.T, o anatomy.Operator) {
	t.Helper()
	if o.MaxGroups == 0 {
		require.Empty(t, o.Ranges)
		return
	}
	next := 0
	for _, r := range o.Ranges {
		require.Equal(t, next, r[0], o.UID)
		next = r[1] + 1
	}
	require.Equal(t, o.MaxGroups, next, o.UID)
}

// A look says of every damage that a job would refuse the checkpoint, and never of a whole one; it names
// the file; and what it says a restore takes is what the store gives a job.
func TestEveryDamageIsShown(t *testing.T) {
	const runs = 50
	source := folder(t, 7)
	for run := range uint64(runs) {
		rng := rand.New(rand.NewPCG(run, 7))
		dir := filepath.Join(t.TempDir(), "chk")
		require.NoError(t, os.CopyFS(dir, os.DirFS(source)))
		file := damage(t, rng, dir)
		all := look(t, dir)
		store, err := pipeline.OpenCheckpoints(dir)
		require.NoError(t, err)
		latest, _, err := store.Latest()
		require.NoError(t, err)
		for _, c := range all {
			_, err := store.Read(c.ID)
			require.Equal(t, err == nil, c.Status == anatomy.Whole, "seed %d, %s: checkpoint %d: %v, and %v", run, file, c.ID, c.Problems, err)
			require.Equal(t, latest.ID, c.Restore)
			require.Equal(t, latest.ID == c.ID, c.Taken)
			if c.Status != anatomy.Whole {
				require.Contains(t, strings.Join(c.Problems, "\n"), filepath.Base(file), "seed %d", run)
			}
		}
	}
}

// damage flips a bit of a file, cuts it short, removes it, or puts another file in its place.
func damage(t *testing.T, rng *rand.Rand, dir string) (file string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "chk-*", "*"))
	require.NoError(t, err)
	file = files[rng.IntN(len(files))]
	content, err := os.ReadFile(file)
	require.NoError(t, err)
	switch rng.IntN(4) {
	case 0:
		content[rng.IntN(len(content))] ^= 1 << rng.IntN(8)
	case 1:
		content = content[:rng.IntN(len(content))]
	case 2:
		require.NoError(t, os.Remove(file))
		return file
	default:
		if content, err = os.ReadFile(files[rng.IntN(len(files))]); err != nil {
			t.Fatal(err)
		}
	}
	require.NoError(t, os.WriteFile(file, content, 0o644))
	return file
}

// A manifest of another version is refused by its version, whatever else is in it.
func TestAnotherVersionIsNamed(t *testing.T) {
	dir := folder(t, 1)
	manifest := filepath.Join(dir, "chk-000003", "manifest.json")
	content, err := os.ReadFile(manifest)
	require.NoError(t, err)
	var m map[string]any
	require.NoError(t, json.Unmarshal(content, &m))
	m["version"] = 99
	content, err = json.Marshal(m)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(manifest, content, 0o644))
	newest := look(t, dir)[0]
	require.Equal(t, anatomy.Damaged, newest.Status)
	require.Equal(t, []string{"chk-000003/manifest.json: the manifest has version 99, this program reads version 1"}, newest.Problems)
	require.EqualValues(t, 2, newest.Restore)
}

// A job at work in the folder is not taken for damage: what it has removed meanwhile is not shown, and
// what it takes just now is incomplete.
func TestALookAtAFolderInUse(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, anatomytest.Small(dir))
	over, looks := make(chan error, 1), 0
	go func() { over <- anatomytest.More(dir, 40) }()
	for done := false; !done; looks++ {
		select {
		case err := <-over:
			require.NoError(t, err)
			done = true
		default:
		}
		for _, c := range look(t, dir) {
			require.NotEqual(t, anatomy.Damaged, c.Status, "checkpoint %d: %v", c.ID, c.Problems)
			require.False(t, c.Status == anatomy.Whole && c.ID > c.Restore, "checkpoint %d is whole, and a restore takes %d", c.ID, c.Restore)
		}
	}
	t.Logf("%d looks", looks)
	require.Len(t, look(t, dir), pipeline.Retained)
}

// A checkpoint that is completed during a look is the one that a restore takes.
func TestACheckpointIsCompletedDuringALook(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, anatomytest.FillWith(dir, 3, func(p *engine.Parts) { p.Backend = backends.Pebble(t.TempDir()) }))
	newest := filepath.Join(dir, "chk-000003", "manifest.json")
	require.NoError(t, os.Rename(newest, newest+".tmp"))
	completed := false
	all, err := anatomy.Look(t.Context(), dir, anatomy.Options{Open: func(groups int) (stream.FileBackend, func() error, error) {
		if !completed { // the first one is being looked at
			require.NoError(t, os.Rename(newest+".tmp", newest))
			completed = true
		}
		return backends.Reader(groups)
	}})
	require.NoError(t, err)
	require.EqualValues(t, 3, all[0].ID)
	require.Equal(t, anatomy.Whole, all[0].Status)
	for _, c := range all {
		require.EqualValues(t, 3, c.Restore)
		require.Equal(t, c.ID == 3, c.Taken)
	}
}

// Folders that are no checkpoints are errors that say what is there.
func TestFoldersWithoutCheckpoints(t *testing.T) {
	dir := t.TempDir()
	runs := filepath.Join(dir, "runs")
	require.NoError(t, os.MkdirAll(filepath.Join(runs, "a", "chk-000001"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "file"), nil, 0o644))
	require.NoError(t, os.Mkdir(filepath.Join(dir, "empty"), 0o755))
	for name, says := range map[string]string{
		"nowhere":    "is not there: name a --checkpoint-dir",
		"file":       "is a file: name the folder",
		"empty":      "is empty: no checkpoint was taken there",
		".":          "holds no checkpoint: there is no folder chk-… in it",
		"runs":       "name one of " + filepath.Join(runs, "a"),
		"chk-000009": "is not there",
	} {
		_, err := anatomy.Look(t.Context(), filepath.Join(dir, name), anatomy.Options{})
		require.ErrorContains(t, err, says, name)
	}
	all, err := anatomy.Look(t.Context(), filepath.Join(runs, "a"), anatomy.Options{})
	require.NoError(t, err)
	require.Equal(t, anatomy.Incomplete, all[0].Status)
}
