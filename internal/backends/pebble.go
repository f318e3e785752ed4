// Package backends puts a backend other than the heap under a job. It is a package of its own because
// linking pebble costs seconds, which the labs' suites should not pay.
package backends

import (
	"fmt"
	"path/filepath"

	"gatewaymeter/engine"
	"gatewaymeter/labs/03-stateful-operators/serialised"
	operators "gatewaymeter/labs/03-stateful-operators/solution"
	"gatewaymeter/stream"
)

// Pebble is the serialised backend, with time to live, in folders below dir: one for each subtask of
// each operator. It fits engine.Parts.Backend.
func Pebble(dir string) func(engine.Subtask) (stream.Backend, error) {
	return func(s engine.Subtask) (stream.Backend, error) {
		b, err := serialised.New(filepath.Join(dir, fmt.Sprintf("%s-%d", s.UID, s.Index)), s.First, s.Last)
		if err != nil {
			return nil, err
		}
		return operators.NewTTL(b, s.Clock), nil
	}
}
