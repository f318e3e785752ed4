package anatomy

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	checkpoints "gatewaymeter/labs/07-checkpoints/solution"
	"gatewaymeter/stream"
)

// Options of a look.
type Options struct {
	Now    time.Time // for ages
	Groups bool      // count entries key group by key group
	// Open makes the backend that reads the files of an incremental checkpoint, for all key groups;
	// close gives it back.
	Open func(maxGroups int) (b stream.FileBackend, close func() error, err error)
}

// Look describes the checkpoint in dir, or all in dir, newest first. An error means that dir is no
// folder of checkpoints, and says what is there instead, or that ctx has ended.
func Look(ctx context.Context, dir string, o Options) ([]Checkpoint, error) {
	root, only, err := place(dir)
	if err != nil {
		return nil, err
	}
	store, err := checkpoints.NewStore(checkpoints.OSDisk{Root: root}, 1)
	if err != nil {
		return nil, err
	}
	ids, err := store.IDs()
	if err != nil {
		return nil, err
	}
	if len(ids) == 0 {
		return nil, nothingIn(root)
	}
	latest, _, err := store.Latest()
	if err != nil {
		return nil, err
	}
	look := &look{Options: o, root: root, store: store, named: map[string]bool{}}
	if latest != nil {
		look.restore = latest.ID
	}
	var all []Checkpoint
	for _, id := range ids { // oldest first: a file is shared with those before
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		c, there := look.checkpoint(id)
		if there && c.Status == Whole {
			look.restore = max(look.restore, id) // one that was completed since is newer
		}
		if there && (only == 0 || only == id) {
			all = append(all, c)
		}
	}
	for i := range all {
		all[i].Restore, all[i].Taken = look.restore, all[i].ID == look.restore
	}
	slices.Reverse(all)
	return all, nil
}

// place tells a checkpoint's own folder, id above 0, from the folder of all, id 0.
func place(dir string) (root string, id int64, err error) {
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return "", 0, fmt.Errorf("%s is not there: name a --checkpoint-dir, or a folder chk-… in one", dir)
	case err != nil:
		return "", 0, err
	case !info.IsDir():
		return "", 0, fmt.Errorf("%s is a file: name the folder of the checkpoint, or of all", dir)
	}
	absolute, err := filepath.Abs(dir)
	if err != nil {
		return "", 0, err
	}
	if id, ok := checkpoints.IDOfFolder(filepath.Base(absolute)); ok {
		return filepath.Join(filepath.Clean(dir), ".."), id, nil
	}
	return filepath.Clean(dir), 0, nil
}

// nothingIn says what a folder without checkpoints has instead: often it is one level too high or too
// low.
func nothingIn(root string) error {
	entries, err := os.ReadDir(root)
	if err != nil {
		return err
	}
	if len(entries) == 0 {
		return fmt.Errorf("%s is empty: no checkpoint was taken there, or it is the wrong folder", root)
	}
	var with []string
	for _, e := range entries {
		if inner, _ := filepath.Glob(filepath.Join(root, e.Name(), "chk-*")); len(inner) > 0 {
			with = append(with, filepath.Join(root, e.Name()))
		}
	}
	if len(with) == 0 {
		return fmt.Errorf("%s holds no checkpoint: there is no folder chk-… in it", root)
	}
	return fmt.Errorf("%s holds no checkpoint itself: name one of %s", root, strings.Join(with, ", "))
}

// look is one look at a folder.
type look struct {
	Options
	root    string
	store   *checkpoints.Store
	restore int64 // the checkpoint that a job takes; 0: none
	named   map[string]bool
}

// checkpoint describes one; those with lower numbers were described before. A job may be at work in the
// folder: what it has removed meanwhile is not there, and what it has completed is looked at again.
func (l *look) checkpoint(id int64) (c Checkpoint, there bool) {
	for {
		i := l.store.Inspect(id)
		c = l.describe(i)
		if c.Status == Whole {
			return c, true
		}
		if _, err := os.Stat(c.Path); errors.Is(err, os.ErrNotExist) {
			return c, false
		}
		if _, err := os.Stat(filepath.Join(c.Path, "manifest.json")); i.Incomplete == errors.Is(err, os.ErrNotExist) {
			return c, true
		}
	}
}

// describe says what an inspection has found.
func (l *look) describe(i checkpoints.Inspection) Checkpoint {
	id := i.ID
	c := Checkpoint{
		ID: id, Path: filepath.Join(l.root, i.Folder), Status: Whole, Job: i.Job, Savepoint: i.Savepoint, Created: int64(i.Created),
	}
	switch {
	case i.Incomplete:
		c.Status = Incomplete
		c.Problems = []string{"there is no manifest.json: the checkpoint is being taken, or the process died before it was complete"}
		return c
	case i.Manifest != nil:
		c.Status = Damaged
		c.Problems = []string{fmt.Sprintf("%s: %v", filepath.ToSlash(filepath.Join(i.Folder, "manifest.json")), i.Manifest)}
		return c
	}
	c.Age = l.Now.UnixMilli() - c.Created
	mine := l.files(&c, i)
	c.Operators = l.operators(&c, i)
	slices.SortFunc(c.Offsets, func(a, b Offset) int {
		return cmp.Or(cmp.Compare(a.UID, b.UID), cmp.Compare(a.Topic, b.Topic), cmp.Compare(a.Partition, b.Partition))
	})
	if len(c.Problems) > 0 {
		c.Status = Damaged
	}
	maps.Copy(l.named, mine)
	return c
}

// files lists a checkpoint's files, and what is wrong with them. It returns their paths.
func (l *look) files(c *Checkpoint, i checkpoints.Inspection) (mine map[string]bool) {
	mine = map[string]bool{}
	for _, p := range i.Parts {
		for _, f := range append([]checkpoints.InspectedFile{p.File}, p.Shared...) {
			if mine[f.Path] {
				continue
			}
			mine[f.Path] = true
			file := File{Path: f.Path, Size: f.Size, Checksum: fmt.Sprintf("%08x", f.Checksum), Shared: l.named[f.Path]}
			c.Size += f.Size
			if file.Shared {
				c.Shared += f.Size
			}
			if f.Damage != nil {
				file.Problem = f.Damage.Error()
				c.Problems = append(c.Problems, file.Problem)
			}
			c.Files = append(c.Files, file)
		}
	}
	return mine
}
