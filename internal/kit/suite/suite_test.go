package suite

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gatewaymeter/internal/kit/suite/internal/starter"
	"gatewaymeter/stream"
	"gatewaymeter/todo"
)

// sampleEnv lets a test body below run: each is a small suite that is to fail, run in a process of
// its own by runSample.
const sampleEnv = "SUITE_SAMPLE"

func sample(t *testing.T, body func(t *testing.T)) {
	if os.Getenv(sampleEnv) == "" {
		t.Skip("runs only as a child of another test")
	}
	Exercise(t, "9a", body)
}

func TestSampleTodo(t *testing.T) {
	sample(t, func(t *testing.T) { starter.Unwritten() })
}

func TestSampleTodoInSubs(t *testing.T) {
	sample(t, func(t *testing.T) {
		Sub(t, "one", func(t *testing.T) { starter.Unwritten() })
		Sub(t, "two", func(t *testing.T) { starter.Unwritten() })
	})
}

func TestSampleTodoInError(t *testing.T) {
	sample(t, func(t *testing.T) {
		NoError(t, fmt.Errorf("task assemble: %w", todo.Exercise("9a")), "the run ends")
	})
}

func TestSampleWaits(t *testing.T) {
	sample(t, func(t *testing.T) { starter.Other() })
}

func TestSampleNeeds(t *testing.T) {
	sample(t, func(t *testing.T) {
		Needs(t, "9b", func() { starter.Other() })
		t.Error("must not be reached")
	})
}

func TestSampleNil(t *testing.T) {
	sample(t, func(t *testing.T) {
		Sub(t, "deref", func(t *testing.T) { starter.Nil(nil) })
	})
}

func TestSampleTodoAndWrong(t *testing.T) {
	sample(t, func(t *testing.T) {
		Sub(t, "one", func(t *testing.T) { starter.Unwritten() })
		Sub(t, "two", func(t *testing.T) { Equal(t, 3, 4, Failure{Says: "two and one make three"}) })
	})
}

func TestSampleHarness(t *testing.T) {
	sample(t, func(t *testing.T) { Harness(t, errors.New("no broker")) })
}

func TestSampleRequire(t *testing.T) {
	sample(t, func(t *testing.T) { require.Equal(t, 1, 2) })
}

func TestSampleDeep(t *testing.T) {
	sample(t, func(t *testing.T) { require.Zero(t, starter.Deep(0)) })
}

// runSample runs one of the samples above and returns its output and verdicts. All must fail.
func runSample(t *testing.T, name string) (string, []Verdict) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "verdicts")
	cmd := exec.Command(os.Args[0], "-test.run=^"+name+"$", "-test.paniconexit0")
	cmd.Env = append(os.Environ(), sampleEnv+"=1", VerdictsEnv+"="+path)
	out, err := cmd.CombinedOutput()
	require.Error(t, err, "%s must fail:\n%s", name, out)
	var verdicts []Verdict
	text, err := os.ReadFile(path)
	if !os.IsNotExist(err) {
		require.NoError(t, err)
	}
	for line := range strings.Lines(string(text)) {
		var v Verdict
		require.NoError(t, json.Unmarshal([]byte(line), &v))
		verdicts = append(verdicts, v)
	}
	return string(out), verdicts
}

func TestVerdicts(t *testing.T) {
	const place = "internal/kit/suite/internal/starter/starter.go"
	for _, c := range []struct{ sample, outcome, message string }{
		{"TestSampleTodo", OutcomeTodo, "TODO 9a: not written yet; write it in " + place + ":8 (Unwritten)"},
		{"TestSampleTodoInSubs", OutcomeTodo, "TODO 9a: not written yet; write it in " + place + ":8 (Unwritten)"},
		{"TestSampleTodoInError", OutcomeTodo, "TODO 9a: not written yet; write it in its starter"},
		{"TestSampleWaits", OutcomeTodo, "TODO 9a waits for 9b: write 9b first, in " + place + ":13 (Other)"},
		{"TestSampleNeeds", OutcomeTodo, "TODO 9a waits for 9b: write 9b first, in its starter"},
		{"TestSampleNil", OutcomeWrong, "WRONG 9a: panic: runtime error: invalid memory address or nil pointer dereference\n  at " + place + ":18 (Nil)"},
		{"TestSampleHarness", OutcomeHarness, "HARNESS 9a: the kit failed, not your code: no broker"},
		{"TestSampleRequire", OutcomeWrong, "WRONG 9a: see the failed check above"},
	} {
		t.Run(c.sample, func(t *testing.T) {
			out, verdicts := runSample(t, c.sample)
			require.Len(t, verdicts, 1, "%s", out)
			require.Equal(t, c.outcome, verdicts[0].Outcome)
			require.Equal(t, c.message, verdicts[0].Message)
			require.Equal(t, 1, strings.Count(out, c.outcome+" 9a"), "one line says so:\n%s", out)
			require.NotContains(t, out, "must not be reached")
		})
	}
}

func TestSubsGoOnAfterTodo(t *testing.T) {
	_, verdicts := runSample(t, "TestSampleTodoAndWrong")
	require.Len(t, verdicts, 2)
	require.Equal(t, OutcomeWrong, verdicts[0].Outcome)
	require.Contains(t, verdicts[0].Message, "two and one make three")
	require.Equal(t, OutcomeTodo, verdicts[1].Outcome)
}

// An endless recursion kills the process, which package run handles; it has to do so at once.
func TestEndlessRecursionEndsEarly(t *testing.T) {
	out, _ := runSample(t, "TestSampleDeep")
	require.Contains(t, out, "goroutine stack exceeds 67108864-byte limit")
}

func TestFailureTextIsInOrderAndBounded(t *testing.T) {
	trace := make([]string, 40)
	for i := range trace {
		trace[i] = fmt.Sprintf("step %d", i)
	}
	text := Failure{
		Says: "the second read is empty", Input: "Completed r-1 at 5s", State: "open: 1 entry",
		Watermark: "4s", Got: strings.Repeat("x", 5000), Want: strings.Repeat("line\n", 99), Trace: trace,
	}.text("3d", "03-stateful-operators")
	last := -1
	for _, part := range []string{
		"WRONG 3d: the second read is empty", "input      Completed", "state      open", "watermark  4s", "got ",
		"want ", "trace      … 25 earlier steps", "step 39", "rerun      go tool lab test 03 --run '^3d$'",
		"look       docs/03-stateful-operators.md, exercise 3d",
	} {
		at := strings.Index(text, part)
		require.Greater(t, at, last, "%q is missing or out of order in\n%s", part, text)
		last = at
	}
	require.NotContains(t, text, "step 24")
	t.Setenv(FlagsEnv, " --mine 01,02")
	require.Contains(t, Failure{}.text("3d", "03-stateful-operators"), "go tool lab test 03 --mine 01,02 --run '^3d$'")
	require.Less(t, strings.Count(text, "\n"), 50)
	require.Less(t, len(text), 3000)
}

// recorded is someone with a trace.
type recorded []stream.Step

func (r recorded) Trace() []stream.Step { return r }

// A failure shows the trace of the key that it is about: the last 15 steps, and of no other key.
func TestFailureShowsTheTraceOfItsKey(t *testing.T) {
	var all recorded
	for n := range 50 {
		for _, key := range []string{"r-1", "r-2"} {
			all = append(all, stream.Step{UID: "assemble", Kind: stream.StateSet, Key: key, Name: "open", Value: n})
		}
	}
	all = append(all, stream.Step{UID: "assemble", Kind: stream.ControlIn, Name: "watermark", At: 5000})
	text := Failure{Says: "r-1 is gone", Of: all, Key: "r-1"}.text("6d", "06-timers")
	require.NotContains(t, text, "r-2")
	require.Contains(t, text, `trace      … 36 earlier steps`)
	require.Contains(t, text, `assemble/0 set key="r-1" open 49`)
	require.NotContains(t, text, `open 35`)
	require.Contains(t, text, "assemble/0 control 0 watermark @t=5s", "a watermark concerns every key")
	require.Equal(t, 15, strings.Count(text, "assemble/0"))

	text = Failure{Says: "all of it", Of: all}.text("6d", "06-timers")
	require.Contains(t, text, "r-2", "without a key, all are shown")
	require.Equal(t, 15, strings.Count(text, "assemble/0"))
	require.NotContains(t, Failure{Says: "nothing was recorded", Of: recorded(nil)}.text("6d", "06-timers"), "trace")
}

func TestCheckRunsAStudentsTest(t *testing.T) {
	failed, msgs := Check(func(r *Recorder) { r.Errorf("%d entries", 3); r.FailNow(); panic("not reached") })
	require.True(t, failed)
	require.Equal(t, []string{"3 entries"}, msgs)

	failed, msgs = Check(func(*Recorder) {})
	require.False(t, failed)
	require.Empty(t, msgs)

	failed, msgs = Check(func(*Recorder) { starter.Nil(nil) })
	require.True(t, failed)
	require.Contains(t, msgs[0], "nil pointer dereference")
	require.Contains(t, msgs[0], "(Nil)")

	require.PanicsWithError(t, "TODO 9a: not written yet", func() { Check(func(*Recorder) { starter.Unwritten() }) })
}

func TestIDOfTest(t *testing.T) {
	for test, id := range map[string]string{"Test3d": "3d", "Test3_2": "3.2", "Test10a": "10a", "TestScenario": "scenario"} {
		require.Equal(t, id, IDOfTest(test))
	}
}

func TestBroker(t *testing.T) {
	t.Setenv("BROKER", "")
	require.Equal(t, "embedded", Broker())
	t.Setenv("BROKER", "127.0.0.1:9092")
	require.Equal(t, "127.0.0.1:9092", Broker())
}
