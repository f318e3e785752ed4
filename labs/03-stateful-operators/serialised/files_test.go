package serialised_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gatewaymeter/labs/03-stateful-operators/serialised"
	operators "gatewaymeter/labs/03-stateful-operators/solution"
	"gatewaymeter/stream"
)

// fileSnapshot is the files of a backend, copied to where its end does not reach them.
func fileSnapshot(t *testing.T, b stream.Backend) []stream.StateFile {
	files, release, err := b.(stream.FileBackend).SnapshotFiles()
	require.NoError(t, err)
	for i, f := range files {
		content, err := os.ReadFile(f.Path)
		require.NoError(t, err)
		require.EqualValues(t, len(content), f.Size)
		files[i] = stream.StateFile{Name: f.Name, Content: content, Size: f.Size}
	}
	release()
	return files
}

func restoreFiles(t *testing.T, first, last int, snapshots ...[]stream.StateFile) stream.Backend {
	b, err := serialised.New(t.TempDir(), first, last)
	require.NoError(t, err)
	t.Cleanup(func() { _ = b.Close() })
	for _, files := range snapshots {
		require.NoError(t, b.(stream.FileBackend).RestoreFiles(files))
	}
	return b
}

// What goes through files is what was there: under whatever steps, with the states declared before or
// after, by one subtask, two, or two into one; against a heap that has had the same steps.
func TestFilesAreTheState(t *testing.T) {
	for seed := range uint64(8) {
		clock := &clock{}
		ttl := stream.TTL{After: time.Second}
		heap := &side{name: "heap", make: func() stream.Backend { return operators.NewTTL(operators.NewHeap(0, groups-1), clock) }}
		heap.open(ttl)
		first, last := 0, groups-1
		other := &side{name: "serialised", make: func() stream.Backend {
			return operators.NewTTL(restoreFiles(t, first, last), clock)
		}}
		other.open(ttl)
		r := rand.New(rand.NewPCG(seed, 4))
		for round := range 6 {
			where := fmt.Sprintf("seed %d, round %d", seed, round)
			for range r.IntN(200) {
				turn := r.Uint64()
				require.Equal(t, heap.step(rand.New(rand.NewPCG(turn, 0))), other.step(rand.New(rand.NewPCG(turn, 0))), where)
				if r.IntN(30) == 0 {
					require.NoError(t, other.c.Backend.Flush())
				}
			}
			files := fileSnapshot(t, other.c.Backend)
			var restored stream.Backend
			if r.IntN(2) == 0 {
				restored = restoreFiles(t, 0, groups-1, files)
			} else { // by way of two subtasks
				cut := 1 + r.IntN(groups-1)
				low, high := restoreFiles(t, 0, cut-1, files), restoreFiles(t, cut, groups-1, files)
				restored = restoreFiles(t, 0, groups-1, fileSnapshot(t, low), fileSnapshot(t, high))
			}
			other.make = func() stream.Backend { return operators.NewTTL(restored, clock) }
			if r.IntN(3) > 0 {
				other.open(ttl)
				require.Equal(t, heap.entries(), other.entries(), where)
				require.Equal(t, other.entries(), other.walked(t), where)
			} else { // nobody declares anything, and the state is handed on
				other.c = &stream.Context{Backend: other.make(), States: other.c.States}
			}
			require.Equal(t, heap.snapshot(t), other.snapshot(t), where)
			other.open(ttl)
		}
	}
}

// counter is a live object.
type counter struct{ n int64 }

type counterCodec struct{}

func (counterCodec) Append(dst []byte, v counter) []byte { return stream.AppendInt(dst, v.n) }
func (counterCodec) Decode(src []byte) (counter, error) {
	w := stream.NewWire(src)
	return counter{w.Int()}, w.Done()
}

// liveCell declares a live state.
func liveCell(t *testing.T, b stream.Backend) stream.ValueCell {
	cell, err := b.Cell(stream.Describe[counter]("live", counterCodec{}, true))
	require.NoError(t, err)
	return cell.(stream.ValueCell)
}

// A live object is in the files as it is when they are made, whether it was written once or often.
func TestLiveObjectsInFiles(t *testing.T) {
	b := restoreFiles(t, 0, 1)
	cell := liveCell(t, b)
	for i := range 300 {
		b.SetKey(i%2, fmt.Sprint("k-", i%100))
		cell.Put().(*counter).n = int64(i)
	}
	b.SetKey(0, "k-0")
	kept := cell.Get().(*counter)
	b.SetKey(1, "k-1")
	cell.Clear()
	require.Equal(t, 99, b.Entries("live"))
	first := fileSnapshot(t, b)
	b.SetKey(0, "k-0")
	require.Same(t, kept, cell.Put(), "a snapshot leaves the object where it is")
	kept.n = 1000
	b.SetKey(0, "k-2")
	cell.Clear()
	second := fileSnapshot(t, b)

	again := restoreFiles(t, 0, 1, second)
	for name, of := range map[string]struct {
		files   []stream.StateFile
		k0      int64
		entries int
	}{"first": {first, 200, 99}, "second": {second, 1000, 98}, "handed on": {fileSnapshot(t, again), 1000, 98}} {
		restored := restoreFiles(t, 0, 1, of.files)
		cell := liveCell(t, restored)
		require.Equal(t, of.entries, restored.Entries("live"), name)
		restored.SetKey(0, "k-0")
		require.Equal(t, of.k0, cell.Get().(*counter).n, name)
		restored.SetKey(1, "k-1")
		require.Nil(t, cell.Get(), name)
	}
}

// Live objects come, change, go and come back, between snapshots and across restores.
func TestLiveObjectsAgainstAMap(t *testing.T) {
	for seed := range uint64(4) {
		r := rand.New(rand.NewPCG(seed, 6))
		model := map[string]int64{}
		b := restoreFiles(t, 0, 1)
		cell := liveCell(t, b)
		for step := range 400 {
			where := fmt.Sprintf("seed %d, step %d", seed, step)
			n := r.IntN(12)
			key := fmt.Sprint("k-", n)
			b.SetKey(n%2, key)
			switch r.IntN(20) {
			case 0:
				files := fileSnapshot(t, b)
				if r.IntN(2) == 0 {
					b = restoreFiles(t, 0, 1, files)
					cell = liveCell(t, b)
				}
				found := map[string]int64{}
				for group := range 2 {
					require.NoError(t, b.Each("live", group, func(key string, v any) error {
						found[key] = v.(*counter).n
						return nil
					}))
				}
				require.Equal(t, model, found, where)
				require.Equal(t, len(model), b.Entries("live"), where)
			case 1, 2, 3, 4, 5, 6, 7:
				cell.Clear()
				delete(model, key)
			default:
				cell.Put().(*counter).n = int64(step)
				model[key] = int64(step)
			}
		}
	}
}

// A snapshot in which nothing has changed has the files of the one before; so has the first one after a
// restore of the same key groups.
func TestUnchangedFiles(t *testing.T) {
	b := restoreFiles(t, 0, 3)
	v := stream.NewValue(&stream.Context{Backend: b}, "v", stream.Int64)
	for i := range 1000 {
		b.SetKey(i%4, fmt.Sprint(i))
		v.Update(int64(i))
	}
	first := fileSnapshot(t, b)
	require.Equal(t, tables(first), tables(fileSnapshot(t, b)))
	require.Equal(t, tables(first), tables(fileSnapshot(t, restoreFiles(t, 0, 3, first))))
	require.Subset(t, tables(fileSnapshot(t, restoreFiles(t, 0, 7, first))), tables(first), "with more groups than before")
	b.SetKey(0, "0")
	v.Update(-1)
	second := tables(fileSnapshot(t, b))
	require.Subset(t, second, tables(first))
	require.Len(t, second, len(tables(first))+1)
}

// tables is the names of pebble's tables in a snapshot.
func tables(files []stream.StateFile) (names []string) {
	for _, f := range files {
		if strings.HasSuffix(f.Name, ".sst") {
			names = append(names, f.Name)
		}
	}
	return names
}

func TestFilesAreReleased(t *testing.T) {
	dir := t.TempDir()
	b, err := serialised.New(dir, 0, 0)
	require.NoError(t, err)
	files, release, err := b.(stream.FileBackend).SnapshotFiles()
	require.NoError(t, err)
	require.FileExists(t, files[0].Path)
	release()
	require.NoFileExists(t, files[0].Path)
	release()
	_, _, err = b.(stream.FileBackend).SnapshotFiles()
	require.NoError(t, err)
	require.NoError(t, b.Close())
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Empty(t, left, "Close removes what was not released")
}

// Sections of a state that nobody declares are in the files too.
func TestParkedSectionsInFiles(t *testing.T) {
	heap := operators.NewHeap(0, 0)
	m := stream.NewMap(&stream.Context{Backend: heap}, "m", stream.String, stream.Int64)
	heap.SetKey(0, "k")
	m.Put("x", 1)
	m.Put("y", 2)
	group, err := heap.Snapshot(0, nil)
	require.NoError(t, err)
	b := restoreFiles(t, 0, 0)
	require.NoError(t, b.Restore(0, group))
	again := restoreFiles(t, 0, 0, fileSnapshot(t, b))
	after, err := again.Snapshot(0, nil)
	require.NoError(t, err)
	require.Equal(t, group, after)
}

func TestFaultsOfFiles(t *testing.T) {
	b := restoreFiles(t, 0, 0)
	v := stream.NewValue(&stream.Context{Backend: b}, "v", stream.Int64)
	b.SetKey(0, "k")
	v.Update(1)
	files := fileSnapshot(t, b)

	other := restoreFiles(t, 0, 0, files)
	err := stream.Try(func() { stream.NewValue(&stream.Context{Backend: other}, "v", stream.String) })
	require.ErrorContains(t, err, "stored as a value state of int64 and is now declared as a value state of string")

	other = restoreFiles(t, 0, 0)
	stream.NewValue(&stream.Context{Backend: other}, "v", stream.String)
	require.ErrorContains(t, other.(stream.FileBackend).RestoreFiles(files), "stored as a value state of int64")

	other = restoreFiles(t, 0, 0)
	odd := []stream.StateFile{{Name: "0123-" + filepath.Join("..", "x.sst")}}
	require.ErrorIs(t, other.(stream.FileBackend).RestoreFiles(odd), stream.ErrCorrupt)
	require.Error(t, other.(stream.FileBackend).RestoreFiles(files[:1]), "no catalog")
	catalog := files[len(files)-1]
	require.True(t, strings.HasSuffix(catalog.Name, "-catalog"))
	catalog.Content = catalog.Content[:len(catalog.Content)/2]
	other = restoreFiles(t, 0, 0)
	require.ErrorIs(t, other.(stream.FileBackend).RestoreFiles([]stream.StateFile{files[0], catalog}), stream.ErrCorrupt)
}
