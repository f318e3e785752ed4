package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// lockName is the file in a folder that says whose the folder is.
const lockName = "LOCK"

// errClaimed is that of a folder in which another process is at work.
var errClaimed = errors.New("another run is at work in it")

// claim takes a folder for this process until it is released, or until the process ends, however it ends:
// the system lets go of the lock of one that was killed.
func claim(dir string) (release io.Closer, err error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	lock, err := vfs.Default.Lock(filepath.Join(dir, lockName))
	var file *fs.PathError
	switch {
	case errors.As(err, &file):
		return nil, err // the file cannot be made
	case err != nil:
		return nil, fmt.Errorf("%s: %w", dir, errClaimed)
	}
	return lock, nil
}

// scratchPrefix begins the names of the folders in which backends work.
const scratchPrefix = "gatewaymeter-state-"

// scratch makes a folder below parent for a backend to work in, and removes those of runs that were killed.
func scratch(parent string) (dir string, remove func(), err error) {
	sweep(parent)
	for range 5 {
		if dir, err = os.MkdirTemp(parent, scratchPrefix); err != nil {
			return "", nil, err
		}
		var lock io.Closer
		if lock, err = claim(dir); err == nil {
			if _, err = os.Stat(filepath.Join(dir, lockName)); err == nil {
				return dir, func() { lock.Close(); os.RemoveAll(dir) }, nil
			}
			lock.Close()
		}
		// Another run's sweep came between the file and its lock, and removes the folder.
	}
	return "", nil, err
}

// sweep removes the folders below parent whose process is gone. What cannot be removed stays.
func sweep(parent string) {
	left, _ := filepath.Glob(filepath.Join(parent, scratchPrefix+"*"))
	for _, dir := range left {
		if _, err := os.Stat(filepath.Join(dir, lockName)); err != nil {
			continue // nobody's that we know
		}
		if lock, err := claim(dir); err == nil {
			os.RemoveAll(dir)
			lock.Close()
		}
	}
}
