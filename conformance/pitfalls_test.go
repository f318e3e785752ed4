package conformance

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// pitfalls are the bugs that Flink has had with windows, watermarks and timers, each with the tests of
// this repository that would notice it here. A test cites its issue, so that who breaks it can read up.
var pitfalls = []struct {
	issue string
	what  string
	tests []string // files, or timelines, that cite it
}{
	{"FLINK-2577", "a finished source sends the final watermark", []string{"pipeline/pitfalls_test.go", "labs/05-watermarks/testdata/valve.txt", "labs/05-watermarks/testdata/idle.txt"}},
	{"FLINK-8001", "a source without partitions is idle, not at the end of time", []string{"pipeline/silent_test.go", "labs/05-watermarks/testdata/idle.txt"}},
	{"FLINK-35886", "backpressure is not idleness", []string{"labs/05-watermarks/investigate_test.go"}},
	{"FLINK-38454", "the flush when all are idle does not hang on who is the last", []string{"labs/05-watermarks/testdata/valve.txt"}},
	{"FLINK-7721", "no aligned input is not the end of time", []string{"labs/05-watermarks/testdata/valve.txt"}},
	{"FLINK-38477", "an input at its end and the rest idle end time", []string{"labs/05-watermarks/testdata/valve.txt", "pipeline/silent_test.go"}},
	{"FLINK-26334", "the window of a negative timestamp", []string{"labs/04-windows/assign_test.go", "labs/06-timers/testdata/velocity.txt"}},
	{"FLINK-37512", "a huge size over a small slide is refused", []string{"labs/04-windows/assign_test.go"}},
	{"FLINK-9201", "a window that merges late fires once", []string{"labs/04-windows/testdata/sessions.txt"}},
	{"FLINK-33192", "no timer of a window is left behind", []string{"labs/04-windows/testdata/cleanup.txt"}},
	{"FLINK-5363", "a timer of a window without state", []string{"labs/04-windows/testdata/operator.txt"}},
	{"FLINK-4589", "a window inside another merges into it", []string{"labs/04-windows/session_test.go", "labs/04-windows/testdata/sessions.txt"}},
	{"FLINK-15841", "windows that touch merge", []string{"labs/04-windows/session_test.go", "labs/04-windows/testdata/sessions.txt"}},
	{"FLINK-31370", "no timer fires after a cancel", []string{"pipeline/pitfalls_test.go"}},
	{"FLINK-36875", "a watermark goes on after the last timer that it makes due", []string{"pipeline/silent_test.go"}},
}

// Every pitfall has a test, and the test says so.
func TestEveryPitfallOfTimeIsCitedByItsTests(t *testing.T) {
	for _, p := range pitfalls {
		for _, file := range p.tests {
			text, err := os.ReadFile("../" + file)
			require.NoError(t, err)
			require.True(t, strings.Contains(string(text), p.issue), "%s (%s) is not cited in %s: where is its test now?", p.issue, p.what, file)
		}
	}
}
