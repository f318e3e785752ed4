package checkpoints

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// Disk is what the store needs of a file system. Paths are slash-separated. Every method that changes
// something is one operation, between any two of which the power may fail; what that leaves behind is
// told by [MemDisk].
type Disk interface {
	MkdirAll(dir string) error
	Create(path string) (File, error) // empties a file that is there
	Rename(from, to string) error     // replaces a file that is there
	Remove(path string) error         // a file
	RemoveAll(dir string) error       // a folder and all below; none there is no error
	SyncDir(dir string) error         // makes the names in a folder durable
	Import(from, to string) error     // a file of this machine, durably, in place of what is there; it must not change afterwards

	ReadFile(path string) ([]byte, error)
	List(dir string) ([]string, error) // the names in a folder, ascending; none there is none
}

// File is a file being written. What is written is durable after Sync, and its name after SyncDir.
type File interface {
	io.Writer
	Sync() error
	Close() error
}

// OSDisk is the machine's own file system, below a folder.
type OSDisk struct{ Root string }

func (d OSDisk) path(p string) string { return filepath.Join(d.Root, filepath.FromSlash(p)) }

// MkdirAll implements Disk.
func (d OSDisk) MkdirAll(dir string) error { return os.MkdirAll(d.path(dir), 0o755) }

// Create implements Disk.
func (d OSDisk) Create(path string) (File, error) { return os.Create(d.path(path)) }

// Rename implements Disk.
func (d OSDisk) Rename(from, to string) error { return os.Rename(d.path(from), d.path(to)) }

// Remove implements Disk.
func (d OSDisk) Remove(path string) error { return os.Remove(d.path(path)) }

// RemoveAll implements Disk.
func (d OSDisk) RemoveAll(dir string) error { return os.RemoveAll(d.path(dir)) }

// SyncDir implements Disk.
func (d OSDisk) SyncDir(dir string) error {
	f, err := os.Open(d.path(dir))
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// Import implements Disk: a hard link, or a copy where there can be none.
func (d OSDisk) Import(from, to string) error {
	to = d.path(to)
	if err := os.Remove(to); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if os.Link(from, to) != nil {
		if err := copyFile(from, to); err != nil {
			return err
		}
	}
	f, err := os.Open(to)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close()) // the content, by whoever it was written
}

func copyFile(from, to string) error {
	src, err := os.Open(from)
	if err != nil {
		return err
	}
	defer src.Close()
	dst, err := os.Create(to)
	if err != nil {
		return err
	}
	_, err = io.Copy(dst, src)
	return errors.Join(err, dst.Close())
}

// ReadFile implements Disk. What is there and is no file, such as a pipe, is an error: to read it could
// take for ever.
func (d OSDisk) ReadFile(path string) ([]byte, error) {
	path = d.path(path)
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "read", Path: path, Err: errors.New("it is no regular file")}
	}
	return os.ReadFile(path)
}

// List implements Disk.
func (d OSDisk) List(dir string) ([]string, error) {
	entries, err := os.ReadDir(d.path(dir))
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	slices.Sort(names)
	return names, err
}
