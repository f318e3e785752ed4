package timers

import (
	"fmt"
	"time"

	"gatewaymeter/engine"
	"gatewaymeter/gateway"
	"gatewaymeter/harness"
	watermarks "gatewaymeter/labs/05-watermarks/solution"
	"gatewaymeter/stream"
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
	t.Helper()
	const open, completed, prompt = 10_000, 100, 3
	h := harness.NewKeyed(t, parts, func(e gateway.Event) string { return e.RequestID }, newAssembler())
	defer h.Close()
	expect := func(what string, want, got int) {
		t.Helper()
		if want != got {
			t.Errorf("%s: %d, and should be %d", what, got, want)
			t.FailNow()
		}
	}
	for i := range open + completed { // all start within ten seconds
		e := gateway.Event{Type: gateway.RequestStarted, RequestID: fmt.Sprintf("r-%05d", i), TenantID: "tenant-1", Model: "model-a", TS: int64(i), PromptTokens: prompt}
		h.ProcessElement(e, stream.Time(e.TS))
	}
	for i := open; i < open+completed; i++ {
		e := gateway.Event{Type: gateway.RequestCompleted, RequestID: fmt.Sprintf("r-%05d", i), TS: 20_000, Status: "ok"}
		h.ProcessElement(e, stream.Time(e.TS))
	}
	expect("records of completed requests", completed, len(h.Values()))
	expect("entries while requests are open", open, h.Entries("open"))
	expect("timers while requests are open", open, h.EventTimers())

	h.ProcessWatermark(gateway.AbandonAfterMS - 1) // the first request started at 0
	expect("records a millisecond before the first deadline", 0, len(h.Values()))
	h.ProcessWatermark(gateway.AbandonAfterMS + open - 1)
	records := h.Values()
	expect("records after the last deadline", open, len(records))
	seen := map[string]bool{}
	for _, r := range records {
		seen[r.RequestID] = true
		if r.Status != gateway.StatusAbandoned || r.PromptTokens != prompt || r.LatencyMS != gateway.AbandonAfterMS {
			t.Errorf("this is no bill of an abandoned request: %+v", r)
			t.FailNow()
		}
	}
	expect("requests with a record", open, len(seen))
	expect("entries at the end", 0, h.Entries("open"))
	expect("timers at the end", 0, h.EventTimers())
	//lab:end
}

// WatchStorm is investigation 6.2: it lets a storm of timers go off and sees how the task takes it. h
// has been restored from a snapshot, and everything in it is overdue. Advance its watermark to to, a
// slice at a time (ProcessWatermarkSlice, then ProcessSlice for as long as there is more), and return
// how many records came out in each slice, the last one included. Between two slices, a task of the
// engine can be checkpointed, cancelled and asked for its metrics.
func WatchStorm(h *harness.Keyed[gateway.Event, gateway.RequestRecord], to stream.Time) (slices []int) {
	//lab:begin 6.2
	for more := h.ProcessWatermarkSlice(to); ; more = h.ProcessSlice() {
		slices = append(slices, len(h.Outputs()))
		if !more {
			return slices
		}
	}
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
	t.Helper()
	h := harness.NewKeyed(t, parts, func(e gateway.Event) string { return e.RequestID }, newAssembler())
	defer h.Close()
	h.SetProcessingTime(0)
	h.ProcessElement(gateway.Event{Type: gateway.RequestStarted, RequestID: "r-1", TS: 1000, PromptTokens: 5}, 1000)
	for now := stream.Time(0); now <= stream.Time(time.Hour.Milliseconds()); now += 60_000 {
		h.SetProcessingTime(now)
	}
	h.ProcessElement(gateway.Event{Type: gateway.RequestCompleted, RequestID: "r-1", TS: 3000, CompletionTokens: 7, Status: "ok"}, 3000)
	h.ProcessWatermark(stream.MaxTime)
	records := h.Values()
	if len(records) != 1 || records[0].PromptTokens != 5 || records[0].CompletionTokens != 7 || records[0].Status != "ok" {
		t.Errorf("a request of two seconds, completed after a stall of an hour, has these records: %+v", records)
		t.FailNow()
	}
	//lab:end
}

// RoundUp is investigation 6.4: the time of a timer that may be late by less than step, but never early:
// the least multiple of step that is at or after at. A time near the end of int64 that has no such
// multiple becomes MaxTime. step is a whole number of milliseconds, more than 0.
//
// Timers of one key that round to the same time are one timer.
func RoundUp(at stream.Time, step time.Duration) stream.Time {
	//lab:begin 6.4
	ms := stream.Time(step.Milliseconds())
	rest := at % ms
	if rest == 0 {
		return at
	}
	if rest < 0 { // towards zero is up already
		return at - rest
	}
	if up := at - rest + ms; up > at {
		return up
	}
	return stream.MaxTime
	//lab:end
}

// CompareBuckets is investigation 6.5: what minute buckets give up. times are the transactions of one
// card, ascending. exact counts those at which more than 5 lie in the three minutes that end with them,
// the one three minutes earlier not included; buckets counts those at which VelocityCheck alerts, by the
// minute and the two before it.
func CompareBuckets(times []stream.Time) (exact, buckets int) {
	//lab:begin 6.5
	const ms = stream.Time(span / time.Millisecond)
	inMinute := map[stream.Time]int{}
	from := 0
	for i, at := range times {
		for times[from] <= at-ms {
			from++
		}
		if i-from+1 > limit {
			exact++
		}
		m := minuteOf(at)
		inMinute[m]++
		if inMinute[m]+inMinute[m.Add(-minute)]+inMinute[m.Add(-2*minute)] > limit {
			buckets++
		}
	}
	return exact, buckets
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
	held, waited := watermarks.HoldsBack(inputs)
	switch {
	case !any:
		return NoTimer, -1
	case next <= watermark:
		return Due, -1
	case waited:
		return HeldBack, held.Channel
	}
	return Stopped, -1
	//lab:end
}
