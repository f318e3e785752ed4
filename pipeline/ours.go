package pipeline

import (
	"fmt"
	"time"

	"gatewaymeter/engine"
	"gatewaymeter/gateway"
	events "gatewaymeter/labs/01-events/solution"
	keying "gatewaymeter/labs/02-keying/solution"
	operators "gatewaymeter/labs/03-stateful-operators/solution"
	windows "gatewaymeter/labs/04-windows/solution"
	watermarks "gatewaymeter/labs/05-watermarks/solution"
	timers "gatewaymeter/labs/06-timers/solution"
	checkpoints "gatewaymeter/labs/07-checkpoints/solution"
	"gatewaymeter/stream"
)

// Groups is the job's number of key groups: Flink's default for the parallelisms of the course.
const Groups = 128

// How long Dedupe remembers an event: by TTL, in processing time, longer than any run; from stage 06 by
// a timer, in event time, longer than the generator lets a duplicate be late.
const (
	DedupeTTL       = 24 * time.Hour
	DedupeRetention = 10 * time.Minute
)

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
			return operators.NewDedupeRequest(DedupeTTL)
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
	if stage >= 4 {
		addTime(&parts, &functions)
	}
	if stage >= 6 {
		addTimers(&functions)
	}
	if stage >= 7 {
		parts.Aligner, parts.Coordinator, parts.Match = checkpoints.NewAligner, checkpoints.NewCoordinator, checkpoints.Match
	}
	return parts, functions, nil
}

// addTime brings what labs 04 and 05 need: windows, watermarks, the valve, and lab 06's timer service,
// which windows fire by.
func addTime(parts *engine.Parts, f *Functions) {
	parts.Watermarks = func() stream.SplitWatermarks { return watermarks.NewSplits(Bound) }
	parts.Valve = watermarks.NewValve
	parts.Timers = timers.NewService
	f.Minute = func() stream.KeyedFunction[gateway.RequestRecord, gateway.TenantWindow] {
		return windows.NewMinuteInvoice(gateway.ListPrices(), Lateness)
	}
}

// addTimers brings lab 06's functions: what they keep, a timer ends.
func addTimers(f *Functions) {
	f.Dedupe = func() stream.KeyedFunction[gateway.Event, gateway.Event] {
		return timers.NewDedupeRequest(DedupeRetention)
	}
	f.Assemble = func() stream.KeyedFunction[gateway.Event, gateway.RequestRecord] {
		return timers.NewAssembler(timers.EventTimeRule())
	}
	f.Velocity = timers.NewVelocityCheck
}

// exchange is lab 02's exchange for one element type.
func exchange[T any](groups stream.Groups) func(keyOf func(T) string, owner []int) stream.Exchange[T] {
	return func(keyOf func(T) string, owner []int) stream.Exchange[T] {
		return keying.NewExchange(func(v T) int { return groups.Of(keying.HashString(keyOf(v))) }, owner)
	}
}
