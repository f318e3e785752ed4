package checkpoints

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path"
	"slices"
	"strings"
	"sync"
)

// ErrPowerCut is what every operation of a MemDisk gives once its power has failed.
var ErrPowerCut = errors.New("the power has failed")

// ErrDiskFull is what a MemDisk gives that has no room left.
var ErrDiskFull = errors.New("no space left on device")

// MemDisk is a disk in memory that can lose its power. It keeps apart what a program sees and what
// would still be there after a power cut: content is durable up to the last Sync of its file, a name
// once its folder was synced. It may be used from several goroutines.
type MemDisk struct {
	mu      sync.Mutex
	seen    map[string]*memFile // by path: what the program sees
	durable map[string]*memFile // the names that are on the platter
	ops     int
	cutAt   int // the operation at which the power fails; 0: never
	room    int // bytes that may still be written; -1: any number
	dead    bool
}

// memFile is a file's content.
type memFile struct {
	data   []byte
	synced int // how many of its bytes are durable
}

// NewMemDisk makes an empty disk that works.
func NewMemDisk() *MemDisk {
	return &MemDisk{seen: map[string]*memFile{}, durable: map[string]*memFile{}, room: -1}
}

// CutPowerAt has the power fail before the n-th changing operation from now on.
func (d *MemDisk) CutPowerAt(n int) { d.ops, d.cutAt = 0, n }

// Limit leaves room for so many bytes.
func (d *MemDisk) Limit(bytes int) { d.room = bytes }

// Ops is the number of changing operations so far.
func (d *MemDisk) Ops() int { return d.ops }

// PowerFailed reports whether the power has failed.
func (d *MemDisk) PowerFailed() bool { return d.dead }

// Restart is the disk after a power cut: what was durable is there. Of the rest the seed decides, file
// by file and name by name, what made it: nothing, a torn part, or all.
func (d *MemDisk) Restart(seed uint64) *MemDisk {
	d.mu.Lock()
	defer d.mu.Unlock()
	rng := rand.New(rand.NewPCG(seed, 3))
	after := NewMemDisk()
	names := map[string]*memFile{}
	for p, f := range d.durable {
		names[p] = f
	}
	for _, p := range sortedPaths(d.seen) {
		if rng.IntN(2) == 0 { // the name reached the platter although nobody asked
			names[p] = d.seen[p]
		}
	}
	for _, p := range sortedPaths(names) {
		f := names[p]
		n := f.synced
		if extra := len(f.data) - n; extra > 0 {
			n += rng.IntN(extra + 1)
		}
		kept := &memFile{data: slices.Clone(f.data[:n]), synced: n}
		after.seen[p], after.durable[p] = kept, kept
	}
	return after
}

func sortedPaths(m map[string]*memFile) []string {
	paths := make([]string, 0, len(m))
	for p := range m {
		paths = append(paths, p)
	}
	slices.Sort(paths)
	return paths
}

// change is one changing operation.
func (d *MemDisk) change(f func() error) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.ops++
	if d.cutAt > 0 && d.ops >= d.cutAt {
		d.dead = true
	}
	if d.dead {
		return ErrPowerCut
	}
	return f()
}

// MkdirAll implements Disk: folders are no more than the first part of a name here.
func (d *MemDisk) MkdirAll(string) error { return d.change(func() error { return nil }) }

// Create implements Disk.
func (d *MemDisk) Create(p string) (File, error) {
	f := &memFile{}
	err := d.change(func() error { d.seen[p] = f; return nil })
	return &memHandle{d, f}, err
}

// memHandle is an open file.
type memHandle struct {
	disk *MemDisk
	f    *memFile
}

func (h *memHandle) Write(b []byte) (int, error) {
	err := h.disk.change(func() error {
		if h.disk.room >= 0 {
			if len(b) > h.disk.room {
				h.f.data = append(h.f.data, b[:h.disk.room]...)
				h.disk.room = 0
				return ErrDiskFull
			}
			h.disk.room -= len(b)
		}
		h.f.data = append(h.f.data, b...)
		return nil
	})
	return len(b), err
}

func (h *memHandle) Sync() error {
	return h.disk.change(func() error { h.f.synced = len(h.f.data); return nil })
}

func (h *memHandle) Close() error { return nil }

// Rename implements Disk.
func (d *MemDisk) Rename(from, to string) error {
	return d.change(func() error {
		f, ok := d.seen[from]
		if !ok {
			return missing(from)
		}
		delete(d.seen, from)
		d.seen[to] = f
		return nil
	})
}

// Remove implements Disk. Like every name, the removed one may come back until its folder is synced.
func (d *MemDisk) Remove(p string) error {
	return d.change(func() error {
		if _, ok := d.seen[p]; !ok {
			return missing(p)
		}
		delete(d.seen, p)
		return nil
	})
}

// RemoveAll implements Disk. It is one operation for each file, as on a real disk.
func (d *MemDisk) RemoveAll(dir string) error {
	for _, p := range d.below(dir) {
		if err := d.Remove(p); err != nil {
			return err
		}
	}
	return nil
}

func (d *MemDisk) below(dir string) (paths []string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, p := range sortedPaths(d.seen) {
		if strings.HasPrefix(p, dir+"/") {
			paths = append(paths, p)
		}
	}
	return paths
}

// SyncDir implements Disk.
func (d *MemDisk) SyncDir(dir string) error {
	return d.change(func() error {
		for p := range d.durable {
			if path.Dir(p) == dir && d.seen[p] == nil {
				delete(d.durable, p)
			}
		}
		for p, f := range d.seen {
			if path.Dir(p) == dir {
				d.durable[p] = f
			}
		}
		return nil
	})
}

// Import implements Disk.
func (d *MemDisk) Import(from, to string) error {
	b, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return d.change(func() error {
		d.seen[to] = &memFile{data: b, synced: len(b)}
		return nil
	})
}

// ReadFile implements Disk.
func (d *MemDisk) ReadFile(p string) ([]byte, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	f, ok := d.seen[p]
	if !ok {
		return nil, missing(p)
	}
	return slices.Clone(f.data), nil
}

// List implements Disk.
func (d *MemDisk) List(dir string) ([]string, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	var names []string
	for _, p := range sortedPaths(d.seen) {
		name := p
		if dir != "." {
			rest, ok := strings.CutPrefix(p, dir+"/")
			if !ok {
				continue
			}
			name = rest
		}
		first, _, _ := strings.Cut(name, "/")
		if len(names) == 0 || names[len(names)-1] != first {
			names = append(names, first)
		}
	}
	return slices.Compact(names), nil
}

// Edit changes a file behind the program's back: for tests that damage a checkpoint.
func (d *MemDisk) Edit(p string, change func(b []byte) []byte) {
	d.mu.Lock()
	defer d.mu.Unlock()
	b := change(slices.Clone(d.seen[p].data))
	f := &memFile{data: b, synced: len(b)}
	d.seen[p], d.durable[p] = f, f
}

// Paths lists every file that the program sees.
func (d *MemDisk) Paths() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return sortedPaths(d.seen)
}

func missing(p string) error { return fmt.Errorf("%s: %w", p, fs.ErrNotExist) }
