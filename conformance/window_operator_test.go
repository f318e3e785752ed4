package conformance

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gatewaymeter/engine"
	"gatewaymeter/harness"
	windows "gatewaymeter/labs/04-windows/solution"
	"gatewaymeter/stream"
)

type windowCase struct {
	ID         string         `json:"id"`
	Assigner   assignerSpec   `json:"assigner"`
	Lateness   int64          `json:"allowed_lateness"`
	SideOutput bool           `json:"side_output"`
	Actions    []windowAction `json:"actions"`
}

type windowAction struct {
	Op    string `json:"op"`
	Key   string `json:"key"`
	Value int64  `json:"value"`
	TS    int64  `json:"ts"`
	windowSeen
}

// windowSeen is everything that is seen right after an action.
type windowSeen struct {
	Out     []windowRow `json:"out"`
	Late    []lateRow   `json:"late"`
	Dropped int64       `json:"dropped"`
	Entries int         `json:"entries"`
	Timers  int         `json:"timers"`
}

type windowRow struct {
	Key   string `json:"key"`
	Start int64  `json:"start"`
	End   int64  `json:"end"`
	Sum   int64  `json:"sum"`
	Count int64  `json:"count"`
	TS    int64  `json:"ts"`
	WM    int64  `json:"wm"`
}

type lateRow struct {
	Key   string `json:"key"`
	Value int64  `json:"value"`
	TS    int64  `json:"ts"`
}

// number is the element of the scripts.
type number struct {
	key   string
	value int64
}

// sumCount is their aggregate.
type sumCount struct{ Sum, Count int64 }

type summing struct{}

func (summing) Create() sumCount                { return sumCount{} }
func (summing) Add(acc *sumCount, in number)    { acc.Sum += in.value; acc.Count++ }
func (summing) Result(acc sumCount) sumCount    { return acc }
func (summing) Merge(acc *sumCount, o sumCount) { acc.Sum += o.Sum; acc.Count += o.Count }

var lateNumbers = stream.Tag[number]{Name: "late"}

func windowRowOf(c *stream.Context, w stream.Window, key string, r sumCount, out stream.Collector[windowRow]) {
	out.Collect(windowRow{key, int64(w.Start), int64(w.End), r.Sum, r.Count, 0, int64(c.Watermark)})
}

// windowScript runs one case.
type windowScript struct {
	c       windowCase
	parts   func(t *testing.T) engine.Parts
	h       *harness.Keyed[number, windowRow]
	dropped int64 // before the last restore, see TestWindowOperator
}

func (s *windowScript) open(t *testing.T, from ...harness.Option) {
	a, err := s.c.Assigner.build(t)
	require.NoError(t, err, s.c.ID)
	config := windows.Config[number, sumCount, sumCount, windowRow]{
		Assigner: a, Aggregate: summing{}, Codec: stream.JSON[sumCount](), Function: windowRowOf,
		Retention: windows.Allowed(time.Duration(s.c.Lateness) * time.Millisecond),
	}
	if s.c.SideOutput {
		config.Late = lateNumbers
	}
	s.h = harness.NewKeyed(t, s.parts(t), func(n number) string { return n.key }, windows.New(config), from...)
}

func (s *windowScript) run(t *testing.T, a windowAction) windowSeen {
	switch a.Op {
	case "element":
		s.h.ProcessElement(number{a.Key, a.Value}, stream.Time(a.TS))
	case "watermark":
		s.h.ProcessWatermark(stream.Time(a.TS))
	case "restore":
		snapshot := s.h.Snapshot()
		s.dropped = s.h.Counter(windows.CountDropped)
		s.h.Close()
		s.open(t, harness.From(snapshot))
	default:
		t.Fatalf("%s: unknown op %q", s.c.ID, a.Op)
	}
	return s.seen(a.Op == "watermark")
}

func (s *windowScript) seen(sorted bool) windowSeen {
	seen := windowSeen{
		Out: []windowRow{}, Late: []lateRow{}, Timers: s.h.EventTimers(),
		Dropped: s.h.Counter(windows.CountDropped) - s.dropped,
	}
	for _, r := range s.h.Outputs() {
		r.Value.TS = int64(r.Time)
		seen.Out = append(seen.Out, r.Value)
	}
	if sorted {
		slices.SortStableFunc(seen.Out, func(a, b windowRow) int {
			return cmp.Or(cmp.Compare(a.TS, b.TS), cmp.Compare(a.Key, b.Key))
		})
	}
	for _, r := range harness.SideOutputs(s.h, lateNumbers) {
		seen.Late = append(seen.Late, lateRow{r.Value.key, r.Value.value, int64(r.Time)})
	}
	s.h.Each(windows.StateName, func(_ string, v any) error {
		seen.Entries += len(v.([]stream.MapEntry))
		return nil
	})
	if s.c.Assigner.Type == "session" {
		// Flink keeps the set of a key's merged windows as one more entry; here it is the map's keys.
		seen.Entries += s.h.Entries(windows.StateName)
	}
	return seen
}

// TestWindowOperator: the window operator, action by action. The scripts count drops from the last
// restore on; here the counter is state, and survives.
func TestWindowOperator(t *testing.T) {
	t.Run("heap", func(t *testing.T) { windowOperator(t, parts) })
	t.Run("pebble", func(t *testing.T) { windowOperator(t, onPebble) })
}

func windowOperator(t *testing.T, parts func(t *testing.T) engine.Parts) {
	Each(t, "window_operator.jsonl", func(t *testing.T, line int, c windowCase) {
		s := &windowScript{c: c, parts: parts}
		s.open(t)
		for i, a := range c.Actions {
			if got := s.run(t, a); !equalSeen(a.windowSeen, got) {
				t.Fatalf("line %d, case %s: %+v, lateness %d, side output %v\n%sgot  %+v\nwant %+v",
					line, c.ID, c.Assigner, c.Lateness, c.SideOutput, script(c.Actions[:i+1]), got, a.windowSeen)
			}
		}
		s.h.Close()
	})
}

func equalSeen(want, got windowSeen) bool {
	return slices.Equal(want.Out, got.Out) && slices.Equal(want.Late, got.Late) &&
		want.Dropped == got.Dropped && want.Entries == got.Entries && want.Timers == got.Timers
}

// script is the actions, one a line.
func script(actions []windowAction) string {
	var b strings.Builder
	for i, a := range actions {
		fmt.Fprintf(&b, "  %2d %s", i+1, a.Op)
		switch a.Op {
		case "element":
			fmt.Fprintf(&b, " %s %d @%v", a.Key, a.Value, stream.Time(a.TS))
		case "watermark":
			fmt.Fprintf(&b, " %v", stream.Time(a.TS))
		}
		b.WriteByte('\n')
	}
	return b.String()
}
