package suite

import (
	"fmt"
	"runtime/debug"
	"sync"
	"testing"

	"gatewaymeter/todo"
)

// maxStack is where an endless recursion of the student ends, in bytes. Go's own limit, 1 GB, takes
// seconds to reach and may not fit the machine.
const maxStack = 64 << 20

var limitStack = sync.OnceFunc(func() { debug.SetMaxStack(maxStack) })

// Exercise runs the body of one exercise's test and gives its verdict.
//
// A panic with todo.Exercise fails t with one TODO line that says where to write; if it names an
// exercise other than id, the line says that id waits for that one. Any other panic is WRONG, with
// the stack cut to the student's frames. It is called once a test, directly in Test3d.
func Exercise(t *testing.T, id string, body func(t *testing.T)) {
	t.Helper()
	limitStack()
	e := &exercise{id: id}
	book.Lock()
	book.open[t.Name()] = e
	book.Unlock()
	defer finish(t, e)
	defer recoverIn(t)
	body(t)
}

// finish gives the verdict that waited for all subtests, and closes the exercise.
func finish(t *testing.T, e *exercise) {
	t.Helper()
	switch {
	case e.todo != "":
		say(t, OutcomeTodo, e.todo)
	case t.Failed() && e.said == 0:
		say(t, OutcomeWrong, fmt.Sprintf("WRONG %s: %s", e.id, SeeAbove))
	}
	book.Lock()
	delete(book.open, t.Name())
	book.Unlock()
}

// Sub runs a subtest with the same recovery as [Exercise], and reports whether it passed. A subtest
// that meets an unwritten body is skipped, and the exercise says TODO once, after its other subtests.
func Sub(t *testing.T, name string, body func(t *testing.T)) bool {
	t.Helper()
	passed := false
	t.Run(name, func(t *testing.T) {
		t.Helper()
		defer func() { passed = !t.Failed() && !t.Skipped() }()
		defer recoverIn(t)
		body(t)
	})
	return passed
}

// recoverIn is deferred: it turns a panic of the body into a verdict.
func recoverIn(t *testing.T) {
	t.Helper()
	v := recover()
	step := takeStep(t)
	if v == nil {
		return
	}
	frames := panicFrames()
	if unwritten, ok := todo.Of(v); ok {
		sayTodo(t, unwritten.Exercise, firstPlace(frames))
		return
	}
	message := fmt.Sprintf("WRONG %s: panic: %s%s", idOf(t), bound(fmt.Sprint(v)), stackText(frames))
	if step != nil {
		message += Failure{Input: step.Input, Trace: step.Past, step: step}.fields(idOf(t), labDir())
	}
	say(t, OutcomeWrong, message)
}

// sayTodo gives the verdict TODO for a body of exercise id, which is found at place or, if place is
// empty, by searching the starter.
func sayTodo(t *testing.T, id, place string) {
	t.Helper()
	line := todoLine(idOf(t), id, place)
	e := exerciseOf(t)
	if e == nil {
		say(t, OutcomeTodo, line)
		return
	}
	book.Lock()
	if e.todo == "" {
		e.todo = line
	}
	book.Unlock()
	if t.Name() != rootName(t) {
		t.Skip("not written yet")
	}
}

// todoLine is the one line that an unwritten exercise fails with.
func todoLine(own, unwritten, place string) string {
	if place == "" {
		place = findTodo("starter", unwritten)
	}
	if place == "" {
		place = "its starter"
	}
	if own == unwritten {
		return fmt.Sprintf("TODO %s: not written yet; write it in %s", own, place)
	}
	return fmt.Sprintf("TODO %s waits for %s: write %s first, in %s", own, unwritten, unwritten, place)
}

// Needs says that the rest of the test needs exercise id: if probe meets that exercise unwritten, the
// test ends as TODO ("TODO 4e waits for 4d"). Any other panic of probe is left for the exercise to report.
func Needs(t *testing.T, id string, probe func()) {
	t.Helper()
	unwritten := func() (e *todo.Error) {
		defer func() {
			v := recover()
			if v == nil {
				return
			}
			var ok bool
			if e, ok = todo.Of(v); !ok {
				panic(v)
			}
		}()
		probe()
		return nil
	}()
	if unwritten == nil {
		return
	}
	if unwritten.Exercise == idOf(t) {
		unwritten.Exercise = id
	}
	stopTodo(t, unwritten.Exercise)
}

// stopTodo gives the verdict TODO and ends the test.
func stopTodo(t *testing.T, id string) {
	t.Helper()
	sayTodo(t, id, "")
	if t.Name() == rootName(t) {
		t.SkipNow()
	}
	t.FailNow()
}

// NoError ends the test if err is not nil: TODO if err wraps an unwritten exercise (the engine and
// the harness return a task's panic so), WRONG otherwise. Says is what should have worked.
func NoError(t *testing.T, err error, says string) {
	t.Helper()
	if err == nil {
		return
	}
	if unwritten, ok := todo.Of(err); ok {
		stopTodo(t, unwritten.Exercise)
	}
	say(t, OutcomeWrong, fmt.Sprintf("WRONG %s: %s: %s%s", idOf(t), says, bound(err.Error()), stepText(t)))
	t.FailNow()
}

// Harness ends the test with the verdict HARNESS if err is not nil: the kit failed, not the student.
// It is for set-up that runs none of the student's code; if it does after all, and err wraps an
// unwritten exercise, the verdict is TODO.
func Harness(t *testing.T, err error) {
	t.Helper()
	if err == nil {
		return
	}
	if unwritten, ok := todo.Of(err); ok {
		stopTodo(t, unwritten.Exercise)
	}
	say(t, OutcomeHarness, fmt.Sprintf("HARNESS %s: the kit failed, not your code: %s", idOf(t), bound(err.Error())))
	t.FailNow()
}
