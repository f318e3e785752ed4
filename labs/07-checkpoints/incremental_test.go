package lab07_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"gatewaymeter/internal/kit/suite"
	"gatewaymeter/internal/kit/timeline"
	ours "gatewaymeter/labs/07-checkpoints/solution"
	checkpoints "gatewaymeter/labs/07-checkpoints/starter"
	"gatewaymeter/stream"
)

// Test7_3: Full against incremental: bytes and time
func Test7_3(t *testing.T) {
	suite.Exercise(t, "7.3", func(t *testing.T) {
		for _, file := range []string{"testdata/incremental.txt", "testdata/recorded.txt"} {
			playCosts(t, file)
		}
		suite.Sub(t, "beside the store's own folder", costsBesideOurs)
	})
}

func playCosts(t *testing.T, file string) {
	timeline.Play(t, file, func(t *testing.T, head timeline.Step) func(timeline.Step) timeline.Outcome {
		retain := head.Number(t, "retain")
		var taken [][]stream.StateFile
		return func(s timeline.Step) timeline.Outcome {
			if s.Verb != "checkpoint" {
				s.Unknown(t)
			}
			taken = append(taken, filesOf(t, s.Arg("files")))
			costs := checkpoints.Costs(taken, retain)
			if len(costs) != len(taken) {
				return timeline.Outcome{Got: fmt.Sprintf("%d costs of %d checkpoints", len(costs), len(taken))}
			}
			return timeline.Outcome{Before: fmt.Sprintf("this is checkpoint %d, %d are retained", len(taken), retain), Got: printCost(costs[len(costs)-1])}
		}
	})
}

// filesOf reads name:size,name:size.
func filesOf(t *testing.T, text string) (files []stream.StateFile) {
	t.Helper()
	if text == "none" {
		return nil
	}
	for _, f := range strings.Split(text, ",") {
		name, size, _ := strings.Cut(f, ":")
		n, err := strconv.ParseInt(size, 10, 64)
		suite.Harness(t, err)
		files = append(files, stream.StateFile{Name: name, Size: n})
	}
	return files
}

func printCost(c checkpoints.Cost) string {
	return fmt.Sprintf("full %d, written %d, folder %d", c.Full, c.Written, c.Folder)
}

// costsBesideOurs takes checkpoints of a backend whose files come and go, and looks into the folder.
func costsBesideOurs(t *testing.T) {
	source := t.TempDir()
	for seed := range uint64(20) {
		random := rand.New(rand.NewPCG(seed, 73))
		retain := 1 + random.IntN(3)
		d := ours.NewMemDisk()
		s, err := ours.NewStore(d, retain)
		suite.Harness(t, err)
		var taken [][]stream.StateFile
		var want []checkpoints.Cost
		for id := int64(1); id <= 8; id++ {
			files := someFiles(t, random, source)
			p := part(id, 0)
			p.Files = files
			before := shared(t, d)
			suite.Harness(t, s.Part(id, p))
			cost := checkpoints.Cost{Written: shared(t, d) - before}
			suite.Harness(t, s.Complete(stream.Checkpoint{ID: id}))
			for _, f := range files {
				cost.Full += f.Size
			}
			cost.Folder = shared(t, d)
			taken, want = append(taken, files), append(want, cost)
		}
		got := checkpoints.Costs(taken, retain)
		for i := range want {
			if i >= len(got) || got[i] != want[i] {
				suite.Wrong(t, suite.Failure{
					Says:  fmt.Sprintf("a real folder holds something else after checkpoint %d", i+1),
					Input: fmt.Sprintf("seed %d, %d are retained; checkpoints 1 to %d: %s", seed, retain, i+1, printTaken(taken[:i+1])),
					Got:   fmt.Sprint(got[:min(i+1, len(got))]), Want: fmt.Sprint(want[:i+1]),
				})
			}
		}
	}
}

// someFiles is what a backend might hold: each of a few files or not.
func someFiles(t *testing.T, random *rand.Rand, dir string) (files []stream.StateFile) {
	for i := range 6 {
		if random.IntN(3) > 0 {
			name := fmt.Sprintf("%06d.sst", i)
			path := filepath.Join(dir, name)
			if _, err := os.Stat(path); err != nil {
				suite.Harness(t, os.WriteFile(path, []byte(strings.Repeat("s", 10+7*i)), 0o600))
			}
			files = append(files, stream.StateFile{Name: name, Path: path, Size: int64(10 + 7*i)})
		}
	}
	return files
}

// shared is the bytes of the state files in a folder.
func shared(t *testing.T, d *ours.MemDisk) (bytes int64) {
	for _, p := range d.Paths() {
		if strings.HasPrefix(p, "shared/") {
			content, err := d.ReadFile(p)
			suite.Harness(t, err)
			bytes += int64(len(content))
		}
	}
	return bytes
}

func printTaken(taken [][]stream.StateFile) string {
	var all []string
	for _, files := range taken {
		var names []string
		for _, f := range files {
			names = append(names, fmt.Sprintf("%s:%d", f.Name, f.Size))
		}
		all = append(all, "["+strings.Join(names, " ")+"]")
	}
	return strings.Join(all, " ")
}
