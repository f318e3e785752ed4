package scratch

import (
	"io"
	"os"
	"path/filepath"
	"sync"
)

// prefix begins the names of all these folders. A folder of a user's own that is claimed has another name.
const prefix = "gatewaymeter-scratch-"

// sweepOnce: what other processes left behind goes when this one makes its first folder. It leaves nothing
// behind itself as long as it lives.
var sweepOnce sync.Once

// New makes a folder to work in, below that of the system for temporary files (TMPDIR), and deletes those of
// processes that were killed. The purpose, a word, is in its name, for whoever finds it. remove deletes it,
// and may be called again. It is safe for concurrent use.
func New(purpose string) (dir string, remove func(), err error) {
	sweepOnce.Do(func() { sweep(os.TempDir()) })
	return newBelow(os.TempDir(), purpose)
}

func newBelow(parent, purpose string) (dir string, remove func(), err error) {
	for range 5 {
		if dir, err = os.MkdirTemp(parent, prefix+purpose+"-"); err != nil {
			return "", nil, err
		}
		var lock io.Closer
		if lock, err = Claim(dir); err == nil {
			if _, err = os.Stat(filepath.Join(dir, lockName)); err == nil {
				return dir, sync.OnceFunc(func() { lock.Close(); os.RemoveAll(dir) }), nil
			}
			lock.Close()
		}
		// Another run's sweep came between the file and its lock, and removes the folder.
	}
	return "", nil, err
}

// sweep removes the folders below parent whose process is gone. What cannot be removed stays.
func sweep(parent string) {
	left, _ := filepath.Glob(filepath.Join(parent, prefix+"*"))
	for _, dir := range left {
		if _, err := os.Stat(filepath.Join(dir, lockName)); err != nil {
			continue // nobody's that we know
		}
		if lock, err := Claim(dir); err == nil {
			os.RemoveAll(dir)
			lock.Close()
		}
	}
}
