package lab06_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gatewaymeter/gateway"
	"gatewaymeter/harness"
	"gatewaymeter/internal/kit/suite"
	"gatewaymeter/internal/kit/timeline"
	timers "gatewaymeter/labs/06-timers/starter"
	"gatewaymeter/stream"
)

// Test6e: VelocityCheck (35 min)
func Test6e(t *testing.T) {
	suite.Exercise(t, "6e", func(t *testing.T) {
		timeline.Play(t, "testdata/velocity.txt", playVelocity)
		suite.Sub(t, "beside a list of all transactions", velocityBesideModel)
	})
}

type cards = harness.Keyed[gateway.Transaction, gateway.Alert]

func watch(t *testing.T, opts ...harness.Option) *cards {
	t.Helper()
	opts = append(opts, harness.Named("velocity-check"), harness.WithTrace())
	return harness.NewKeyed(t, parts(t), func(p gateway.Transaction) string { return p.Card }, timers.NewVelocityCheck(), opts...)
}

func playVelocity(t *testing.T, _ timeline.Step) func(timeline.Step) timeline.Outcome {
	h, mark := watch(t), stream.NoTime
	return func(s timeline.Step) timeline.Outcome {
		o := timeline.Outcome{Before: remembered(h), Watermark: clock(mark)}
		switch s.Verb {
		case "pay":
			at := s.At(t, "t")
			for range s.Number(t, "n") {
				h.ProcessElement(gateway.Transaction{Card: s.Arg("card"), TS: int64(at)}, at)
			}
		case "watermark":
			mark = s.At(t, "t")
			h.ProcessWatermark(mark)
		case "snapshot":
			snapshot := h.Snapshot()
			h.Close()
			h, mark = watch(t, harness.From(snapshot)), stream.NoTime
		default:
			s.Unknown(t)
		}
		var alerts []string
		for _, a := range h.Values() {
			alerts = append(alerts, fmt.Sprintf("%s %d in %s", a.Card, a.Total, clock(stream.Time(a.Minute))))
		}
		o.Got, o.Of = strings.TrimSpace(strings.Join(alerts, "; ")+" "+remembered(h)), h
		return o
	}
}

func remembered(h *cards) string {
	minutes := 0
	h.Each("minutes", func(_ string, v any) error {
		minutes += len(v.([]stream.MapEntry))
		return nil
	})
	return fmt.Sprintf("(%d cards, %d minutes, %d timers)", h.Entries("minutes"), minutes, h.EventTimers())
}

// velocityBesideModel keeps every transaction and counts anew at each. The watermark stays so far
// behind that no minute is forgotten that a later transaction would still count.
func velocityBesideModel(t *testing.T) {
	for seed := range uint64(5) {
		random := rand.New(rand.NewPCG(seed, 65))
		h := watch(t)
		var past []gateway.Transaction
		now := int64(0)
		for range 300 {
			now += random.Int64N(20_000)
			p := gateway.Transaction{Card: fmt.Sprintf("c-%d", random.IntN(2)), TS: now - random.Int64N(30_000)}
			past = append(past, p)
			h.ProcessElement(p, stream.Time(p.TS))
			want := "no alert"
			if total := counted(past, p); total > 5 {
				want = fmt.Sprintf("%s %d in %d", p.Card, total, floorMinute(p.TS))
			}
			got := "no alert"
			if alerts := h.Values(); len(alerts) > 0 {
				last := slices.MaxFunc(alerts, func(a, b gateway.Alert) int { return cmp.Compare(a.Total, b.Total) })
				got = fmt.Sprintf("%s %d in %d", last.Card, last.Total, last.Minute)
			}
			suite.Equal(t, want, got, suite.Failure{
				Says: "counting all transactions of the card gives something else", Input: fmt.Sprintf("seed %d, %s at %s", seed, p.Card, clock(stream.Time(p.TS))),
				State: remembered(h), Of: h, Key: p.Card,
			})
			h.ProcessWatermark(stream.Time(now - 40_000))
		}
		h.ProcessWatermark(stream.MaxTime)
		suite.Equal(t, "(0 cards, 0 minutes, 0 timers)", remembered(h), suite.Failure{Says: "at the end something is left", Input: fmt.Sprintf("seed %d", seed)})
	}
}

func floorMinute(ts int64) int64 { return ts - ((ts%60_000)+60_000)%60_000 }

func counted(past []gateway.Transaction, p gateway.Transaction) (total int64) {
	minute := floorMinute(p.TS)
	for _, q := range past {
		if m := floorMinute(q.TS); q.Card == p.Card && m <= minute && m >= minute-120_000 {
			total++
		}
	}
	return total
}
