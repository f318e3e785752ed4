package main

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/require"

	"gatewaymeter/internal/anatomy"
	"gatewaymeter/internal/anatomy/anatomytest"
	"gatewaymeter/stream"
)

// mainChecked is the program with a clock that stands at one minute past the epoch, so that the ages
// of simulated checkpoints are the same every day.
func mainChecked() {
	wallClock = func() time.Time { return time.UnixMilli(60_000) }
	main()
}

// scriptCheckpoints makes a folder with three small checkpoints: checkpoints DIR.
func scriptCheckpoints(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: checkpoints DIR")
	}
	dir := ts.MkAbs(args[0])
	ts.Check(os.MkdirAll(dir, 0o755))
	ts.Check(anatomytest.Small(dir))
}

// scriptWaitCheckpoint waits until a checkpoint of a folder, or one after it, is complete: waitcheckpoint DIR N.
// No file of a certain one would do: a job that takes many soon removes it, seen or not.
func scriptWaitCheckpoint(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: waitcheckpoint DIR N")
	}
	want, err := strconv.Atoi(args[1])
	ts.Check(err)
	scriptWait(ts, "no checkpoint "+args[1]+" in "+args[0], func() bool {
		manifests, err := filepath.Glob(filepath.Join(ts.MkAbs(args[0]), "chk-*", "manifest.json"))
		ts.Check(err)
		for _, m := range manifests {
			id, err := strconv.Atoi(strings.TrimPrefix(filepath.Base(filepath.Dir(m)), "chk-"))
			ts.Check(err)
			if id >= want {
				return true
			}
		}
		return false
	})
}

// scriptTruncate cuts a file to half its size: truncate FILE.
func scriptTruncate(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: truncate FILE")
	}
	path := ts.MkAbs(args[0])
	info, err := os.Stat(path)
	ts.Check(err)
	ts.Check(os.Truncate(path, info.Size()/2))
}

func TestSizesAndAgesAreShort(t *testing.T) {
	for n, want := range map[int64]string{0: "0 B", 999: "999 B", 1000: "1.0 kB", 99_949: "99.9 kB", 999_949: "999.9 kB", 999_950: "1.0 MB", 5_000_000_000_000_000: "5000.0 TB"} {
		require.Equal(t, want, bytesOf(n))
	}
	for ms, want := range map[int64]string{0: "0s", 1234: "1.2s", 59_900: "59.9s", 90_000: "2m", 3_600_000: "1h0m", 50 * 3_600_000: "2 days"} {
		require.Equal(t, want, age(ms))
	}
}

func TestRemovalSaysWhatStays(t *testing.T) {
	require.Equal(t, "it does not say (stream.RemovedBy)", removal(anatomy.State{}))
	require.Equal(t, "never", removal(anatomy.State{Removed: []stream.Removal{stream.Never}}))
	require.Equal(t, "by TTL after 1m30s", removal(anatomy.State{Removed: []stream.Removal{stream.ByTTL}, TTLMS: 90_000}))
	require.Equal(t, "by a later element of its key or by a timer; without a timer: 3",
		removal(anatomy.State{Removed: []stream.Removal{stream.ByElement, stream.ByTimer}, Untimed: 3}))
}

func TestManyRangesAreCutShort(t *testing.T) {
	var all [][2]int
	for i := range 8 {
		all = append(all, [2]int{16 * i, 16*i + 15})
	}
	require.Equal(t, "0-15 16-31 32-47 48-63 64-79 … 112-127", ranges(all))
	require.Equal(t, "0-15 16-31 32-47 48-63 64-79 80-95", ranges(all[:6]))
	require.False(t, strings.Contains(ranges(all[:1]), "…"))
}
