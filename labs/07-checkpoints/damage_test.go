package lab07_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gatewaymeter/internal/kit/suite"
	ours "gatewaymeter/labs/07-checkpoints/solution"
	checkpoints "gatewaymeter/labs/07-checkpoints/starter"
	"gatewaymeter/stream"
)

// Test7_4: Damage a checkpoint, and see which one the job takes
func Test7_4(t *testing.T) {
	suite.Exercise(t, "7.4", func(t *testing.T) {
		suite.Sub(t, "none", func(t *testing.T) {
			_, ok := checkpoints.Takes(nil)
			suite.Equal(t, false, ok, suite.Failure{Says: "there is no checkpoint to take"})
		})
		suite.Sub(t, "1,000 damaged folders", func(t *testing.T) {
			for seed := range uint64(1000) {
				damageAndAsk(t, seed)
			}
		})
	})
}

// damageAndAsk takes four checkpoints with our store, damages them, asks the student which one is
// taken, and the store too. A final part is shared by all four of them.
func damageAndAsk(t *testing.T, seed uint64) {
	random := rand.New(rand.NewPCG(seed, 74))
	d := ours.NewMemDisk()
	s, err := ours.NewStore(d, 4)
	suite.Harness(t, err)
	suite.Harness(t, s.Part(stream.FinalPart, part(0, 0)))
	folders := make([]checkpoints.Folder, 4)
	for i := range folders {
		id := int64(i + 1)
		suite.Harness(t, s.Part(id, part(id, 1)))
		suite.Harness(t, s.Complete(stream.Checkpoint{ID: id, Savepoint: i == 0, Job: "test"}))
		folders[i] = checkpoints.Folder{ID: id, Savepoint: i == 0, Named: []checkpoints.FileState{checkpoints.Whole, checkpoints.Whole}}
	}
	var done []string
	for range 1 + random.IntN(5) {
		done = append(done, damage(t, random, d, folders))
	}
	random.Shuffle(len(folders), func(i, j int) { folders[i], folders[j] = folders[j], folders[i] })
	again, err := ours.NewStore(d, 4)
	suite.Harness(t, err)
	c, refused, err := again.Latest()
	suite.Harness(t, err)
	if c != nil {
		want := fmt.Sprint([]stream.OperatorSnapshot{part(0, 0), part(c.ID, 1)})
		if got := fmt.Sprint(c.Operators["assemble"]); got != want {
			suite.Harness(t, fmt.Errorf("seed %d: checkpoint %d was restored wrong: %s, stored was %s", seed, c.ID, got, want))
		}
	}
	for _, r := range refused {
		if !strings.Contains(r.Error(), "checkpoint ") {
			suite.Harness(t, fmt.Errorf("seed %d: a refusal that names no checkpoint: %w", seed, r))
		}
	}
	id, ok := checkpoints.Takes(folders)
	got, want := "none", "none"
	if ok {
		got = fmt.Sprint(id)
	}
	if c != nil {
		want = fmt.Sprint(c.ID)
	}
	suite.Equal(t, want, got, suite.Failure{
		Says: "the store takes another one", Input: fmt.Sprintf("seed %d: %s", seed, strings.Join(done, "; ")), State: fmt.Sprintf("%+v", folders), Trace: messages(refused),
	})
}

func messages(errs []error) (lines []string) {
	for _, err := range errs {
		lines = append(lines, err.Error())
	}
	return lines
}

// damage does one thing to a checkpoint's files and notes it in its folder. It says what it did.
func damage(t *testing.T, random *rand.Rand, d *ours.MemDisk, folders []checkpoints.Folder) string {
	f := &folders[len(folders)-1-min(random.IntN(5), random.IntN(4))] // the newest most often
	dir := fmt.Sprintf("chk-%06d/", f.ID)
	manifest, own := dir+"manifest.json", dir+"assemble-1.part"
	paths := d.Paths()
	switch random.IntN(8) {
	case 0, 1:
		if f.Named[1] != checkpoints.Missing {
			f.Named[1] = checkpoints.Damaged
			return spoil(random, d, own)
		}
	case 2:
		if f.Manifest != checkpoints.Missing {
			f.Manifest = checkpoints.Damaged
			return spoil(random, d, manifest)
		}
	case 3:
		f.Named[1] = checkpoints.Missing
		return remove(d, own)
	case 4:
		f.Manifest = checkpoints.Missing
		return remove(d, manifest)
	case 5: // as if the power had failed before the rename
		if f.Manifest == checkpoints.Whole {
			f.Manifest, f.Temporary = checkpoints.Missing, true
			suite.Harness(t, d.Rename(manifest, manifest+".tmp"))
			return manifest + " is .tmp again"
		}
	case 6: // a part that nobody names, and it is rubbish
		f.Others = append(f.Others, checkpoints.Damaged)
		stray := fmt.Sprintf("%sassemble-%d.part", dir, 7+len(f.Others))
		h, err := d.Create(stray)
		suite.Harness(t, err)
		_, err = h.Write([]byte("rubbish"))
		suite.Harness(t, err)
		return stray + " turns up"
	case 7:
		if random.IntN(6) == 0 { // the part that all of them name
			for i := range folders {
				folders[i].Named[0] = checkpoints.Damaged
			}
			for _, p := range paths {
				if strings.HasPrefix(p, "final/") {
					return spoil(random, d, p)
				}
			}
		}
		return swap(d, folders, own)
	}
	return "nothing"
}

// spoil flips a bit of a file, or cuts it off.
func spoil(random *rand.Rand, d *ours.MemDisk, p string) string {
	said := ""
	d.Edit(p, func(b []byte) []byte {
		if len(b) == 0 || random.IntN(2) == 0 {
			n := random.IntN(max(1, len(b)))
			said = fmt.Sprintf("%s is cut off at byte %d", p, n)
			return b[:n]
		}
		at := random.IntN(len(b))
		said = fmt.Sprintf("a bit of byte %d of %s is flipped", at, p)
		b[at] ^= 1 << random.IntN(8)
		return b
	})
	return said
}

func remove(d *ours.MemDisk, p string) string {
	_ = d.Remove(p) // it may be gone already
	return p + " is removed"
}

// swap exchanges the parts of the two newest checkpoints, each whole in itself.
func swap(d *ours.MemDisk, folders []checkpoints.Folder, _ string) string {
	a, b := &folders[2], &folders[3]
	if a.Named[1] != checkpoints.Whole || b.Named[1] != checkpoints.Whole {
		return "nothing"
	}
	a.Named[1], b.Named[1] = checkpoints.Damaged, checkpoints.Damaged
	pa, pb := fmt.Sprintf("chk-%06d/assemble-1.part", a.ID), fmt.Sprintf("chk-%06d/assemble-1.part", b.ID)
	ca, _ := d.ReadFile(pa)
	cb, _ := d.ReadFile(pb)
	d.Edit(pa, func([]byte) []byte { return slices.Clone(cb) })
	d.Edit(pb, func([]byte) []byte { return slices.Clone(ca) })
	return pa + " and " + pb + " are swapped"
}
