package pipeline

import (
	"fmt"
	"time"

	"gatewaymeter/engine"
	"gatewaymeter/gateway"
	events "gatewaymeter/labs/01-events/solution"
	keying "gatewaymeter/labs/02-keying/solution"
	operators "gatewaymeter/labs/03-stateful-operators/solution"
	"gatewaymeter/stream"
)

// Groups is the job's number of key groups: Flink's default for the parallelisms of the course.
const Groups = 128

// DedupeFor is how long stage 03's Dedupe remembers an event, in processing time: longer than any run.
const DedupeFor = 24 * time.Hour

// Ours is the engine and the functions of a stage, from the labs' solutions. A job on another backend
// replaces Parts.Backend.
func Ours(stage int) (engine.Parts, Functions, error) {
	if stage < FirstStage || stage > LastStage {
		return engine.Parts{}, Functions{}, fmt.Errorf("stage %02d: the job stands at stages %02d to %02d", stage, FirstStage, LastStage)
	}
	groups, err := keying.NewGroups(Groups)
	if err != nil {
		return engine.Parts{}, Functions{}, err
	}
	parts := engine.Parts{
		Groups:       groups,
		Hash:         keying.HashString,
		Splits:       events.NewSplitReader,
		Operator:     operators.NewOperatorStore,
		Redistribute: operators.Redistribute,
		Backend: func(s engine.Subtask) (stream.Backend, error) {
			return operators.NewTTL(operators.NewHeap(s.First, s.Last), s.Clock), nil
		},
	}
	functions := Functions{
		Decode:     events.Decode,
		DeadLetter: events.NewDeadLetter,
		Dedupe: func() stream.KeyedFunction[gateway.Event, gateway.Event] {
			return operators.NewDedupeRequest(DedupeFor)
		},
		Assemble: operators.NewAssembler,
		Total: func() stream.KeyedFunction[gateway.RequestRecord, gateway.TenantTotal] {
			return operators.NewTenantCost(gateway.ListPrices())
		},
		Exchanges: Exchanges{
			Events:       exchange[gateway.Event](groups),
			Records:      exchange[gateway.RequestRecord](groups),
			Transactions: exchange[gateway.Transaction](groups),
		},
	}
	return parts, functions, nil
}

// exchange is lab 02's exchange for one element type.
func exchange[T any](groups stream.Groups) func(keyOf func(T) string, owner []int) stream.Exchange[T] {
	return func(keyOf func(T) string, owner []int) stream.Exchange[T] {
		return keying.NewExchange(func(v T) int { return groups.Of(keying.HashString(keyOf(v))) }, owner)
	}
}
