package trace_test

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"gatewaymeter/stream"
	"gatewaymeter/stream/trace"
)

type request struct {
	Tenant string
	Tokens int64 `json:"tokens"`
}

type closed struct{ n int }

// every is a step of each kind, with what can be odd about one.
var every = []stream.Step{
	{UID: "source", Kind: stream.ElementIn, Input: 2, Entry: int64(17), Value: request{"acme & co", 5}, At: 1000},
	{UID: "op", Subtask: 1, Kind: stream.ControlIn, Input: 1, Name: "watermark", At: stream.MaxTime},
	{UID: "op", Kind: stream.ControlIn, Name: "barrier", Value: int64(5), At: stream.NoTime},
	{UID: "op", Kind: stream.StateSet, Key: "r-1", Name: "windows", Entry: stream.Window{Start: 0, End: 60_000}, Value: "<ab"},
	{UID: "op", Kind: stream.StateCleared, Key: "r-1", Name: "open"},
	{UID: "op", Kind: stream.TimerSet, Key: "r-1", At: stream.NoTime},
	{UID: "op", Kind: stream.TimerDeleted, Key: "r-1", At: 0},
	{UID: "op", Kind: stream.TimerFired, Key: "r-1", At: -5, Window: stream.Window{Start: -10, End: 0}},
	{UID: "op", Kind: stream.Emitted, Key: "r-1", Name: "late", Value: closed{3}, At: 7},
	{UID: "op", Kind: stream.Dropped, Key: "r-1", Name: "unmatched", Value: 4},
	{UID: "op", Kind: stream.Forwarded, Name: "idle", At: stream.NoTime},
	{UID: "op", Kind: stream.Snapshotted, Name: "barrier", Value: int64(5)},
	{UID: "op", Kind: stream.Committed, Value: int64(5)},
	{UID: "source", Kind: stream.ChannelSeen, Input: 0, Name: "idle", At: stream.NoTime},
}

// TestGolden holds the JSON against the file that a reader of the format would be written from.
func TestGolden(t *testing.T) {
	var got bytes.Buffer
	require.NoError(t, trace.Write(&got, trace.Trace{Steps: every, Missing: 3, Key: "r-1"}))
	want, err := os.ReadFile("testdata/every.jsonl")
	require.NoError(t, err)
	require.Equal(t, string(want), got.String())
}

func TestRoundTrip(t *testing.T) {
	var first, second bytes.Buffer
	require.NoError(t, trace.Write(&first, trace.Trace{Steps: every, Missing: 3, Key: "r-1"}))
	back, err := trace.Read(bytes.NewReader(first.Bytes()))
	require.NoError(t, err)
	require.Len(t, back.Steps, len(every))
	for i, s := range back.Steps {
		require.Equal(t, every[i].String(), s.String(), "step %d prints as it did", i)
	}
	require.NoError(t, trace.Write(&second, back))
	require.Equal(t, first.String(), second.String())
}

func TestReadRefuses(t *testing.T) {
	for text, why := range map[string]string{
		"":                                "there is none",
		"{}\n":                            "not the head of a trace",
		`{"trace":2,"steps":0}` + "\n":    "not the head of a trace of version 1",
		`{"trace":1,"steps":2}` + "\n":    "the trace was cut",
		`{"trace":1,"steps":1}` + "\n[\n": "line 2",
		`{"trace":1,"steps":1}` + "\n" + `{"kind":"jump"}` + "\n": `line 2: "jump" is no kind of step`,
	} {
		_, err := trace.Read(strings.NewReader(text))
		require.ErrorContains(t, err, why, "%q", text)
	}
}

func TestRecorderIsBoundedAndFiltered(t *testing.T) {
	r := trace.NewRecorder(trace.Options{Max: 3, Key: "a"})
	for n := range 10 {
		r.Record(stream.Step{Kind: stream.StateSet, Key: []string{"a", "b"}[n%2], Value: n})
	}
	r.Record(stream.Step{Kind: stream.ControlIn, Name: "end"})
	got := r.Trace()
	require.Equal(t, 3, got.Missing, "five of key a, and the end, which concerns every key")
	require.Equal(t, []int{7, 9, 11}, got.Numbers)
	require.Equal(t, []string{"6", "8", "end"}, []string{fmt.Sprint(got.Steps[0].Value), fmt.Sprint(got.Steps[1].Value), got.Steps[2].Name})
}

func TestRecorderTakesManyTasks(t *testing.T) {
	r := trace.NewRecorder(trace.Options{})
	var tasks sync.WaitGroup
	for range 4 {
		tasks.Go(func() {
			for range 1000 {
				r.Record(stream.Step{Kind: stream.Emitted})
			}
		})
	}
	tasks.Wait()
	got := r.Trace()
	require.Len(t, got.Steps, trace.DefaultMax)
	require.Equal(t, 4000-trace.DefaultMax, got.Missing)
	require.Equal(t, 4000, got.Numbers[trace.DefaultMax-1])
}

func TestLinesAreOfOneKey(t *testing.T) {
	require.Empty(t, trace.Lines(every[:1], "r-1"), "an element of a stream without keys is nobody's")
	lines := trace.Lines(every[3:6], "r-2")
	require.Empty(t, lines)
	lines = trace.Lines(every[1:5], "r-1")
	require.Equal(t, []string{
		"op/1 control 1 watermark @end",
		"op/0 control 0 barrier 5",
		`op/0 set key="r-1" windows[[t=0s, t=1m0s)] <ab`,
		`op/0 clear key="r-1" open`,
	}, lines)
}
