package backends

import (
	"errors"
	"fmt"

	"gatewaymeter/internal/scratch"
	"gatewaymeter/labs/03-stateful-operators/serialised"
	"gatewaymeter/stream"
)

// Reader is an empty serialised backend for all key groups, in a temporary folder: for whoever wants to
// see what is in the files of an incremental checkpoint. Call discard when done.
func Reader(maxGroups int) (b stream.FileBackend, discard func() error, err error) {
	dir, remove, err := scratch.New("look")
	if err != nil {
		return nil, nil, err
	}
	backend, err := serialised.New(dir, 0, maxGroups-1)
	if err != nil {
		remove()
		return nil, nil, err
	}
	discard = func() error {
		defer remove()
		return backend.Close()
	}
	files, ok := any(backend).(stream.FileBackend)
	if !ok {
		return nil, nil, errors.Join(fmt.Errorf("a %T does not read files", backend), discard())
	}
	return files, discard, nil
}
