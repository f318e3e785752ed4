package events

import (
	"gatewaymeter/gateway"
	"gatewaymeter/stream"
)

// Decode is the event in a message, or a *Malformed that names every fault.
//
// It keeps nothing of m. A whole message costs about a microsecond and five small allocations: the
// four strings of the event and its type.
func Decode(m stream.Message) (gateway.Event, error) {
	var d Draft
	if err := d.Parse(m.Value); err != nil {
		return gateway.Event{}, err
	}
	if faults := Validate(&d, m.Key); len(faults) > 0 {
		return gateway.Event{}, &Malformed{Faults: faults}
	}
	return d.Event(), nil
}
