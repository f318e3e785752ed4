package lab05_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"gatewaymeter/internal/kit/suite"
	ours "gatewaymeter/labs/05-watermarks/solution"
	watermarks "gatewaymeter/labs/05-watermarks/starter"
	"gatewaymeter/stream"
)

// Test5_1: Find the partition that holds time back
func Test5_1(t *testing.T) {
	suite.Exercise(t, "5.1", func(t *testing.T) {
		at := func(channel int, mark stream.Time) stream.ChannelTime {
			return stream.ChannelTime{Channel: channel, Watermark: mark}
		}
		idle, ended, behind := at(0, 1000), at(1, 2000), at(2, 3000)
		idle.Idle, ended.Ended, behind.Unaligned = true, true, true
		for _, c := range []struct {
			name string
			in   []stream.ChannelTime
			want string
		}{
			{"the least watermark", []stream.ChannelTime{at(0, 9000), at(1, 4000), at(2, 7000)}, "1 at 4s"},
			{"one that has not said anything", []stream.ChannelTime{at(0, 9000), at(1, stream.NoTime)}, "1 at none"},
			{"nobody waits for who is idle, ended or not aligned", []stream.ChannelTime{idle, ended, behind, at(3, 7000), at(4, 8000)}, "3 at 7s"},
			{"equally far: the lowest number", []stream.ChannelTime{at(5, 4000), at(2, 4000), at(3, 4000)}, "2 at 4s"},
			{"nobody is waited for", []stream.ChannelTime{idle, ended}, "nobody"},
			{"no channels", nil, "nobody"},
			{"all have ended but one at the end of time", []stream.ChannelTime{ended, at(4, stream.MaxTime)}, "4 at end"},
		} {
			suite.Sub(t, c.name, func(t *testing.T) {
				held, ok := watermarks.HoldsBack(c.in)
				got := "nobody"
				if ok {
					got = fmt.Sprintf("%d at %s", held.Channel, clock(held.Watermark))
				}
				suite.Equal(t, c.want, got, suite.Failure{Says: "this is not the channel that time waits for", Input: fmt.Sprintf("%+v", c.in)})
			})
		}
		suite.Sub(t, "a stopped partition, found and mended", stoppedPartition)
	})
}

// stoppedPartition is the question as an operator meets it: partition 2 stops, the minute stays open,
// HoldsBack names it, and with idleness the minute closes.
func stoppedPartition(t *testing.T) {
	run := func(options ...ours.Option) (stream.Time, []stream.ChannelTime) {
		s := ours.NewSplits(time.Second, options...)
		mark := stream.NoTime
		for p := range 4 {
			s.Add(p)
		}
		for now := stream.Time(0); now < 300_000; now += 200 {
			for p := range 4 {
				if p != 2 || now < 30_000 {
					s.Event(p, now)
				}
			}
			mark = max(mark, s.Emit(now).Watermark)
		}
		return mark, s.Channels()
	}
	stuck, at := run()
	held, ok := watermarks.HoldsBack(at)
	if !ok || held.Channel != 2 || held.LastEvent != 29_800 {
		suite.Wrong(t, suite.Failure{
			Says:  "partition 2 stopped at 30s, and since then no minute has closed; that is not what you found",
			Input: fmt.Sprintf("%+v", at), Watermark: clock(stuck), Got: fmt.Sprintf("%+v, %v", held, ok), Want: "partition 2, last event 29.8s",
		})
	}
	if mended, _ := run(ours.WithIdleness(10 * time.Second)); mended <= stuck {
		suite.Harness(t, fmt.Errorf("idleness mended nothing: %s, then %s", clock(stuck), clock(mended)))
	}
}

// Test5_2: Choose the bound: latency against late records
func Test5_2(t *testing.T) {
	suite.Exercise(t, "5.2", func(t *testing.T) {
		const ms = time.Millisecond
		for _, c := range []struct {
			name string
			lags []time.Duration
			late float64
			want time.Duration
		}{
			{"nobody may be late", []time.Duration{0, 3 * ms, 40 * ms, 7 * ms}, 0, 40 * ms},
			{"one of four may be late", []time.Duration{0, 3 * ms, 40 * ms, 7 * ms}, 0.25, 7 * ms},
			{"less than one of four may be late", []time.Duration{0, 3 * ms, 40 * ms, 7 * ms}, 0.24, 40 * ms},
			{"all in order", []time.Duration{-5 * ms, 0, -1 * ms}, 0, 0},
			{"all ahead of those before", []time.Duration{-5 * ms, -1 * ms}, 0, 0},
			{"all may be late", []time.Duration{5 * ms, 9 * ms}, 1, 0},
			{"many with the same lag", []time.Duration{9 * ms, 9 * ms, 9 * ms, 1 * ms}, 0.5, 9 * ms},
			{"parts of a millisecond", []time.Duration{1500 * time.Microsecond}, 0, 2 * ms},
			{"no elements", nil, 0.1, 0},
		} {
			suite.Sub(t, c.name, func(t *testing.T) {
				before := slices.Clone(c.lags)
				suite.Equal(t, c.want, watermarks.ChooseBound(c.lags, c.late), suite.Failure{
					Says: "this is not the least bound that keeps the promise", Input: fmt.Sprintf("lags %v, at most %v late", before, c.late),
				})
				suite.Equal(t, before, c.lags, suite.Failure{Says: "the lags are the caller's, in the order in which the elements came: sort a copy"})
			})
		}
		suite.Sub(t, "the promise kept, on seeded traffic", boundIsKept)
	})
}

// boundIsKept measures the lags of random traffic, and counts who is late under the chosen bound.
func boundIsKept(t *testing.T) {
	for seed := range uint64(10) {
		random := rand.New(rand.NewPCG(seed, 52))
		times := make([]stream.Time, 2000)
		lags := make([]time.Duration, len(times))
		highest := stream.NoTime
		for i := range times {
			times[i] = stream.Time(i*10 - int(random.ExpFloat64()*100))
			if highest != stream.NoTime {
				lags[i] = time.Duration(highest-times[i]) * time.Millisecond
			}
			highest = max(highest, times[i])
		}
		for _, share := range []float64{0, 0.01, 0.1} {
			bound := watermarks.ChooseBound(lags, share)
			may := int(share * float64(len(times)))
			if n := lateUnder(bound, times); n > may {
				suite.Wrong(t, suite.Failure{
					Says: "more elements are late than the share allows", Input: fmt.Sprintf("seed %d, share %v, your bound %v", seed, share, bound),
					Got: fmt.Sprintf("%d late", n), Want: fmt.Sprintf("at most %d", may),
				})
			}
			if bound == 0 {
				continue
			}
			if n := lateUnder(bound-time.Millisecond, times); n <= may {
				suite.Wrong(t, suite.Failure{
					Says: "a shorter bound keeps the promise too: every invoice waits longer than it has to", Input: fmt.Sprintf("seed %d, share %v", seed, share),
					Got: bound.String(), Want: "at most " + (bound - time.Millisecond).String(),
				})
			}
		}
	}
}

// lateUnder counts the elements at or below the watermark that stood when they came.
func lateUnder(bound time.Duration, times []stream.Time) (late int) {
	g := ours.NewBounded(bound)
	for _, at := range times {
		if at <= g.Watermark() {
			late++
		}
		g.Event(at)
	}
	return late
}

// Test5_3: Backpressure is not idleness
func Test5_3(t *testing.T) {
	suite.Exercise(t, "5.3", func(t *testing.T) {
		suite.Sub(t, "the clock alone", workClock)
		suite.Sub(t, "a jam of ten minutes makes nobody idle (FLINK-35886)", jam)
	})
}

// workClock goes through the clock's rules, with a gap of 400 ms.
func workClock(t *testing.T) {
	c := watermarks.NewWorkClock(400 * time.Millisecond)
	var past []string
	advance := func(now, want stream.Time, says string) {
		t.Helper()
		got := c.Advance(now)
		past = append(past, fmt.Sprintf("Advance(%s) = %s", clock(now), clock(got)))
		suite.Equal(t, clock(want), clock(got), suite.Failure{Says: says, Input: "Advance(" + clock(now) + ")", Trace: past})
	}
	advance(10_000, 10_000, "it starts at the real clock's first time")
	advance(10_200, 10_200, "a probe in time counts in full")
	advance(10_600, 10_600, "just the gap counts in full")
	advance(70_600, 11_000, "of a minute in a jam, only the gap counts")
	advance(70_800, 11_200, "after the jam it goes on as usual")
	advance(5_000, 11_200, "the real clock was set back: this one stands still, and never falls")
	advance(5_100, 11_300, "it goes on from where it was")
	advance(9_000_000, 11_700, "the real clock was set forward: that is a jam like any other")
}

// jam: both partitions are busy, and the source is held up for ten minutes. What waited behind the jam
// is then read one partition after the other. Nobody was idle, so nothing of it may be late.
func jam(t *testing.T) {
	work := watermarks.NewWorkClock(400 * time.Millisecond)
	s := ours.NewSplits(time.Second, ours.WithIdleness(30*time.Second))
	s.Add(0)
	s.Add(1)
	now, mark := stream.Time(0), stream.NoTime
	probe := func() { mark = max(mark, s.Emit(work.Advance(now)).Watermark) }
	for ; now < 60_000; now += 200 {
		s.Event(0, now)
		s.Event(1, now)
		probe()
	}
	probe() // nothing was read since the last probe: partition 1's clock starts
	now += 600_000
	for at := stream.Time(60_000); at < now; at += 10_000 {
		s.Event(0, at) // the backlog of partition 0
	}
	probe()
	if mark >= 60_000 {
		suite.Wrong(t, suite.Failure{
			Says:  "the first probe after the jam took partition 1 for idle: the backlog that waits on it, from 60s on, is late now",
			Input: "ten minutes of backpressure, then partition 0's backlog", State: channels(s), Watermark: clock(mark), Want: "a watermark below 60s",
		})
	}
}
