package conformance

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"gatewaymeter/harness"
	"gatewaymeter/stream"
)

type timersCase struct {
	ID      string         `json:"id"`
	Rules   []timerRule    `json:"rules"`
	Actions []timersAction `json:"actions"`
}

// timerRule says what a timer call does to other timers.
type timerRule struct {
	Domain string `json:"domain"`
	Mod    int64  `json:"mod"`
	Rem    int64  `json:"rem"`
	Lo     int64  `json:"lo"`
	Hi     int64  `json:"hi"`
	Do     string `json:"do"`
	Delta  int64  `json:"delta"`
}

type timersAction struct {
	Op             string         `json:"op"`
	Key            string         `json:"key"`
	TS             *int64         `json:"ts"`
	Cmds           []timerCommand `json:"cmds"`
	ProcessingTime int64          `json:"processing_time"` // of a restore: the clock after it
	timersSeen
}

type timersSeen struct {
	Out         []timerRow `json:"out"`
	EventTimers int        `json:"event_timers"`
	ProcTimers  int        `json:"proc_timers"`
}

func (a timersAction) String() string {
	return fmt.Sprintf("%s key=%s ts=%s %v", a.Op, a.Key, maybe(a.TS), a.Cmds)
}

// timerRow is what the function emits; the pointers are null where there is no such time.
type timerRow struct {
	Source string `json:"source"`
	Key    string `json:"key"`
	TS     *int64 `json:"ts"`
	WM     int64  `json:"wm"`
	Proc   int64  `json:"proc"`
	OutTS  *int64 `json:"out_ts"`
}

func (r timerRow) String() string {
	return fmt.Sprintf("{%s %s ts=%s wm=%d proc=%d out_ts=%s}", r.Source, r.Key, maybe(r.TS), r.WM, r.Proc, maybe(r.OutTS))
}

func maybe(n *int64) string {
	if n == nil {
		return "null"
	}
	return fmt.Sprint(*n)
}

func timeOrNull(t stream.Time) *int64 {
	if t == stream.NoTime {
		return nil
	}
	n := int64(t)
	return &n
}

// timerCommand is [do, time].
type timerCommand struct {
	do string
	at stream.Time
}

func (c *timerCommand) UnmarshalJSON(b []byte) error {
	return tuple(b, &c.do, &c.at)
}

// tuple reads an array of just as many values as there are fields.
func tuple(b []byte, fields ...any) error {
	var values []json.RawMessage
	if err := decode(b, &values); err != nil {
		return err
	}
	if len(values) != len(fields) {
		return fmt.Errorf("%s has %d values, not %d", b, len(values), len(fields))
	}
	for i, v := range values {
		if err := decode(v, fields[i]); err != nil {
			return err
		}
	}
	return nil
}

// timersFunction is the function of the scripts. Its elements are actions.
type timersFunction struct{ rules []timerRule }

func (f *timersFunction) Open(*stream.Context) error { return nil }

func (f *timersFunction) ProcessElement(c *stream.Context, a timersAction, out stream.Collector[timerRow]) error {
	f.row(c, "element", timeOrNull(c.Time), out)
	for _, cmd := range a.Cmds {
		if err := command(c, cmd.do, cmd.at); err != nil {
			return err
		}
	}
	return nil
}

func (f *timersFunction) OnTimer(c *stream.Context, t stream.Timer, out stream.Collector[timerRow]) error {
	domain, at := t.Domain.String(), int64(t.At)
	f.row(c, domain, &at, out)
	for _, r := range f.rules {
		if r.Domain != domain || at < r.Lo || at > r.Hi || (at%r.Mod+r.Mod)%r.Mod != r.Rem {
			continue
		}
		if err := command(c, r.Do, stream.Time(at+r.Delta)); err != nil {
			return err
		}
	}
	return nil
}

func (f *timersFunction) row(c *stream.Context, source string, at *int64, out stream.Collector[timerRow]) {
	out.Collect(timerRow{source, c.Key(), at, int64(c.Watermark), int64(c.Clock.Now()), nil})
}

func command(c *stream.Context, do string, at stream.Time) error {
	switch do {
	case "reg_event":
		c.RegisterEventTimer(at)
	case "del_event":
		c.DeleteEventTimer(at)
	case "reg_proc":
		c.RegisterProcessingTimer(at)
	case "del_proc":
		c.DeleteProcessingTimer(at)
	default:
		return fmt.Errorf("unknown command %q", do)
	}
	return nil
}

// TestTimers: both time domains, registering and deleting from elements and from timers, restores.
func TestTimers(t *testing.T) {
	Each(t, "timers.jsonl", func(t *testing.T, line int, c timersCase) {
		open := func(from ...harness.Option) *harness.Keyed[timersAction, timerRow] {
			return harness.NewKeyed(t, parts(t), func(a timersAction) string { return a.Key }, &timersFunction{c.Rules}, from...)
		}
		h := open()
		for i, a := range c.Actions {
			switch a.Op {
			case "element":
				at := stream.NoTime
				if a.TS != nil {
					at = stream.Time(*a.TS)
				}
				h.ProcessElement(a, at)
			case "watermark":
				h.ProcessWatermark(stream.Time(*a.TS))
			case "processing_time":
				h.SetProcessingTime(stream.Time(*a.TS))
			case "restore":
				snapshot := h.Snapshot()
				h.Close()
				h = open(harness.From(snapshot))
			default:
				require.Failf(t, "unknown op", "%s: %q", c.ID, a.Op)
			}
			fired := rows(h)
			got := timersSeen{Out: byKey(fired), EventTimers: h.EventTimers(), ProcTimers: h.ProcessingTimers()}
			a.Out = byKey(a.Out)
			if !reflect.DeepEqual(a.timersSeen, got) || !inTime(fired) {
				t.Fatalf("line %d, case %s, rules %+v\n%sgot  %+v\nwant %+v", line, c.ID, c.Rules, steps(c.Actions[:i+1]), got, a.timersSeen)
			}
		}
	})
}

// rows is what was emitted, each with the timestamp of its record.
func rows(h *harness.Keyed[timersAction, timerRow]) []timerRow {
	out := []timerRow{}
	for _, r := range h.Outputs() {
		r.Value.OutTS = timeOrNull(r.Time)
		out = append(out, r.Value)
	}
	return out
}

// byKey is the rows of one pass in the one order that does not hang on a heap's layout: each key's rows
// as they fired, and of the keys' next rows the earliest first, of equal ones the least key's. Flink
// promises no order between keys at equal timestamps; and a timer call may register an earlier timer,
// which fires at once, so that rows of equal timestamps need not stand side by side.
func byKey(rows []timerRow) []timerRow {
	waiting := map[string][]timerRow{}
	for _, r := range rows {
		waiting[r.Key] = append(waiting[r.Key], r)
	}
	keys := slices.Sorted(maps.Keys(waiting))
	ordered := []timerRow{}
	for range rows {
		next := slices.MinFunc(keys, func(a, b string) int { return cmp.Compare(head(waiting[a]), head(waiting[b])) })
		ordered = append(ordered, waiting[next][0])
		if waiting[next] = waiting[next][1:]; len(waiting[next]) == 0 {
			keys = slices.DeleteFunc(keys, func(k string) bool { return k == next })
		}
	}
	return ordered
}

// head is the time of the first row; an element's may have none, and is the only one of its pass.
func head(rows []timerRow) int64 {
	if rows[0].TS == nil {
		return int64(stream.NoTime)
	}
	return *rows[0].TS
}

// inTime reports whether no row came while another key had an earlier one to give.
func inTime(rows []timerRow) bool {
	for i := range rows {
		next := map[string]bool{rows[i].Key: true}
		for j := i + 1; j < len(rows); j++ {
			if !next[rows[j].Key] && head(rows[j:]) < head(rows[i:]) {
				return false
			}
			next[rows[j].Key] = true
		}
	}
	return true
}

// Between keys only the timestamps decide: a key's own rows, and the earliest key first, are checked.
func TestOrderBetweenKeys(t *testing.T) {
	row := func(key string, at int64) timerRow { return timerRow{Key: key, TS: &at} }
	// Both timers at 3 register one at 1, which fires at once: both orders are Flink's
	// (InternalTimerServiceImpl polls a heap that orders by timestamp alone).
	want := []timerRow{row("c", 3), row("c", 1), row("d", 3), row("d", 1)}
	for _, fired := range [][]timerRow{want, {row("d", 3), row("d", 1), row("c", 3), row("c", 1)}} {
		require.Equal(t, want, byKey(fired))
		require.True(t, inTime(fired))
	}
	require.False(t, inTime([]timerRow{row("d", 4), row("c", 3)}))
	require.False(t, inTime([]timerRow{row("c", 3), row("d", 3), row("d", 1), row("c", 1), row("a", 0)}))
	require.NotEqual(t, want, byKey([]timerRow{row("c", 1), row("c", 3), row("d", 3), row("d", 1)}))
}
