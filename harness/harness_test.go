package harness_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gatewaymeter/engine"
	"gatewaymeter/gateway"
	"gatewaymeter/harness"
	keying "gatewaymeter/labs/02-keying/solution"
	operators "gatewaymeter/labs/03-stateful-operators/solution"
	watermarks "gatewaymeter/labs/05-watermarks/solution"
	timers "gatewaymeter/labs/06-timers/solution"
	checkpoints "gatewaymeter/labs/07-checkpoints/solution"
	"gatewaymeter/stream"
	"gatewaymeter/todo"
)

// parts is the engine under the operators of these tests.
func parts(t *testing.T) engine.Parts {
	t.Helper()
	groups, err := keying.NewGroups(16)
	require.NoError(t, err)
	return engine.Parts{
		Groups: groups, Hash: keying.HashString,
		Backend:  func(s engine.Subtask) (stream.Backend, error) { return operators.NewHeap(s.First, s.Last), nil },
		Operator: operators.NewOperatorStore, Redistribute: operators.Redistribute,
		Timers: timers.NewService, Valve: watermarks.NewValve, Aligner: checkpoints.NewAligner,
		Watermarks: func() stream.SplitWatermarks { return watermarks.NewSplits(time.Second) },
	}
}

func TestStateMovesToAnotherParallelism(t *testing.T) {
	open := func(opts ...harness.Option) *assembly {
		return harness.NewKeyed(t, parts(t), byRequest, timers.NewAssembler(), opts...)
	}
	h := open()
	for n := range 20 {
		h.ProcessElement(started(fmt.Sprint("r-", n), 0), 0)
	}
	snapshot := h.Snapshot()
	left, right := open(harness.From(snapshot), harness.At(0, 2)), open(harness.From(snapshot), harness.At(1, 2))
	require.Equal(t, 20, left.Entries("open")+right.Entries("open"))
	require.NotZero(t, left.Entries("open"))
	require.NotZero(t, right.Entries("open"))
	require.Equal(t, left.Entries("open"), left.EventTimers(), "a timer goes where its key goes")

	whole := open(harness.From(left.Snapshot(), right.Snapshot()))
	require.Equal(t, "20 entries, 20 timers", fmt.Sprintf("%d entries, %d timers", whole.Entries("open"), whole.EventTimers()))
	whole.ProcessWatermark(300_000)
	require.Len(t, whole.Values(), 20)
	require.Empty(t, whole.Values(), "outputs are taken once")
}

// unserialisable keeps what has no bytes.
type unserialisable struct {
	state stream.Value[callback]
}

type callback struct{ Call func() }

func (u *unserialisable) Open(c *stream.Context) error {
	u.state = stream.NewValue(c, "callback", stream.JSON[callback]())
	return nil
}

func (u *unserialisable) ProcessElement(_ *stream.Context, _ gateway.Event, _ stream.Collector[gateway.Event]) error {
	u.state.Update(callback{func() {}})
	return nil
}

// The heap keeps anything; a snapshot is where it shows that a job could not have restored it.
func TestWhatDoesNotSerialiseIsNamed(t *testing.T) {
	r := &told{}
	h := harness.NewKeyed(r, parts(t), byRequest, &unserialisable{})
	h.ProcessElement(started("r-1", 0), 0)
	require.False(t, r.ended)
	h.Snapshot()
	require.True(t, r.ended)
	require.Contains(t, r.text, `state "callback": a harness_test.callback does not serialise`)
}

// chatty fails on demand, and sets a state before.
type chatty struct{ seen stream.Value[int64] }

func (f *chatty) Open(c *stream.Context) error {
	f.seen = stream.NewValue(c, "seen", stream.Int64)
	return nil
}

func (f *chatty) ProcessElement(c *stream.Context, e string, out stream.Collector[string]) error {
	switch {
	case strings.HasSuffix(e, "fails"):
		return errors.New("it fails")
	case strings.HasSuffix(e, "panics"):
		panic("it panics")
	case strings.HasSuffix(e, "todo"):
		panic(todo.Exercise("9z"))
	}
	n, _ := f.seen.Get()
	f.seen.Update(n + 1)
	out.Collect(e)
	return nil
}

// told is a test that keeps what it is told.
type told struct {
	text  string
	ended bool
}

func (r *told) Helper()                           {}
func (r *told) Errorf(format string, args ...any) { r.text += fmt.Sprintf(format, args...) }
func (r *told) FailNow()                          { r.ended = true }

// A failure shows the last steps of the key that failed, and of no other.
func TestAFailureShowsTheTraceOfItsKey(t *testing.T) {
	r := &told{}
	key := func(e string) string { return e[:1] }
	h := harness.NewKeyed(r, parts(t), key, stream.KeyedFunction[string, string](&chatty{}), harness.WithTrace())
	for n := range 30 {
		h.ProcessElement(fmt.Sprintf("a%d", n), 1)
		h.ProcessElement(fmt.Sprintf("b%d", n), 1)
	}
	h.ProcessElement("a fails", 2)
	require.True(t, r.ended)
	lines := strings.Split(r.text, "\n")
	require.Contains(t, lines[0], "it fails")
	require.Len(t, lines[1:], 15)
	require.Contains(t, lines[15], `element key="a" @t=2ms a fails`)
	require.NotContains(t, r.text, `key="b"`)
	require.Len(t, h.KeyTrace("b"), 90)
}

func TestAFailureCanBeKept(t *testing.T) {
	h := harness.NewKeyed(t, parts(t), func(e string) string { return e }, stream.KeyedFunction[string, string](&chatty{}), harness.AllowFailure())
	h.ProcessElement("x fails", 1)
	require.ErrorContains(t, h.Err(), "it fails")
	require.Empty(t, h.Trace(), "nothing was asked for")
}

// The stack of a panic ends where the engine called the function: what lies below concerns nobody.
func TestAPanicShowsTheFunctionsFrames(t *testing.T) {
	h := harness.NewKeyed(t, parts(t), func(e string) string { return e }, stream.KeyedFunction[string, string](&chatty{}), harness.AllowFailure())
	h.ProcessElement("x panics", 1)
	require.ErrorContains(t, h.Err(), "panic: it panics\ngatewaymeter/harness_test.(*chatty).ProcessElement(")
	require.NotContains(t, h.Err().Error(), "gatewaymeter/engine.")
}

func TestASliceOfNothing(t *testing.T) {
	h := harness.NewKeyed(t, parts(t), func(e string) string { return e }, stream.KeyedFunction[string, string](&chatty{}))
	require.False(t, h.ProcessSlice(), "there was no watermark")
	require.False(t, h.ProcessWatermarkSlice(5))
	require.False(t, h.ProcessSlice(), "nothing is left of it")
	require.Empty(t, h.Outputs())
}

func TestAnUnwrittenExerciseReachesTheSuite(t *testing.T) {
	h := harness.NewKeyed(&told{}, parts(t), func(e string) string { return e }, stream.KeyedFunction[string, string](&chatty{}))
	require.PanicsWithError(t, "TODO 9z: not written yet", func() { h.ProcessElement("x todo", 1) })
}

// With inputs, a watermark goes through the valve, and a barrier through the aligner.
func TestInputsHaveAValveAndAnAligner(t *testing.T) {
	h := harness.NewKeyed(t, parts(t), byRequest, timers.NewAssembler(), harness.Inputs(2), harness.WithTrace())
	h.ProcessElementOn(1, started("r-1", 0), 0)
	h.ProcessControl(0, stream.Control{Kind: stream.Watermark, Time: 300_000})
	require.Empty(t, h.Values(), "the other input has not said anything")
	h.ProcessControl(1, stream.Control{Kind: stream.Watermark, Time: 400_000})
	require.Len(t, h.Values(), 1)

	h.ProcessControl(1, stream.Control{Kind: stream.Barrier, Checkpoint: 1})
	require.Equal(t, []bool{false, true}, h.Blocked())
	h.ProcessControl(0, stream.Control{Kind: stream.Barrier, Checkpoint: 1})
	require.NotContains(t, h.Blocked(), true)
	require.Equal(t, []string{
		"under-test/0 control 1 barrier 1", "under-test/0 control 0 barrier 1",
		"under-test/0 forward barrier 1", "under-test/0 snapshot barrier 1",
	}, h.KeyTrace("nobody")[len(h.KeyTrace("nobody"))-4:])
}

// letters is a source of three letters, a second apart, and its watermark.
type letters struct{ next int64 }

func (s *letters) Open(*stream.Context) error { return nil }
func (s *letters) Ready() <-chan struct{}     { return nil }

func (s *letters) Poll(_ *stream.Context, max int, out stream.SourceOutput[string]) (stream.Progress, error) {
	for range max {
		if s.next == 3 {
			out.Signal(stream.Signal{Watermark: stream.MaxTime})
			return stream.Ended, nil
		}
		out.Emit(string(rune('a'+s.next)), stream.Time(s.next*1000))
		s.next++
	}
	return stream.Reading, nil
}

func TestASourceIsPolled(t *testing.T) {
	h := harness.NewSource(t, parts(t), stream.Source[string](&letters{}), harness.WithTrace())
	require.Equal(t, stream.Reading, h.Poll(2))
	require.Equal(t, []string{"a", "b"}, h.Values())
	require.Equal(t, stream.Ended, h.Poll(2))
	require.Equal(t, []stream.Record[string]{{Value: "c", Time: 2000}}, h.Outputs())
	require.Equal(t, "under-test/0 forward end", h.Trace()[len(h.Trace())-1].String())
}

func TestSideOutputsAndCounters(t *testing.T) {
	h := harness.NewKeyed(t, parts(t), func(r gateway.RequestRecord) string { return r.TenantID }, operators.NewTenantCost(gateway.ListPrices()))
	h.ProcessElement(gateway.RequestRecord{TenantID: "acme", Model: "of-nobody"}, 5)
	require.Len(t, harness.SideOutputs(h, operators.Unpriced), 1)
	require.Empty(t, harness.SideOutputs(h, operators.Unpriced), "taken once")
	require.EqualValues(t, 1, h.Counter("unpriced"))
	require.Zero(t, h.Counter("of no one"))
}
