package repotest

import (
	"regexp"
	"strings"
	"testing"
)

// mostLines is how long a Go file may be: one idea fits.
const mostLines = 400

func TestFilesAreShort(t *testing.T) {
	top := root(t)
	for _, f := range goFiles(t) {
		count := 0
		lines(t, top+"/"+f, func(n int, _ string) { count = n })
		if count > mostLines {
			t.Errorf("%s has %d lines, more than %d: which two ideas does it hold?", f, count, mostLines)
		}
	}
}

var temporary = regexp.MustCompile(`\bos\.(MkdirTemp|CreateTemp)\(""`)

func TestTemporaryFoldersAreSwept(t *testing.T) {
	top := root(t)
	for _, f := range goFiles(t) {
		if strings.HasSuffix(f, "_test.go") {
			continue
		}
		lines(t, top+"/"+f, func(n int, line string) {
			if temporary.MatchString(line) {
				t.Errorf("%s:%d stays behind when its process is killed: take a folder of internal/scratch, or make it in one", f, n)
			}
		})
	}
}

var sleep = regexp.MustCompile(`\btime\.Sleep\(`)

func TestNoTestSleeps(t *testing.T) {
	top := root(t)
	for _, f := range goFiles(t) {
		if !strings.HasSuffix(f, "_test.go") || strings.HasSuffix(f, "internal/repotest/files_test.go") {
			continue
		}
		lines(t, top+"/"+f, func(n int, line string) {
			if sleep.MatchString(line) {
				t.Errorf("%s:%d sleeps: wait for a condition, or use the manual clock", f, n)
			}
		})
	}
}

// wallClock is what tasks and operators must not use: time comes from a stream.Clock.
var wallClock = regexp.MustCompile(`\btime\.(Now|Since|Until|After|NewTimer|NewTicker|Tick|Sleep)\(`)

func TestTimeComesFromClocks(t *testing.T) {
	allowed := map[string]bool{
		"engine/clock.go":          true, // the system clock itself
		"engine/live.go":           true, // the live driver: it is the one that waits
		"engine/livecheckpoint.go": true, // its coordinator
		"engine/restart.go":        true, // and what starts it again
	}
	top := root(t)
	for _, f := range goFiles(t) {
		inRuntime := strings.HasPrefix(f, "engine/") || strings.HasPrefix(f, "stream/") || strings.HasPrefix(f, "harness/") ||
			strings.HasPrefix(f, "labs/") && strings.Contains(f, "/solution/")
		if !inRuntime || allowed[f] || strings.HasSuffix(f, "_test.go") {
			continue
		}
		lines(t, top+"/"+f, func(n int, line string) {
			if wallClock.MatchString(line) {
				t.Errorf("%s:%d reads the wall clock: take the time from a stream.Clock, so that a simulation repeats itself", f, n)
			}
		})
	}
}

func TestGoroutinesStartInOneFile(t *testing.T) {
	start := regexp.MustCompile(`^\s*go (func|\w+[.(])|\.Go\(`)
	top := root(t)
	for _, f := range goFiles(t) {
		if !strings.HasPrefix(f, "engine/") || f == "engine/live.go" || f == "engine/livecheckpoint.go" || strings.HasSuffix(f, "_test.go") {
			continue
		}
		lines(t, top+"/"+f, func(n int, line string) {
			if start.MatchString(line) {
				t.Errorf("%s:%d starts a goroutine: only engine/live.go may; a task returns stream.Work", f, n)
			}
		})
	}
}
