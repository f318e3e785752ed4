package windows_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gatewaymeter/engine"
	"gatewaymeter/gateway"
	"gatewaymeter/harness"
	keying "gatewaymeter/labs/02-keying/solution"
	operators "gatewaymeter/labs/03-stateful-operators/solution"
	windows "gatewaymeter/labs/04-windows/solution"
	timers "gatewaymeter/labs/06-timers/solution"
	"gatewaymeter/stream"
)

func parts(t testing.TB) engine.Parts {
	groups, err := keying.NewGroups(128)
	require.NoError(t, err)
	return engine.Parts{
		Groups: groups, Hash: keying.HashString,
		Backend:  func(s engine.Subtask) (stream.Backend, error) { return operators.NewHeap(s.First, s.Last), nil },
		Operator: operators.NewOperatorStore, Redistribute: operators.Redistribute,
		Timers: timers.NewService,
	}
}

// counting is an aggregate of numbers: their sum.
type counting struct{}

func (counting) Create() int64             { return 0 }
func (counting) Add(acc *int64, in int64)  { *acc += in }
func (counting) Result(acc int64) int64    { return acc }
func (counting) Merge(acc *int64, o int64) { *acc += o }

type windowSum struct {
	Window stream.Window
	Sum    int64
}

func newSums(t *testing.T, a windows.Assigner, lateness time.Duration) *harness.Keyed[int64, windowSum] {
	t.Helper()
	op := windows.New(windows.Config[int64, int64, int64, windowSum]{
		Assigner: a, Aggregate: counting{}, Codec: stream.Int64, Retention: windows.Allowed(lateness),
		Late: stream.Tag[int64]{Name: "late"},
		Function: func(_ *stream.Context, w stream.Window, _ string, sum int64, out stream.Collector[windowSum]) {
			out.Collect(windowSum{w, sum})
		},
	})
	return harness.NewKeyed(t, parts(t), func(int64) string { return "the one key" }, op)
}

func tumbling(t *testing.T, size time.Duration) windows.Assigner {
	t.Helper()
	a, err := windows.NewTumbling(size, 0)
	require.NoError(t, err)
	return a
}

// A key may have any number of windows in flight: an access must cost the same with a million of them.
func TestAMillionWindowsForOneKey(t *testing.T) {
	const n = 1_000_000
	h := newSums(t, tumbling(t, 10*time.Millisecond), 0)
	for i := range stream.Time(n) {
		h.ProcessElement(int64(i), 10*i)
	}
	require.Equal(t, n, h.EventTimers())
	h.ProcessElement(7, 0) // the oldest window is found at once
	h.ProcessWatermark(10*n/2 - 1)
	require.Equal(t, n/2, h.EventTimers())
	h.ProcessWatermark(stream.MaxTime)
	out := h.Outputs()
	require.Len(t, out, n)
	require.Equal(t, int64(7), out[0].Value.Sum)
	for i, r := range out[1:] {
		if at := stream.Time(10*(i+1) + 9); r.Time != at || r.Value.Sum != int64(i+1) {
			t.Fatalf("window %d: got %v @%v, want the sum %d @%v", i+1, r.Value, r.Time, i+1, at)
		}
	}
	require.Zero(t, h.Entries(windows.StateName))
	require.Zero(t, h.EventTimers())
}

// At both ends of int64 a record is in a window, or late; never in none, and never twice.
func TestTimestampsAtTheEndsOfInt64(t *testing.T) {
	for _, at := range []stream.Time{
		math.MinInt64 + 1, math.MinInt64 + 7, math.MinInt64 + 60_001, -1, 0, 1,
		math.MaxInt64 - 60_001, math.MaxInt64 - 7, math.MaxInt64 - 1, math.MaxInt64,
	} {
		for _, lateness := range []time.Duration{0, time.Hour} {
			for _, watermark := range []stream.Time{stream.NoTime, 0} {
				h := newSums(t, tumbling(t, time.Minute), lateness)
				if watermark != stream.NoTime {
					h.ProcessWatermark(watermark)
				}
				h.ProcessElement(1, at)
				h.ProcessWatermark(stream.MaxTime)
				fired, late := len(h.Outputs()), int(h.Counter(windows.CountLate))
				require.Equal(t, 1, fired+late, "an element @%d, lateness %v, watermark %v: %d firings, %d late", int64(at), lateness, watermark, fired, late)
			}
		}
	}
}

func TestAnElementWithoutATimestampFailsTheJob(t *testing.T) {
	h := harness.NewKeyed(t, parts(t), func(r gateway.RequestRecord) string { return r.TenantID },
		windows.NewMinuteInvoice(gateway.ListPrices(), 0), harness.AllowFailure())
	h.ProcessElement(gateway.RequestRecord{TenantID: "t-1", Model: "model-a"}, stream.NoTime)
	require.ErrorContains(t, h.Err(), "tumbling windows of 1m0s")
	require.ErrorContains(t, h.Err(), "no timestamp")
}

func TestUnpricedIsNeitherBilledNorLate(t *testing.T) {
	h := harness.NewKeyed(t, parts(t), func(r gateway.RequestRecord) string { return r.TenantID },
		windows.NewMinuteInvoice(gateway.ListPrices(), time.Second))
	unknown := gateway.RequestRecord{TenantID: "t-1", Model: "model-z", PromptTokens: 5}
	known := gateway.RequestRecord{TenantID: "t-1", Model: "model-b", PromptTokens: 2}
	h.ProcessElement(unknown, 1)
	h.ProcessElement(known, 2)
	h.ProcessWatermark(120_000)
	h.ProcessElement(unknown, 3) // late as well: it cannot be billed in any case
	h.ProcessElement(known, 4)
	require.Equal(t, []gateway.TenantWindow{{TenantID: "t-1", End: 60_000, Requests: 1, Sum: 1000}}, h.Values())
	require.Len(t, harness.SideOutputs(h, windows.Unpriced), 2)
	require.Equal(t, []stream.Record[gateway.RequestRecord]{{Value: known, Time: 4}}, harness.SideOutputs(h, windows.Late))
	require.Equal(t, []int64{2, 1, 1000, 0}, []int64{
		h.Counter(windows.CountUnpriced), h.Counter(windows.CountLate), h.Counter(windows.CountLateNano), h.Counter(windows.CountDropped),
	})
}

func TestBillsSurviveTheirCodec(t *testing.T) {
	for _, b := range []windows.Bill{{}, {Requests: 1, Sum: -5}, {Requests: math.MaxInt64, Sum: math.MaxInt64}} {
		bytes := windows.Bills.Append(nil, b)
		got, err := windows.Bills.Decode(bytes)
		require.NoError(t, err)
		require.Equal(t, b, got)
		_, err = windows.Bills.Decode(append(bytes, 0))
		require.ErrorIs(t, err, stream.ErrCorrupt)
		_, err = windows.Bills.Decode(bytes[:1])
		require.ErrorIs(t, err, stream.ErrCorrupt)
	}
}

// The counter of open windows must agree with a walk of the state, whatever comes.
func TestOpenWindowsAreCounted(t *testing.T) {
	const seed = 1
	r := rand.New(rand.NewPCG(seed, 4))
	session, err := windows.NewSession(10 * time.Millisecond)
	require.NoError(t, err)
	sliding, err := windows.NewSliding(20*time.Millisecond, 7*time.Millisecond, 0)
	require.NoError(t, err)
	for _, a := range []windows.Assigner{session, sliding, tumbling(t, 10*time.Millisecond)} {
		h := newSums(t, a, 15*time.Millisecond)
		for mark := stream.Time(0); mark < 2000; mark += stream.Time(r.IntN(12)) {
			h.ProcessElement(1, mark+stream.Time(r.IntN(80)-40))
			if r.IntN(3) == 0 {
				h.ProcessWatermark(mark)
			}
			open := 0
			h.Each(windows.StateName, func(_ string, v any) error { open += len(v.([]stream.MapEntry)); return nil })
			require.EqualValues(t, open, h.Counter(windows.CountOpen), "%v, seed %d, at %v", a, seed, mark)
		}
		h.ProcessWatermark(stream.MaxTime)
		require.Zero(t, h.Counter(windows.CountOpen), "%v, seed %d", a, seed)
	}
}

// In the steady state a record of a window that is open allocates nothing.
func TestTheHotPathAllocatesNothing(t *testing.T) {
	m := newMinutes(t, 30*time.Second)
	i := 0
	for range 100 {
		m.process(t, i)
		i++
	}
	require.Zero(t, testing.AllocsPerRun(1000, func() { m.process(t, i); i++ }))
}

// minutes is the minute invoice on the heap, without a task around it: 50 tenants, one open minute.
type minutes struct {
	c    *stream.Context
	f    stream.KeyedFunction[gateway.RequestRecord, gateway.TenantWindow]
	keys []string
	r    gateway.RequestRecord
	out  discard
}

type discard struct{}

func (discard) Collect(gateway.TenantWindow) {}

func newMinutes(t testing.TB, lateness time.Duration) *minutes {
	m := &minutes{
		c: &stream.Context{Backend: operators.NewHeap(0, 127), Operator: operators.NewOperatorStore(), Watermark: stream.NoTime},
		f: windows.NewMinuteInvoice(gateway.ListPrices(), lateness),
		r: gateway.RequestRecord{Model: "model-a", PromptTokens: 10, CompletionTokens: 20},
	}
	service, err := timers.NewService(m.c, stream.EventTime)
	require.NoError(t, err)
	m.c.EventTimers = service
	require.NoError(t, m.f.Open(m.c))
	for i := range 50 {
		m.keys = append(m.keys, fmt.Sprintf("tenant-%d", i))
	}
	return m
}

func (m *minutes) process(t testing.TB, i int) {
	key := i % len(m.keys)
	m.c.SetKey(key, m.keys[key])
	m.c.Time = stream.Time(i % 60_000)
	m.r.TenantID = m.keys[key]
	if err := m.f.ProcessElement(m.c, m.r, m.out); err != nil {
		t.Fatal(err)
	}
}

// BenchmarkMinute is one record of the minute invoice, the key's look-up included: 90 ns on one core of
// the machine that the course was written on, without an allocation.
func BenchmarkMinute(b *testing.B) {
	m := newMinutes(b, 30*time.Second)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		m.process(b, i)
	}
}
