package backends

import (
	"os"

	"gatewaymeter/engine"
)

// ForOneRun puts pebble under a job that runs once in this process, if that is the name of the backend; any
// other name leaves the parts' own, the heap. remove deletes its files when the run is over.
func ForOneRun(parts *engine.Parts, name string) (remove func(), err error) {
	if name != "pebble" {
		return func() {}, nil
	}
	dir, err := os.MkdirTemp("", "gatewaymeter-run-")
	if err != nil {
		return nil, err
	}
	parts.Backend = Pebble(dir)
	return func() { os.RemoveAll(dir) }, nil
}
