package run

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	"gatewaymeter/internal/kit/course"
	"gatewaymeter/internal/kit/suite"
)

// Run runs exercises: all in one process, and after an end that nobody could recover, each of the
// rest in a process of its own. The results are in the order of the exercises.
func (b *Binary) Run(ctx context.Context, exercises []course.Exercise, o Options) ([]Result, error) {
	var tests []string
	for _, e := range exercises {
		tests = append(tests, e.Test)
	}
	together, err := b.process(ctx, tests, o)
	if err != nil {
		return nil, err
	}
	var results []Result
	for _, e := range exercises {
		end := together
		if !settled(together, e.Test, len(exercises)) {
			if end, err = b.process(ctx, []string{e.Test}, o); err != nil {
				return nil, err
			}
		}
		results = append(results, b.result(e, end, o))
	}
	return results, nil
}

// settled reports whether the common process gave the test its outcome. One that was running when the
// process ended runs again alone, because a goroutine of an earlier test may have ended it; unless it
// was too slow: then once is enough.
func settled(end *ending, test string, asked int) bool {
	rec := end.records[test]
	return asked == 1 || rec != nil && rec.action != "" || end.late && end.last == test
}

// result is what the process says about an exercise.
func (b *Binary) result(e course.Exercise, end *ending, o Options) Result {
	r := Result{Lab: b.lab.Name, Exercise: e.ID, Test: e.Test}
	rec := end.records[e.Test]
	switch {
	case rec == nil && end.status == "":
		r.Outcome = suite.OutcomeHarness
		r.Message = fmt.Sprintf("HARNESS %s: no test %s ran, and the process ended well", e.ID, e.Test)
	case rec == nil || rec.action == "":
		r.Outcome, r.Message = b.crash(e.ID, end.output.String(), end, o)
	case rec.action == "pass":
		r.Outcome = suite.OutcomePass
	case rec.action == "skip":
		r.Outcome = suite.OutcomeHarness
		r.Message = fmt.Sprintf("HARNESS %s: the test was skipped, which a suite must not do: %s", e.ID, clean(rec.output.String()))
	default:
		r.Outcome, r.Message = b.failure(e.ID, rec, end)
	}
	if r.Outcome == suite.OutcomeWrong {
		r.FailedIn = failedIn(e.Test, end)
	}
	if rec != nil {
		r.MS = rec.elapsed.Milliseconds()
	}
	return r
}

// failedIn is the first subtest that the suite called WRONG, or the test itself.
func failedIn(test string, end *ending) string {
	for _, v := range end.verdicts[test] {
		if v.Outcome == suite.OutcomeWrong {
			return v.Test
		}
	}
	return test
}

var (
	todoText    = regexp.MustCompile(`TODO (\d+[a-z]|\d+\.\d+): not written yet`)
	unexplained = regexp.MustCompile(`^WRONG \S+: ` + suite.SeeAbove + `$`)
	// runtimeStack begins the stacks that the Go runtime prints when it ends a process. A task that has
	// recovered a panic tells of goroutines too, but never like this.
	runtimeStack = regexp.MustCompile(`(?m)^goroutine \d+ \[`)
)

// more says that a test has more failed checks than the one that is shown, and what shows them.
func (b *Binary) more(n int, test string) string {
	checks := "1 more failed check"
	if n > 1 {
		checks = fmt.Sprintf("%d more failed checks", n)
	}
	if !b.plain {
		return fmt.Sprintf("\n  (and %s)", checks)
	}
	return fmt.Sprintf("\n  (and %s; go test ./%s -run '^%s$' shows all)", checks, b.repo.Rel(b.lab.Dir), test)
}

// failure is the verdict on a test that ended and failed: the suite's own word, the worst one first,
// else what its output shows.
func (b *Binary) failure(id string, rec *record, end *ending) (outcome, message string) {
	output := rec.output.String()
	for _, outcome := range []string{suite.OutcomeHarness, suite.OutcomeWrong, suite.OutcomeTodo} {
		var messages []string
		for _, v := range end.verdicts[rec.test] {
			if v.Outcome == outcome && !unexplained.MatchString(v.Message) {
				messages = append(messages, explained(v, id, output))
			}
		}
		if n := len(messages); n > 1 {
			return outcome, messages[0] + b.more(n-1, rec.test)
		} else if n == 1 {
			return outcome, messages[0]
		}
	}
	if strings.Contains(output, "panic: ") && runtimeStack.MatchString(output) {
		return b.crash(id, output, end, Options{})
	}
	if m := todoText.FindStringSubmatch(output); m != nil {
		return suite.OutcomeTodo, todoMessage(id, m[1], "")
	}
	return suite.OutcomeWrong, wrongCheck(id, output)
}

// wrongCheck is the message on a check that failed without a word of the suite's, from what it printed.
func wrongCheck(id, output string) string {
	return fmt.Sprintf("WRONG %s:%s", id, checkPlace.ReplaceAllString("\n"+clean(output), " "))
}

// explained is a verdict's message. Where it refers to what its test had printed before, that stands in
// the place of its first line.
func explained(v suite.Verdict, id, output string) string {
	first, scene, _ := strings.Cut(v.Message, "\n")
	if !unexplained.MatchString(first) {
		return v.Message
	}
	if _, own, ok := strings.Cut(output, "=== RUN   "+v.Test+"\n"); ok {
		output = own
	}
	output, _, _ = strings.Cut(output, first)
	output = output[:strings.LastIndex(output, "\n")+1] // the rest of that line is where it was said
	return wrongCheck(id, output) + "\n" + scene
}

// checkPlace is where in the suite the first failed check stands, if its text follows on the same line.
var checkPlace = regexp.MustCompile(`^\n\s+\S+\.go:\d+: +(\b)`)

// crash is the verdict on a test whose process ended before it did, or with it, and printed output.
func (b *Binary) crash(id, output string, end *ending, o Options) (outcome, message string) {
	frames := studentFrames(b.repo, output)
	where := ""
	for _, f := range frames {
		where += "\n  at " + f
	}
	if end.late {
		return suite.OutcomeWrong, fmt.Sprintf("WRONG %s: did not end within %s: an endless loop, or a wait for what never comes?%s", id, o.deadline(), where)
	}
	reason := reasonOf(output)
	if m := todoText.FindStringSubmatch(reason); m != nil {
		place := ""
		if len(frames) > 0 {
			place = frames[0]
		}
		return suite.OutcomeTodo, todoMessage(id, m[1], place)
	}
	if reason == "" {
		return suite.OutcomeWrong, fmt.Sprintf("WRONG %s: the process ended in the middle of the test (%s): os.Exit or log.Fatal?%s%s", id, statusText(end), lastLines(output), where)
	}
	return suite.OutcomeWrong, fmt.Sprintf("WRONG %s: %s, which ended the whole process%s", id, reason, where)
}

func statusText(end *ending) string {
	if end.status == "" {
		return "exit status 0"
	}
	return end.status
}

func todoMessage(own, unwritten, place string) string {
	if place != "" {
		place = ", in " + place
	}
	if own == unwritten {
		return fmt.Sprintf("TODO %s: not written yet%s", own, place)
	}
	return fmt.Sprintf("TODO %s waits for %s: write %s first%s", own, unwritten, unwritten, place)
}

// reasonOf is the line in which the Go runtime says why it ends the process; empty if it did not.
func reasonOf(output string) string {
	overflow := ""
	for line := range strings.Lines(output) {
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, "runtime: goroutine stack exceeds"):
			overflow = ": " + strings.TrimPrefix(line, "runtime: ")
		case strings.HasPrefix(line, "fatal error: "):
			return strings.TrimPrefix(line, "fatal error: ") + overflow
		case strings.HasPrefix(line, "panic: "):
			reason := strings.TrimSuffix(line, " [recovered, repanicked]")
			return strings.TrimSuffix(reason, " [recovered]")
		}
	}
	return ""
}

// maxFrames bounds the frames in a message.
const maxFrames = 8

var frameFile = regexp.MustCompile(`^\t(\S.*\.go):(\d+)`)

// studentFrames are the student's calls in the first goroutine of a trace that has any, innermost
// first.
func studentFrames(repo *course.Repo, output string) []string {
	var frames []string
	call := ""
	for line := range strings.Lines(output) {
		line = strings.TrimRight(line, "\n")
		if line == "" && len(frames) > 0 {
			return frames
		}
		m := frameFile.FindStringSubmatch(line)
		if m == nil {
			call = line
			continue
		}
		if !strings.Contains(call, "/starter.") && !strings.Contains(m[1], "/starter/") || len(frames) == maxFrames {
			continue
		}
		frame := fmt.Sprintf("%s:%s (%s)", repo.Rel(m[1]), m[2], callName(call))
		if n := len(frames); n == 0 || frames[n-1] != frame { // a recursion repeats its own
			frames = append(frames, frame)
		}
	}
	return frames
}

// callName is "(*Box).Get" of "gatewaymeter/labs/09/starter.(*Box).Get(0x1, …)".
func callName(call string) string {
	call = strings.TrimPrefix(call, "created by ")
	call, _, _ = strings.Cut(call, " in goroutine")
	call = call[strings.LastIndex(call, "/")+1:]
	_, call, _ = strings.Cut(call, ".")
	if at := strings.LastIndex(call, "("); at > 0 && call[at-1] != '.' {
		call = call[:at]
	}
	return call
}

// maxClean is how many lines of a test's own output a message shows.
const maxClean = 20

// clean takes the framing of the testing package off a test's output.
func clean(output string) string {
	var kept []string
	for line := range strings.Lines(output) {
		line = strings.TrimRight(line, "\n")
		trimmed := strings.TrimSpace(line)
		if trimmed == "" || strings.HasPrefix(trimmed, "=== ") || strings.HasPrefix(trimmed, "--- ") || strings.Contains(trimmed, ": "+suite.SeeAbove) {
			continue
		}
		if kept = append(kept, line); len(kept) == maxClean {
			kept = append(kept, "    …")
			break
		}
	}
	return strings.Join(kept, "\n")
}

// lastLines is what the process printed last: log.Fatal says why it ends.
func lastLines(output string) string {
	lines := strings.Split(clean(output), "\n")
	if len(lines) > 3 {
		lines = lines[len(lines)-3:]
	}
	text := strings.TrimSpace(strings.Join(lines, "\n  "))
	if text == "" {
		return ""
	}
	return "\n  " + text
}
