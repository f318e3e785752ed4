package backends_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gatewaymeter/engine"
	"gatewaymeter/gateway"
	"gatewaymeter/harness"
	"gatewaymeter/internal/backends"
	checkpoints "gatewaymeter/labs/07-checkpoints/solution"
	"gatewaymeter/pipeline"
	"gatewaymeter/stream"
)

var record = flag.Bool("record", false, "write what investigation 7.3 shows of real backends (for maintainers)")

// recording is the file that lab 07's suite plays.
const recording = "../../labs/07-checkpoints/testdata/recorded.txt"

// retained is how many checkpoints the recorded folders keep.
const retained = 2

// taken is one checkpoint of a recording.
type taken struct {
	what                  string
	files                 []stream.StateFile
	full, written, folder int64
}

// TestRecordedCheckpoints takes the checkpoints that investigation 7.3 shows, on both backends, and checks
// what the chapter says of them. Pebble compacts when it likes, so a recording's bytes are those of one day.
func TestRecordedCheckpoints(t *testing.T) {
	heap, pebble := checkpointsOf(t, nil), checkpointsOf(t, backends.Pebble(t.TempDir()))
	for i, c := range heap {
		require.Equal(t, c.full, c.written, "the heap writes everything, every time: %s", c.what)
		require.NotEmpty(t, pebble[i].files)
	}
	require.Less(t, pebble[1].written*20, pebble[0].written, "1 %% of the keys changed: at most 5 %% is written")
	require.Less(t, heap[len(heap)-1].full, int64(1000), "nothing is left")
	require.Greater(t, pebble[len(pebble)-2].full, int64(1000), "what was deleted is still there, until it is compacted")
	if *record {
		text := "# from: the files of real checkpoints (go test ./internal/backends -run Recorded -record)\n\n" +
			scene("the-heap", heap) + scene("pebble", pebble)
		require.NoError(t, os.WriteFile(recording, []byte(strings.TrimSuffix(text, "\n")), 0o644))
	}
}

// step is what happens between two checkpoints.
type step struct {
	what            string
	start, complete int64
}

// checkpointsOf takes a checkpoint after each step of the assembler's life.
func checkpointsOf(t *testing.T, backend func(engine.Subtask) (stream.Backend, error)) (all []taken) {
	parts, functions, err := pipeline.Ours(6)
	require.NoError(t, err)
	if backend != nil {
		parts.Backend = backend
	}
	disk := checkpoints.NewMemDisk()
	store, err := checkpoints.NewStore(disk, retained)
	require.NoError(t, err)
	h := harness.NewKeyed(t, parts, func(e gateway.Event) string { return e.RequestID }, functions.Assemble())
	n, done := int64(0), int64(0)
	event := func(kind gateway.EventType, i int64) {
		id := fmt.Sprintf("req-%07d", i*7919%1_000_003) // in no order
		h.ProcessElement(gateway.Event{Type: kind, RequestID: id, TenantID: "t-1", Model: "model-a", TS: i, PromptTokens: 100, Status: "ok"}, stream.Time(i))
	}
	steps := []step{{"10,000 requests are open", 10_000, 0}}
	for range 17 {
		steps = append(steps, step{"100 more", 100, 0})
	}
	steps = append(steps, step{"nothing has changed", 0, 0}, step{"5,000 more", 5_000, 0},
		step{"all but 10 are completed", 0, 16_690}, step{"the last 10 too", 0, 10})
	for _, step := range steps {
		for range step.start {
			n++
			event(gateway.RequestStarted, n)
		}
		for range step.complete {
			done++
			event(gateway.RequestCompleted, done)
		}
		all = append(all, take(t, h, disk, store, int64(len(all)+1), step.what))
	}
	return all
}

// take takes one checkpoint and looks at its files. The heap's are its part.
func take(t *testing.T, h *harness.Keyed[gateway.Event, gateway.RequestRecord], disk *checkpoints.MemDisk, store *checkpoints.Store, id int64, what string) taken {
	before := sizes(t, disk)
	h.Checkpoint(store, id)
	after := sizes(t, disk)
	c := taken{what: what}
	latest, _, err := store.Latest()
	require.NoError(t, err)
	for _, part := range latest.Operators["under-test"] {
		for _, f := range part.Files {
			if f.Size > 0 {
				c.files = append(c.files, stream.StateFile{Name: short(f.Name), Size: f.Size})
			}
		}
	}
	own := fmt.Sprintf("chk-%06d/under-test-0.part", id)
	if len(c.files) == 0 {
		c.files = []stream.StateFile{{Name: fmt.Sprintf("part-%d", id), Size: after[own]}}
	}
	for _, f := range c.files {
		c.full += f.Size
	}
	onHeap := strings.HasPrefix(c.files[0].Name, "part-")
	for path, size := range after {
		if strings.HasPrefix(path, "shared/") != onHeap && (onHeap && strings.HasSuffix(path, ".part") || !onHeap) {
			c.folder += size
			if _, there := before[path]; !there {
				c.written += size
			}
		}
	}
	return c
}

// short is a name with less of its checksum.
func short(name string) string {
	sum, rest, found := strings.Cut(name, "-")
	if !found || len(sum) < 6 {
		return name
	}
	return sum[:6] + "-" + rest
}

func sizes(t *testing.T, disk *checkpoints.MemDisk) map[string]int64 {
	all := map[string]int64{}
	for _, p := range disk.Paths() {
		content, err := disk.ReadFile(p)
		require.NoError(t, err)
		all[p] = int64(len(content))
	}
	return all
}

// scene prints a recording.
func scene(name string, all []taken) string {
	var b strings.Builder
	fmt.Fprintf(&b, "new scene=%s retain=%d\n", name, retained)
	for _, c := range all {
		var files []string
		for _, f := range c.files {
			files = append(files, fmt.Sprintf("%s:%d", f.Name, f.Size))
		}
		fmt.Fprintf(&b, "# %s\ncheckpoint files=%s -> full %d, written %d, folder %d\n", c.what, strings.Join(files, ","), c.full, c.written, c.folder)
	}
	return b.String() + "\n"
}
