package backends

import (
	"errors"
	"fmt"
	"os"

	"gatewaymeter/labs/03-stateful-operators/serialised"
	"gatewaymeter/stream"
)

// Reader is an empty serialised backend for all key groups, in a temporary folder: for whoever wants to
// see what is in the files of an incremental checkpoint. Call discard when done.
func Reader(maxGroups int) (b stream.FileBackend, discard func() error, err error) {
	dir, err := os.MkdirTemp("", "gatewaymeter-look-")
	if err != nil {
		return nil, nil, err
	}
	backend, err := serialised.New(dir, 0, maxGroups-1)
	if err != nil {
		return nil, nil, errors.Join(err, os.RemoveAll(dir))
	}
	discard = func() error { return errors.Join(backend.Close(), os.RemoveAll(dir)) }
	files, ok := any(backend).(stream.FileBackend)
	if !ok {
		return nil, nil, errors.Join(fmt.Errorf("a %T does not read files", backend), discard())
	}
	return files, discard, nil
}
