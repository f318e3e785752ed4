package lab06_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"gatewaymeter/engine"
	"gatewaymeter/gateway"
	"gatewaymeter/harness"
	"gatewaymeter/internal/kit/suite"
	operators "gatewaymeter/labs/03-stateful-operators/solution"
	watermarks "gatewaymeter/labs/05-watermarks/solution"
	"gatewaymeter/labs/06-timers/internal/wrong"
	ours "gatewaymeter/labs/06-timers/solution"
	timers "gatewaymeter/labs/06-timers/starter"
	"gatewaymeter/stream"
)

// Test6_1: Write the test that closes the leak: entries and timers return to 0
func Test6_1(t *testing.T) {
	suite.Exercise(t, "6.1", func(t *testing.T) { tryTest(t, wrong.Leaking(), parts(t), timers.LeakTest) })
}

// studentTest is a test that the student has written.
type studentTest = func(stream.TestingT, engine.Parts, func() stream.KeyedFunction[gateway.Event, gateway.RequestRecord])

// tryTest runs a student's test on assemblers that are known.
func tryTest(t *testing.T, on []wrong.Assembler, parts engine.Parts, test studentTest) {
	t.Helper()
	for _, a := range on {
		suite.Sub(t, a.Name, func(t *testing.T) {
			failed, messages := suite.Check(func(r *suite.Recorder) { test(r, parts, a.New) })
			switch {
			case failed && a.Right:
				suite.Wrong(t, suite.Failure{Says: "your test fails on the assembler that is right", Got: strings.Join(messages, "\n")})
			case !failed && !a.Right:
				suite.Wrong(t, suite.Failure{Says: "your test lets it pass: " + a.Name})
			}
		})
	}
}

// Test6_2: A restore storm: hours of overdue timers at once
func Test6_2(t *testing.T) {
	suite.Exercise(t, "6.2", func(t *testing.T) {
		const many = 5000
		open := func(opts ...harness.Option) *harness.Keyed[gateway.Event, gateway.RequestRecord] {
			return harness.NewKeyed(t, parts(t), byRequest, ours.NewAssembler(), opts...)
		}
		h := open()
		for i := range many {
			h.ProcessElement(started(fmt.Sprintf("r-%d", i), stream.Time(i), 1), stream.Time(i))
		}
		h = open(harness.From(h.Snapshot()))
		got := timers.WatchStorm(h, stream.Time(3*time.Hour.Milliseconds()))
		total := 0
		for _, n := range got {
			total += n
		}
		f := suite.Failure{Input: fmt.Sprintf("%d requests, restored after three hours", many), Got: fmt.Sprint(got), State: fmt.Sprintf("%d open, %d timers", h.Entries("open"), h.EventTimers())}
		switch {
		case total != many || h.EventTimers() != 0:
			f.Says, f.Want = "the storm has not passed: go on for as long as there is more", fmt.Sprintf("%d records in all", many)
			suite.Wrong(t, f)
		case len(got) < 4 || slices.Max(got) > 1500:
			f.Says = "a slice is at most about a thousand timers; what you counted is not by the slice"
			suite.Wrong(t, f)
		case slices.Min(got) == 0:
			f.Says, f.Want = "a slice without a record: when there is no more, there is no other slice", "a record in every slice"
			suite.Wrong(t, f)
		}
	})
}

// Test6_3: TTL shorter than a watermark stall: which bill is lost
func Test6_3(t *testing.T) {
	suite.Exercise(t, "6.3", func(t *testing.T) {
		withTTL := parts(t)
		withTTL.Backend = func(s engine.Subtask) (stream.Backend, error) {
			return operators.NewTTL(operators.NewHeap(s.First, s.Last), s.Clock), nil
		}
		tryTest(t, wrong.Stalling(), withTTL, timers.StallTest)
	})
}

// Test6_4: Count timers with and without rounding
func Test6_4(t *testing.T) {
	suite.Exercise(t, "6.4", func(t *testing.T) {
		for _, c := range []struct {
			at, want stream.Time
			step     time.Duration
			says     string
		}{
			{90_000, 120_000, time.Minute, "up, not down: a timer that is early forgets too much"},
			{120_000, 120_000, time.Minute, "a time that is a multiple already stays"},
			{120_001, 180_000, time.Minute, "a millisecond more is the next minute"},
			{-90_000, -60_000, time.Minute, "up is towards later, also before the epoch"},
			{-60_000, -60_000, time.Minute, "a multiple stays, also before the epoch"},
			{-1, 0, time.Minute, "up is towards later, also before the epoch"},
			{1, 1, time.Millisecond, "every millisecond is a multiple of one"},
			{stream.MaxTime, stream.MaxTime, time.Minute, "there is no later minute"},
			{stream.MaxTime - 1, stream.MaxTime, time.Hour, "there is no later hour, and the sum must not wrap around"},
		} {
			suite.Equal(t, clock(c.want), clock(timers.RoundUp(c.at, c.step)), suite.Failure{
				Says: c.says, Input: fmt.Sprintf("RoundUp(%s, %v)", clock(c.at), c.step),
			})
		}
		suite.Sub(t, "ten minutes of one card", func(t *testing.T) {
			exact, rounded := countTimers(t, time.Millisecond), countTimers(t, time.Minute)
			t.Logf("1,000 transactions of one card in ten minutes: %d timers, rounded up to the minute %d", exact, rounded)
			if exact != 1000 || rounded > 11 {
				suite.Wrong(t, suite.Failure{
					Says: "rounding up to the minute leaves a timer a minute, and without it each transaction has its own",
					Got:  fmt.Sprintf("%d timers, rounded %d", exact, rounded), Want: "1000 timers, rounded 10 or 11",
				})
			}
		})
	})
}

// countTimers registers a cleanup timer for each of a thousand transactions.
func countTimers(t *testing.T, step time.Duration) int {
	c := &stream.Context{Backend: operators.NewHeap(0, 0)}
	s, err := ours.NewService(c, stream.EventTime)
	suite.Harness(t, err)
	c.SetKey(0, "card-1")
	for i := range stream.Time(1000) {
		s.Register(timers.RoundUp(i*600+180_001, step), stream.Window{})
	}
	return s.Len()
}

// Test6_5: A list of timestamps against minute buckets (optional)
func Test6_5(t *testing.T) {
	suite.Exercise(t, "6.5", func(t *testing.T) {
		sec := func(times ...int) (out []stream.Time) {
			for _, s := range times {
				out = append(out, stream.Time(s*1000))
			}
			return out
		}
		for _, c := range []struct {
			name           string
			times          []stream.Time
			exact, buckets int
		}{
			{"six in a second", sec(10, 10, 10, 10, 10, 10), 1, 1},
			{"five are allowed", sec(10, 10, 10, 10, 10), 0, 0},
			{"in 150 seconds over four minutes, which the buckets miss", sec(59, 100, 130, 170, 200, 209), 1, 0},
			{"just three minutes apart is not within", sec(0, 60, 61, 62, 63, 180), 0, 0},
			{"the buckets never take more than the last 180 seconds", sec(1, 61, 62, 63, 64, 179), 1, 1},
			{"no transactions", nil, 0, 0},
		} {
			suite.Sub(t, c.name, func(t *testing.T) {
				exact, buckets := timers.CompareBuckets(c.times)
				suite.Equal(t, fmt.Sprintf("exact %d, buckets %d", c.exact, c.buckets), fmt.Sprintf("exact %d, buckets %d", exact, buckets), suite.Failure{
					Says: "counted by hand, something else comes out", Input: fmt.Sprint(c.times),
				})
			})
		}
		suite.Sub(t, "buckets alert as VelocityCheck does", bucketsAreTheCheck)
	})
}

func bucketsAreTheCheck(t *testing.T) {
	for seed := range uint64(5) {
		random := rand.New(rand.NewPCG(seed, 66))
		times := make([]stream.Time, 200)
		for i := range times {
			times[i] = stream.Time(random.IntN(3_600_000))
		}
		slices.Sort(times)
		h := harness.NewKeyed(t, parts(t), func(p gateway.Transaction) string { return p.Card }, ours.NewVelocityCheck())
		for _, at := range times {
			h.ProcessElement(gateway.Transaction{Card: "c-1", TS: int64(at)}, at)
		}
		_, buckets := timers.CompareBuckets(times)
		suite.Equal(t, len(h.Values()), buckets, suite.Failure{Says: "VelocityCheck alerts at another number of transactions", Input: fmt.Sprintf("seed %d", seed)})
	}
}

// Test6_6: An idle source stops the cleanup
func Test6_6(t *testing.T) {
	suite.Exercise(t, "6.6", func(t *testing.T) {
		idle, ended, behind := stream.ChannelTime{Channel: 0, Watermark: 5000, Idle: true}, stream.ChannelTime{Channel: 1, Watermark: stream.MaxTime, Ended: true}, stream.ChannelTime{Channel: 2, Watermark: 1000, Unaligned: true}
		slow := stream.ChannelTime{Channel: 3, Watermark: 4000}
		for _, c := range []struct {
			name       string
			inputs     []stream.ChannelTime
			mark, next stream.Time
			any        bool
			want       string
		}{
			{"no timer", []stream.ChannelTime{slow}, 4000, 0, false, "no timer -1"},
			{"no timer, and every input is idle", []stream.ChannelTime{idle}, 5000, 0, false, "no timer -1"},
			{"due, although every input is idle", []stream.ChannelTime{idle}, 5000, 5000, true, "due -1"},
			{"a slow input", []stream.ChannelTime{idle, slow}, 4000, 9000, true, "held back 3"},
			{"every input is idle", []stream.ChannelTime{idle}, 5000, 9000, true, "stopped -1"},
			{"idle, ended, unaligned", []stream.ChannelTime{idle, ended, behind}, 5000, 9000, true, "stopped -1"},
		} {
			suite.Sub(t, c.name, func(t *testing.T) {
				why, channel := timers.WhyWaiting(c.inputs, c.mark, c.next, c.any)
				suite.Equal(t, c.want, fmt.Sprintf("%s %d", why, channel), suite.Failure{
					Says: "this is not why the timer waits", Input: fmt.Sprintf("next timer %s, inputs %+v", clock(c.next), c.inputs), Watermark: clock(c.mark),
				})
			})
		}
		suite.Sub(t, "the last requests of the day", lastOfTheDay)
	})
}

// lastOfTheDay: traffic stops with requests open. The source goes idle, and nobody is abandoned until
// the next morning's first event.
func lastOfTheDay(t *testing.T) {
	source := watermarks.NewSplits(time.Second, watermarks.WithIdleness(time.Minute))
	source.Add(0)
	valve := watermarks.NewValve(1)
	h := harness.NewKeyed(t, parts(t), byRequest, ours.NewAssembler())
	pass := func(now stream.Time) {
		s := source.Emit(now)
		if s.Status == stream.Idle {
			valve.Idle(0)
		}
		if s.Status == stream.Active {
			valve.Active(0)
		}
		if s.Watermark != stream.NoTime {
			h.ProcessWatermark(valve.Watermark(0, s.Watermark).Watermark)
		}
	}
	source.Event(0, 10_000)
	h.ProcessElement(started("r-last", 10_000, 1), 10_000)
	for now := stream.Time(0); now < 12*3_600_000; now += 30_000 {
		pass(now)
	}
	why, _ := timers.WhyWaiting(valve.(stream.TimeReporter).Channels(), h.Context().Watermark, 310_000, h.EventTimers() > 0)
	suite.Equal(t, timers.Stopped, why, suite.Failure{
		Says: "twelve hours after the last event the request is still open, and nothing moves time", State: fmt.Sprintf("%d open, %d timers", h.Entries("open"), h.EventTimers()),
	})
	source.Event(0, 12*3_600_000)
	pass(12 * 3_600_000)
	if n := len(h.Values()); n != 1 || h.EventTimers() != 0 {
		suite.Harness(t, fmt.Errorf("the next morning's first event ended %d requests", n))
	}
}
