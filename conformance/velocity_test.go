package conformance

import (
	"cmp"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"gatewaymeter/gateway"
	"gatewaymeter/harness"
	timers "gatewaymeter/labs/06-timers/solution"
	"gatewaymeter/stream"
)

type velocityCase struct {
	ID      string           `json:"id"`
	Actions []velocityAction `json:"actions"`
}

type velocityAction struct {
	Op   string `json:"op"`
	Card string `json:"card"`
	TS   int64  `json:"ts"`
	velocitySeen
}

func (a velocityAction) String() string { return fmt.Sprintf("%s %s @%d", a.Op, a.Card, a.TS) }

type velocitySeen struct {
	Out       []alertRow  `json:"out"`
	Keys      int         `json:"keys"`
	Buckets   int         `json:"buckets"`
	Timers    int         `json:"timers"`
	PerMinute []minuteRow `json:"per_minute"` // after watermarks, and at the end
}

// equal takes a list that is absent for an empty one.
func (want velocitySeen) equal(got velocitySeen) bool {
	return slices.Equal(want.Out, got.Out) && want.Keys == got.Keys && want.Buckets == got.Buckets &&
		want.Timers == got.Timers && slices.Equal(want.PerMinute, got.PerMinute)
}

type alertRow struct {
	Card   string `json:"card"`
	Minute int64  `json:"minute"`
	Total  int64  `json:"total"`
	TS     int64  `json:"ts"`
}

// minuteRow is [card, minute, count].
type minuteRow struct {
	Card   string
	Minute stream.Time
	Count  int64
}

func (r *minuteRow) UnmarshalJSON(b []byte) error {
	return tuple(b, &r.Card, &r.Minute, &r.Count)
}

// TestVelocity: VelocityCheck, with what it remembers.
func TestVelocity(t *testing.T) {
	Each(t, "velocity.jsonl", func(t *testing.T, line int, c velocityCase) {
		open := func(from ...harness.Option) *harness.Keyed[gateway.Transaction, gateway.Alert] {
			return harness.NewKeyed(t, parts(t), func(t gateway.Transaction) string { return t.Card }, timers.NewVelocityCheck(), from...)
		}
		h := open()
		for i, a := range c.Actions {
			switch a.Op {
			case "element":
				h.ProcessElement(gateway.Transaction{Card: a.Card, TS: a.TS}, stream.Time(a.TS))
			case "watermark":
				h.ProcessWatermark(stream.Time(a.TS))
			case "restore":
				snapshot := h.Snapshot()
				h.Close()
				h = open(harness.From(snapshot))
			default:
				require.Failf(t, "unknown op", "%s: %q", c.ID, a.Op)
			}
			got := velocityNow(h, a.Op == "watermark" || a.PerMinute != nil)
			if !a.equal(got) {
				t.Fatalf("line %d, case %s\n%sgot  %+v\nwant %+v", line, c.ID, steps(c.Actions[:i+1]), got, a.velocitySeen)
			}
		}
	})
}

func velocityNow(h *harness.Keyed[gateway.Transaction, gateway.Alert], minutes bool) velocitySeen {
	seen := velocitySeen{Keys: h.Entries("minutes"), Timers: h.EventTimers()}
	for _, r := range h.Outputs() {
		seen.Out = append(seen.Out, alertRow{r.Value.Card, r.Value.Minute, r.Value.Total, int64(r.Time)})
	}
	h.Each("minutes", func(card string, v any) error {
		for _, e := range v.([]stream.MapEntry) {
			seen.Buckets++
			if minutes {
				minute, err := stream.Times.Decode(e.Key)
				if err != nil {
					return err
				}
				seen.PerMinute = append(seen.PerMinute, minuteRow{card, minute, *e.Value.(*int64)})
			}
		}
		return nil
	})
	slices.SortFunc(seen.PerMinute, func(a, b minuteRow) int {
		return cmp.Or(cmp.Compare(a.Card, b.Card), cmp.Compare(a.Minute, b.Minute))
	})
	return seen
}
