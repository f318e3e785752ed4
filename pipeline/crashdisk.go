package pipeline

import (
	"errors"

	checkpoints "gatewaymeter/labs/07-checkpoints/solution"
)

// errFailedWrite is what the operation that fails gives.
var errFailedWrite = errors.New("input/output error")

// flakyDisk is a disk of which one changing operation fails, once.
type flakyDisk struct {
	checkpoints.Disk
	failIn int // operations until the one that fails, it included; 0: none will
	failed bool
}

// fails counts an operation and reports whether it is the one that fails.
func (d *flakyDisk) fails() bool {
	if d.failIn == 0 {
		return false
	}
	d.failIn--
	d.failed = d.failIn == 0
	return d.failed
}

// change does an operation, unless it is the one that fails.
func (d *flakyDisk) change(f func() error) error {
	if d.fails() {
		return errFailedWrite
	}
	return f()
}

// MkdirAll implements checkpoints.Disk.
func (d *flakyDisk) MkdirAll(dir string) error {
	return d.change(func() error { return d.Disk.MkdirAll(dir) })
}

// Rename implements checkpoints.Disk.
func (d *flakyDisk) Rename(from, to string) error {
	return d.change(func() error { return d.Disk.Rename(from, to) })
}

// Remove implements checkpoints.Disk.
func (d *flakyDisk) Remove(path string) error {
	return d.change(func() error { return d.Disk.Remove(path) })
}

// RemoveAll implements checkpoints.Disk.
func (d *flakyDisk) RemoveAll(dir string) error {
	return d.change(func() error { return d.Disk.RemoveAll(dir) })
}

// SyncDir implements checkpoints.Disk.
func (d *flakyDisk) SyncDir(dir string) error {
	return d.change(func() error { return d.Disk.SyncDir(dir) })
}

// Import implements checkpoints.Disk.
func (d *flakyDisk) Import(from, to string) error {
	return d.change(func() error { return d.Disk.Import(from, to) })
}

// Create implements checkpoints.Disk.
func (d *flakyDisk) Create(path string) (f checkpoints.File, err error) {
	err = d.change(func() error { f, err = d.Disk.Create(path); return err })
	return &flakyFile{f, d}, err
}

// flakyFile is a file on it.
type flakyFile struct {
	checkpoints.File
	disk *flakyDisk
}

// Write implements io.Writer: the one that fails has written half.
func (f *flakyFile) Write(b []byte) (n int, err error) {
	if f.disk.fails() {
		n, _ = f.File.Write(b[:len(b)/2])
		return n, errFailedWrite
	}
	return f.File.Write(b)
}

// Sync implements checkpoints.File.
func (f *flakyFile) Sync() error { return f.disk.change(f.File.Sync) }
