package scene

import (
	"gatewaymeter/engine"
	"gatewaymeter/pipeline"
)

// parts is the engine of the last stage, from the labs' solutions.
func parts() engine.Parts {
	p, _, err := pipeline.Ours(pipeline.LastStage)
	check(err)
	return p
}
