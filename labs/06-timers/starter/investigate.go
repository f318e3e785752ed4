package timers

import (
	"time"

	"gatewaymeter/engine"
	"gatewaymeter/gateway"
	"gatewaymeter/harness"
	"gatewaymeter/stream"
	"gatewaymeter/todo" // made from ../solution by "go tool lab starters"; this file is yours to edit
)

// LeakTest is investigation 6.1: the test that keeps the leak closed, run against ours and against wrong
// assemblers. parts is our backend, timers and operator state, for harness.NewKeyed.
//
// Open 10,000 requests and complete some others: while they are open, there is one entry in "open" and
// one event timer for each. When the watermark has come just to the moment before the first deadline,
// nothing has happened; when it is past the last, each has one record with status abandoned, its prompt
// billed, and entries and timers both are 0. t must fail for an assembler that leaves anything behind,
// loses or doubles a record, bills nothing, or picks another moment.
func LeakTest(t stream.TestingT, parts engine.Parts, newAssembler func() stream.KeyedFunction[gateway.Event, gateway.RequestRecord]) {
	//lab:begin 6.1
	panic(todo.Exercise("6.1"))
	//lab:end
}

// WatchStorm is investigation 6.2: it lets a storm of timers go off and sees how the task takes it. h
// has been restored from a snapshot, and everything in it is overdue. Advance its watermark to to, a
// slice at a time (ProcessWatermarkSlice, then ProcessSlice for as long as there is more), and return
// how many records came out in each slice, the last one included. Between two slices, a task of the
// engine can be checkpointed, cancelled and asked for its metrics.
func WatchStorm(h *harness.Keyed[gateway.Event, gateway.RequestRecord], to stream.Time) (slices []int) {
	//lab:begin 6.2
	panic(todo.Exercise("6.2"))
	//lab:end
}

// StallTest is investigation 6.3: a test that an assembler loses no bill when time stands still. parts
// is as in LeakTest, and its backend knows time to live.
//
// The watermark stalls (a partition hangs) while the wall clock goes on for an hour, in steps of a
// minute. A request that started before completes after that, two seconds of event time after its
// start. Its record must come out, once and with its tokens. t must fail for an assembler that lets the
// wall clock end what event time has not ended.
func StallTest(t stream.TestingT, parts engine.Parts, newAssembler func() stream.KeyedFunction[gateway.Event, gateway.RequestRecord]) {
	//lab:begin 6.3
	panic(todo.Exercise("6.3"))
	//lab:end
}

// RoundUp is investigation 6.4: the time of a timer that may be late by less than step, but never early:
// the least multiple of step that is at or after at. A time near the end of int64 that has no such
// multiple becomes MaxTime. step is a whole number of milliseconds, more than 0.
//
// Timers of one key that round to the same time are one timer.
func RoundUp(at stream.Time, step time.Duration) stream.Time {
	//lab:begin 6.4
	panic(todo.Exercise("6.4"))
	//lab:end
}

// CompareBuckets is investigation 6.5: what minute buckets give up. times are the transactions of one
// card, ascending. exact counts those at which more than 5 lie in the three minutes that end with them,
// the one three minutes earlier not included; buckets counts those at which VelocityCheck alerts, by the
// minute and the two before it.
func CompareBuckets(times []stream.Time) (exact, buckets int) {
	//lab:begin 6.5
	panic(todo.Exercise("6.5"))
	//lab:end
}

// Wait is why an operator's next timer has not fired.
type Wait string

// The reasons.
const (
	NoTimer  Wait = "no timer"  // there is none
	Due      Wait = "due"       // it fires with the next pass
	HeldBack Wait = "held back" // an input is behind, and time goes on when that one does
	Stopped  Wait = "stopped"   // every input is idle, unaligned or at its end: nothing moves time
)

// WhyWaiting is investigation 6.6: why an operator's next event timer has not fired, by what the inputs
// of its valve say, the operator's watermark, and the time of the timer (TimerService.Next). A timer at
// or below the watermark is due, whatever the inputs say. Where time is held back, channel is the input
// that it waits for (lab 05, HoldsBack); else -1.
func WhyWaiting(inputs []stream.ChannelTime, watermark stream.Time, next stream.Time, any bool) (why Wait, channel int) {
	//lab:begin 6.6
	panic(todo.Exercise("6.6"))
	//lab:end
}
