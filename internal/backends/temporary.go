package backends

import (
	"fmt"

	"gatewaymeter/engine"
	"gatewaymeter/internal/scratch"
)

// ForOneRun puts pebble under a job that runs once in this process, if that is the name of the backend; any
// other name leaves the parts' own, the heap. remove deletes its files when the run is over.
func ForOneRun(parts *engine.Parts, name string) (remove func(), err error) {
	if name != "pebble" {
		return func() {}, nil
	}
	dir, remove, err := scratch.New("state")
	if err != nil {
		return nil, fmt.Errorf("the folder in which pebble works: %w", err)
	}
	parts.Backend = Pebble(dir)
	return remove, nil
}
