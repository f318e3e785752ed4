package lab07_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gatewaymeter/internal/kit/suite"
	checkpoints "gatewaymeter/labs/07-checkpoints/starter"
	"gatewaymeter/stream"
)

// Test7d: The store: checksums, and a manifest renamed into place (40 min)
func Test7d(t *testing.T) {
	suite.Exercise(t, "7d", func(t *testing.T) {
		suite.Sub(t, "what was stored comes back", storeRoundTrip)
		suite.Sub(t, "nothing stored, and never completed", func(t *testing.T) {
			d := checkpoints.NewMemDisk()
			s := openStore(t, d, 1)
			c, refused, err := s.Latest()
			suite.NoError(t, err, "Latest of an empty folder")
			suite.Equal(t, "no checkpoint, 0 refused", printLatest(c, refused), suite.Failure{Says: "an empty folder is no error: the job starts from nothing"})
			suite.NoError(t, s.Part(1, part(1, 0)), "a part is stored")
			c, refused, err = openStore(t, d, 1).Latest()
			suite.NoError(t, err, "Latest")
			suite.Equal(t, "no checkpoint, 1 refused", printLatest(c, refused), suite.Failure{Says: "a checkpoint without a manifest does not exist"})
		})
		suite.Sub(t, "the newest are retained, a savepoint always", retention)
		suite.Sub(t, "the state of a subtask that ended is in every later checkpoint", finalParts)
		suite.Sub(t, "every subtask has ended before its part", allEnded)
		suite.Sub(t, "each newer one that is refused is told of", allRefused)
		suite.Sub(t, "the disk is full", diskFull)
		suite.Sub(t, "a power cut at every operation", powerCuts)
		suite.Sub(t, "files that several checkpoints need survive a power cut", sharedSurvive)
		suite.Sub(t, "an older checkpoint that cannot be removed", func(t *testing.T) {
			d := &unremovable{MemDisk: checkpoints.NewMemDisk()}
			s := openStore(t, d, 1)
			suite.NoError(t, takeAll(s, stream.Checkpoint{ID: 1}), "checkpoint 1 is taken")
			d.fails = true
			if err := takeAll(s, stream.Checkpoint{ID: 2}); err != nil {
				suite.Wrong(t, suite.Failure{
					Says: "checkpoint 2 is in place, and Complete says that it has failed: the coordinator would discard it. What cannot be cleaned up now is cleaned up after the next one",
					Got:  err.Error(), Want: "no error",
				})
			}
		})
		suite.Sub(t, "1,000 damaged checkpoints: refused by name, or restored right", damagedStore)
		for _, c := range [][2]string{
			{"chk-000001", "its manifest"}, {"final", "the part of a subtask that has ended"}, {"shared", "a state file"}, {".", "its folder"},
		} {
			suite.Sub(t, "a folder that cannot be synced completes nothing: "+c[0], func(t *testing.T) { unsyncedFolder(t, c[0], c[1]) })
		}
	})
}

// part is some state of one subtask, with the checkpoint's number in it.
func part(id int64, subtask int) stream.OperatorSnapshot {
	return stream.OperatorSnapshot{
		UID: "assemble", Subtask: subtask, Parallelism: 2, MaxGroups: 4,
		Groups: []stream.GroupSnapshot{{Group: 2 * subtask, Bytes: fmt.Appendf(nil, "open at %d", id)}},
		Lists:  []stream.OperatorList{{Name: "n", Mode: stream.EvenSplit, Elements: [][]byte{{byte(id)}}}},
	}
}

// takeAll takes a checkpoint of two subtasks.
func takeAll(s *checkpoints.Store, c stream.Checkpoint) error {
	for subtask := range 2 {
		if err := s.Part(c.ID, part(c.ID, subtask)); err != nil {
			return err
		}
	}
	c.Job, c.Created = "test", 7
	return s.Complete(c)
}

func openStore(t *testing.T, d checkpoints.Disk, retain int) *checkpoints.Store {
	t.Helper()
	s, err := checkpoints.NewStore(d, retain)
	suite.Harness(t, err)
	return s
}

func printLatest(c *stream.Checkpoint, refused []error) string {
	if c == nil {
		return fmt.Sprintf("no checkpoint, %d refused", len(refused))
	}
	return fmt.Sprintf("checkpoint %d, %d refused", c.ID, len(refused))
}

// whole checks that a checkpoint holds what was stored under its number.
func whole(c *stream.Checkpoint) error {
	want := fmt.Sprint([]stream.OperatorSnapshot{part(c.ID, 0), part(c.ID, 1)})
	if got := fmt.Sprint(c.Operators["assemble"]); got != want {
		return fmt.Errorf("checkpoint %d holds %s, stored was %s", c.ID, got, want)
	}
	return nil
}

func storeRoundTrip(t *testing.T) {
	for name, disk := range map[string]checkpoints.Disk{"memory": checkpoints.NewMemDisk(), "machine": checkpoints.OSDisk{Root: t.TempDir()}} {
		s := openStore(t, disk, 2)
		for id := range int64(2) {
			suite.NoError(t, takeAll(s, stream.Checkpoint{ID: id + 1}), "a checkpoint is taken on disk "+name)
		}
		c, refused, err := openStore(t, disk, 2).Latest()
		suite.NoError(t, err, "Latest")
		suite.Equal(t, "checkpoint 2, 0 refused", printLatest(c, refused), suite.Failure{Says: "a new process must find the newest checkpoint", Input: "disk: " + name})
		suite.NoError(t, whole(c), "what was stored comes back")
		suite.Equal(t, "test at 7", fmt.Sprintf("%s at %d", c.Job, c.Created), suite.Failure{Says: "the checkpoint has forgotten whose it is, or when it was taken"})
		_, err = s.Read(9)
		if err == nil || !strings.Contains(err.Error(), "9") {
			suite.Wrong(t, suite.Failure{Says: "checkpoint 9 was never taken; the error must name it", Got: fmt.Sprint(err)})
		}
	}
}

func retention(t *testing.T) {
	d := checkpoints.NewMemDisk()
	s := openStore(t, d, 2)
	for id := int64(1); id <= 5; id++ {
		suite.NoError(t, takeAll(s, stream.Checkpoint{ID: id, Savepoint: id == 2}), "a checkpoint is taken")
	}
	var readable []int64
	for id := int64(1); id <= 5; id++ {
		if _, err := s.Read(id); err == nil {
			readable = append(readable, id)
		}
	}
	if c, err := s.Read(2); err == nil && !c.Savepoint {
		suite.Wrong(t, suite.Failure{Says: "the checkpoint has forgotten that it is a savepoint", Input: "checkpoint 2, a savepoint"})
	}
	suite.Equal(t, "[2 4 5]", fmt.Sprint(readable), suite.Failure{Says: "two checkpoints are retained, and savepoints as long as nobody removes them", Input: "checkpoints 1 to 5, of which 2 is a savepoint"})
	for _, p := range d.Paths() {
		if strings.HasPrefix(p, "chk-000001/") || strings.HasSuffix(p, ".tmp") {
			suite.Wrong(t, suite.Failure{Says: "files that nobody needs are left behind", Got: p})
		}
	}
}

func finalParts(t *testing.T) {
	d := checkpoints.NewMemDisk()
	s := openStore(t, d, 1)
	suite.NoError(t, s.Part(stream.FinalPart, part(1, 0)), "a final part is stored")
	for id := int64(1); id <= 2; id++ {
		suite.NoError(t, s.Part(id, part(id, 1)), "a part is stored")
		suite.NoError(t, s.Complete(stream.Checkpoint{ID: id}), "the checkpoint is completed")
		c, refused, err := openStore(t, d, 1).Latest()
		suite.NoError(t, err, "Latest")
		suite.Equal(t, fmt.Sprintf("checkpoint %d, 0 refused", id), printLatest(c, refused), suite.Failure{Says: "one subtask had ended before; its final state must be part of every later checkpoint"})
		suite.Equal(t, fmt.Sprint([]stream.OperatorSnapshot{part(1, 0), part(id, 1)}), fmt.Sprint(c.Operators["assemble"]), suite.Failure{Says: "the parts of both subtasks are wanted, by subtask"})
	}
}

// allEnded takes a checkpoint whose subtasks all end before their barrier comes: no part has made its
// folder.
func allEnded(t *testing.T) {
	disk := checkpoints.OSDisk{Root: t.TempDir()}
	s := openStore(t, disk, 1)
	for subtask := range 2 {
		suite.NoError(t, s.Part(stream.FinalPart, part(1, subtask)), "a final part is stored")
	}
	suite.NoError(t, s.Complete(stream.Checkpoint{ID: 1}), "a checkpoint of final parts alone is completed")
	c, refused, err := openStore(t, disk, 1).Latest()
	suite.NoError(t, err, "Latest")
	suite.Equal(t, "checkpoint 1, 0 refused", printLatest(c, refused), suite.Failure{Says: "all subtasks had ended while it was taken: it is made of their final states"})
	suite.NoError(t, whole(c), "the final states are the checkpoint's")
}

// allRefused damages the two newest of three checkpoints: whoever starts the job must be told of both.
func allRefused(t *testing.T) {
	d := checkpoints.NewMemDisk()
	s := openStore(t, d, 3)
	for id := int64(1); id <= 3; id++ {
		suite.NoError(t, takeAll(s, stream.Checkpoint{ID: id}), "a checkpoint is taken")
	}
	for _, p := range []string{"chk-000002/assemble-1.part", "chk-000003/manifest.json"} {
		d.Edit(p, func(b []byte) []byte { return b[:len(b)/2] })
	}
	c, refused, err := openStore(t, d, 3).Latest()
	suite.NoError(t, err, "Latest")
	suite.Equal(t, "checkpoint 1, 2 refused", printLatest(c, refused), suite.Failure{Says: "checkpoints 2 and 3 are damaged: the older one is taken, and both refusals are told", Got: fmt.Sprint(refused)})
	all := errors.Join(refused...).Error()
	if !strings.Contains(all, "checkpoint 2") || !strings.Contains(all, "checkpoint 3") {
		suite.Wrong(t, suite.Failure{Says: "a refusal does not name its checkpoint", Got: all, Want: "one error that names checkpoint 2, and one that names checkpoint 3"})
	}
}

// diskFull leaves room for fewer and fewer bytes: a checkpoint that does not fit fails, and the one
// before it stays.
func diskFull(t *testing.T) {
	for room := 0; room < 1500; room += 50 {
		d := checkpoints.NewMemDisk()
		s := openStore(t, d, 1)
		suite.NoError(t, takeAll(s, stream.Checkpoint{ID: 1}), "checkpoint 1 is taken")
		d.Limit(room)
		full := takeAll(s, stream.Checkpoint{ID: 2})
		d.Limit(-1)
		c, _, err := openStore(t, d, 1).Latest()
		suite.NoError(t, err, "Latest")
		want := int64(2)
		if full != nil {
			want = 1
		}
		if c == nil || c.ID != want {
			suite.Wrong(t, suite.Failure{
				Says: "after a full disk the job does not start from the last checkpoint that was completed", Input: fmt.Sprintf("room for %d bytes during checkpoint 2: %v", room, full),
				Got: printLatest(c, nil), Want: fmt.Sprintf("checkpoint %d", want),
			})
		}
		suite.NoError(t, whole(c), "the state is the one that was stored")
		if room == 0 && !errors.Is(full, checkpoints.ErrDiskFull) {
			suite.Wrong(t, suite.Failure{Says: "there was no room at all, and nobody said so", Got: fmt.Sprint(full)})
		}
	}
}

// powerCuts cuts the power before each operation of a checkpoint, with twelve outcomes for what had not
// been synced.
func powerCuts(t *testing.T) {
	for cut, done := 1, false; !done; cut++ {
		for seed := range uint64(12) {
			d := checkpoints.NewMemDisk()
			s := openStore(t, d, 1)
			suite.NoError(t, takeAll(s, stream.Checkpoint{ID: 1}), "checkpoint 1 is taken")
			d.CutPowerAt(cut)
			taken := takeAll(s, stream.Checkpoint{ID: 2})
			done = !d.PowerFailed()
			input := fmt.Sprintf("the power fails before file operation %d of checkpoint 2, seed %d; Complete said: %v", cut, seed, taken)
			c, refused, err := openStore(t, d.Restart(seed), 1).Latest()
			suite.NoError(t, err, "Latest after a power cut")
			if c == nil || taken == nil && c.ID != 2 {
				suite.Wrong(t, suite.Failure{
					Says: "after a power cut the job does not start from the last checkpoint that was complete", Input: input,
					State: "files before the cut: " + strings.Join(d.Paths(), " "), Got: fmt.Sprint(printLatest(c, refused), refused), Want: "checkpoint 2, or 1 if Complete had not returned",
				})
			}
			if err := whole(c); err != nil {
				suite.Wrong(t, suite.Failure{Says: "after a power cut the job starts from damaged state", Input: input, Got: err.Error()})
			}
		}
	}
}

// stateFile is a file as an incremental backend has them.
func stateFile(t *testing.T) (path string) {
	path = filepath.Join(t.TempDir(), "000001.sst")
	suite.Harness(t, os.WriteFile(path, []byte("a state file"), 0o600))
	return path
}

// withFile is a part with a state file, which has another name each time.
func withFile(p stream.OperatorSnapshot, file string) stream.OperatorSnapshot {
	p.Files = []stream.StateFile{{Name: fmt.Sprintf("%d.sst", p.Lists[0].Elements[0][0]), Path: file, Size: 12}}
	return p
}

// sharedSurvive cuts the power as soon as a checkpoint is complete, whose manifest names a file of
// "final" and one of "shared": the names in those folders must be durable by then.
func sharedSurvive(t *testing.T) {
	file := stateFile(t)
	for seed := range uint64(12) {
		d := checkpoints.NewMemDisk()
		s := openStore(t, d, 1)
		suite.NoError(t, s.Part(stream.FinalPart, part(1, 0)), "a final part is stored")
		for id := int64(1); id <= 2; id++ {
			suite.NoError(t, s.Part(id, withFile(part(id, 1), file)), "a part is stored")
			suite.NoError(t, s.Complete(stream.Checkpoint{ID: id}), "the checkpoint is completed")
			c, refused, err := openStore(t, d.Restart(seed), 1).Latest()
			suite.NoError(t, err, "Latest after a power cut")
			suite.Equal(t, fmt.Sprintf("checkpoint %d, 0 refused", id), printLatest(c, refused), suite.Failure{
				Says:  "the power failed right after Complete, and a file that its manifest names is gone: names in the folders final and shared must be durable before the rename, too",
				Input: fmt.Sprintf("checkpoint %d of a subtask with a state file and of one that had ended; seed %d", id, seed),
				State: "files before the cut: " + strings.Join(d.Paths(), " "), Got: fmt.Sprint(printLatest(c, refused), refused),
			})
		}
	}
}

// damagedStore spoils one file of two checkpoints, removes one, or swaps two.
func damagedStore(t *testing.T) {
	for seed := range uint64(1000) {
		random := rand.New(rand.NewPCG(seed, 7))
		d := checkpoints.NewMemDisk()
		s := openStore(t, d, 2)
		for id := int64(1); id <= 2; id++ {
			suite.NoError(t, takeAll(s, stream.Checkpoint{ID: id}), "a checkpoint is taken")
		}
		paths := d.Paths()
		p, q := paths[random.IntN(len(paths))], paths[random.IntN(len(paths))]
		content, err := d.ReadFile(q)
		suite.Harness(t, err)
		did := ""
		switch random.IntN(4) {
		case 0:
			suite.Harness(t, d.Remove(p))
			did = p + " is missing"
		case 1:
			d.Edit(p, func([]byte) []byte { return content })
			did = p + " has the content of " + q
		default:
			d.Edit(p, func(b []byte) []byte {
				at := random.IntN(len(b))
				if did = fmt.Sprintf("%s is cut off at byte %d", p, at); random.IntN(2) == 0 {
					return b[:at]
				}
				did = fmt.Sprintf("a bit of byte %d of %s is flipped", at, p)
				b[at] ^= 1 << random.IntN(8)
				return b
			})
		}
		c, refused, err := openStore(t, d, 2).Latest()
		suite.NoError(t, err, "Latest of a folder with one damaged file")
		harmed := strings.HasPrefix(p, "chk-000002/") && !(strings.HasSuffix(did, "content of "+p))
		want := "checkpoint 2, 0 refused"
		if harmed {
			want = "checkpoint 1, 1 refused"
		}
		input := fmt.Sprintf("seed %d: %s", seed, did)
		suite.Equal(t, want, printLatest(c, refused), suite.Failure{Says: "the newest checkpoint that is whole is wanted, and damage is refused", Input: input, Got: fmt.Sprint(refused)})
		if err := whole(c); err != nil {
			suite.Wrong(t, suite.Failure{Says: "damage went through", Input: input, Got: err.Error()})
		}
		if harmed && !strings.Contains(refused[0].Error(), "checkpoint 2") {
			suite.Wrong(t, suite.Failure{Says: "the refusal does not name the checkpoint", Input: input, Got: refused[0].Error()})
		}
		if harmed && strings.HasSuffix(p, ".part") && !strings.Contains(refused[0].Error(), p) {
			suite.Wrong(t, suite.Failure{Says: "the refusal does not name the file: who has ten checkpoints of a hundred files looks for it long", Input: input, Got: refused[0].Error(), Want: p})
		}
		if harmed && !strings.HasSuffix(did, "missing") && !errors.Is(refused[0], stream.ErrCorrupt) {
			suite.Wrong(t, suite.Failure{Says: "the refusal does not wrap stream.ErrCorrupt: whoever asks cannot tell damage from a disk that cannot be read", Input: input, Got: refused[0].Error()})
		}
	}
}

// unsyncedFolder completes a checkpoint that has files in three folders, one of which cannot be synced.
func unsyncedFolder(t *testing.T, dir, lost string) {
	s := openStore(t, unsynced{MemDisk: checkpoints.NewMemDisk(), dir: dir}, 1)
	suite.NoError(t, s.Part(stream.FinalPart, part(1, 0)), "a final part is stored")
	suite.NoError(t, s.Part(1, withFile(part(1, 1), stateFile(t))), "a part is stored")
	if err := s.Complete(stream.Checkpoint{ID: 1}); err == nil {
		suite.Wrong(t, suite.Failure{
			Says:  fmt.Sprintf("%q was not synced, and the checkpoint is said to be complete: a power cut can take the name of %s away, and the checkpoint with it", dir, lost),
			Input: fmt.Sprintf("SyncDir(%q) gives an error, the other folders can be synced", dir), Got: "no error", Want: "Complete gives that error",
		})
	}
}

// unsynced is a disk with a folder that cannot be made durable.
type unsynced struct {
	*checkpoints.MemDisk
	dir string
}

func (u unsynced) SyncDir(dir string) error {
	if dir == u.dir {
		return fmt.Errorf("sync %s: input/output error", dir)
	}
	return u.MemDisk.SyncDir(dir)
}

// unremovable is a disk from which nothing can be removed.
type unremovable struct {
	*checkpoints.MemDisk
	fails bool
}

func (u *unremovable) Remove(p string) error {
	if u.fails {
		return fmt.Errorf("remove %s: input/output error", p)
	}
	return u.MemDisk.Remove(p)
}

func (u *unremovable) RemoveAll(dir string) error {
	if u.fails {
		return fmt.Errorf("remove %s: input/output error", dir)
	}
	return u.MemDisk.RemoveAll(dir)
}
