package scratch

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

// ErrClaimed is that of a folder in which another process is at work.
var ErrClaimed = errors.New("another run is at work in it")

// Claim takes a folder, which is made if it is not there, for this process until it is released, or until
// the process ends, however it ends: the system lets go of the lock of one that was killed. The error is
// ErrClaimed if the folder is taken, by this process too.
func Claim(dir string) (release io.Closer, err error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	lock, err := vfs.Default.Lock(filepath.Join(dir, lockName))
	var file *fs.PathError
	switch {
	case errors.As(err, &file):
		return nil, err // the file cannot be made
	case err != nil:
		return nil, fmt.Errorf("%s: %w", dir, ErrClaimed)
	}
	return lock, nil
}
