package suite

import (
	"encoding/json"
	"os"
	"strings"
	"sync"
	"testing"
)

// The verdicts, as they stand at the start of a message and in the JSON of `lab test`.
const (
	OutcomeTodo    = "TODO"
	OutcomeWrong   = "WRONG"
	OutcomeHarness = "HARNESS"
	OutcomePass    = "PASS"
)

// VerdictsEnv names the environment variable that holds the path of the verdicts file.
const VerdictsEnv = "LAB_VERDICTS"

// FlagsEnv names the environment variable with the flags, each after a space, that choose the code
// under the suite: a failure is shown again only with the same ones.
const FlagsEnv = "LAB_TEST_FLAGS"

// Verdict is what the suite says about a test; a line of the verdicts file.
type Verdict struct {
	Test    string `json:"test"` // as t.Name() gives it, such as "Test3d/two_keys"
	Outcome string `json:"outcome"`
	Message string `json:"message"` // starts with the outcome
}

// book is the running exercises by the name of their top-level test.
var book = struct {
	sync.Mutex
	open map[string]*exercise
}{open: map[string]*exercise{}}

// exercise is one running exercise.
type exercise struct {
	id   string
	todo string // the TODO line of the first subtest that met one
	said int    // verdicts given for this exercise
	step *Step  // that it is in; see During
}

// rootName is the name of the top-level test that t belongs to.
func rootName(t testing.TB) string {
	name, _, _ := strings.Cut(t.Name(), "/")
	return name
}

// exerciseOf is the exercise that t belongs to; nil outside of [Exercise].
func exerciseOf(t testing.TB) *exercise {
	book.Lock()
	defer book.Unlock()
	return book.open[rootName(t)]
}

// idOf is the exercise id that messages of t carry.
func idOf(t testing.TB) string {
	if e := exerciseOf(t); e != nil {
		return e.id
	}
	return IDOfTest(rootName(t))
}

// say fails t with the message and writes the verdict down.
func say(t testing.TB, outcome, message string) {
	t.Helper()
	note(t, outcome, message)
	t.Errorf("%s", message)
}

// note counts the verdict and writes it to the verdicts file, without failing t.
func note(t testing.TB, outcome, message string) {
	book.Lock()
	defer book.Unlock()
	if e := book.open[rootName(t)]; e != nil {
		e.said++
	}
	path := os.Getenv(VerdictsEnv)
	if path == "" {
		return
	}
	line, err := json.Marshal(Verdict{Test: t.Name(), Outcome: outcome, Message: message})
	if err != nil {
		return // a struct of strings always marshals
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		t.Logf("HARNESS: the verdict cannot be written down: %v", err)
		return
	}
	defer f.Close()
	if _, err := f.Write(append(line, '\n')); err != nil {
		t.Logf("HARNESS: the verdict cannot be written down: %v", err)
	}
}

// IDOfTest is the exercise that a top-level test belongs to: "3d" of Test3d, "3.2" of Test3_2,
// "scenario" of TestScenario.
func IDOfTest(test string) string {
	id := strings.TrimPrefix(test, "Test")
	if id != "" && id[0] >= '0' && id[0] <= '9' {
		return strings.ReplaceAll(id, "_", ".")
	}
	return strings.ToLower(id)
}
