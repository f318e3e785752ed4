package broker

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// dirLock keeps two brokers from writing one data directory. It goes with the process, however that
// ends, so there is nothing to clean up after a kill. A nil one locks nothing.
type dirLock struct{ f *os.File }

// lockDir locks a data directory and makes it if need be. An empty name needs no lock.
func lockDir(dir string) (*dirLock, error) {
	if dir == "" {
		return nil, nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("embedded broker: cannot make data directory %s: name one that you may write (%w)", dir, err)
	}
	name := filepath.Join(dir, "gatewaymeter.lock")
	f, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, fmt.Errorf("embedded broker: cannot write in data directory %s: name one that you may write (%w)", dir, err)
	}
	if err := flock(f); err != nil {
		return nil, errors.Join(
			fmt.Errorf("embedded broker: data directory %s is in use by another broker: stop that one, or name another directory with --data (%w)", dir, err),
			f.Close())
	}
	return &dirLock{f: f}, nil
}

func (l *dirLock) release() error {
	if l == nil {
		return nil
	}
	return l.f.Close()
}
