package run

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gatewaymeter/internal/kit/suite"
)

// failed is a test that failed without a word of the suite's, such as at the hands of the harness.
func failed(output string) (outcome, message string) {
	rec := &record{test: "Test9a", action: "fail"}
	rec.output.head = output
	return new(Binary).failure("9a", rec, &ending{})
}

// A panic that a task has recovered is told as it is, not as the end of the process, although its stack
// says which goroutine created which.
func TestARecoveredPanicIsNotTheEndOfTheProcess(t *testing.T) {
	outcome, message := failed("=== RUN   Test9a\n    sample_test.go:7: operator \"a\": panic: nil map\n" +
		"        gatewaymeter/labs/09/starter.(*a).ProcessElement()\n        created by testing.(*T).Run in goroutine 1\n--- FAIL: Test9a (0.00s)\n")
	require.Equal(t, suite.OutcomeWrong, outcome)
	require.Equal(t, "WRONG 9a: operator \"a\": panic: nil map\n"+
		"        gatewaymeter/labs/09/starter.(*a).ProcessElement()\n        created by testing.(*T).Run in goroutine 1", message)
}

// testify's text begins on a line of its own.
func TestAFailedRequireIsShownWhole(t *testing.T) {
	_, message := failed("    sample_test.go:7: \n        \tError Trace:\tsample_test.go:7\n        \tError:      \tNot equal\n")
	require.Equal(t, "WRONG 9a:\n    sample_test.go:7: \n        \tError Trace:\tsample_test.go:7\n        \tError:      \tNot equal", message)
}

// What failed while a scene was played is told with the scene's line, from the output of its own subtest.
func TestAVerdictThatRefersToWhatStandsAbove(t *testing.T) {
	const scene = "WRONG 9a: see the failed check above\n  scene      a.txt:7\n  input      go"
	rec := &record{test: "Test9a", action: "fail"}
	rec.output.head = "=== RUN   Test9a\n=== RUN   Test9a/one\n    a_test.go:1: logged\n=== RUN   Test9a/two\n    a_test.go:7: operator a: boom\n          a/0 element\n" +
		"    panic.go:1: " + scene + "\n--- FAIL: Test9a (0.00s)\n"
	verdict := suite.Verdict{Test: "Test9a/two", Outcome: suite.OutcomeWrong, Message: scene}
	outcome, message := new(Binary).failure("9a", rec, &ending{verdicts: map[string][]suite.Verdict{"Test9a": {verdict}}})
	require.Equal(t, suite.OutcomeWrong, outcome)
	require.Equal(t, "WRONG 9a: operator a: boom\n          a/0 element\n  scene      a.txt:7\n  input      go", message)
}
