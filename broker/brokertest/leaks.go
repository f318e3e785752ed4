package brokertest

import (
	"maps"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

// ours are the packages whose goroutines must be gone when a test is over.
var ours = []string{"IBM/sarama", "twmb/franz-go", "gatewaymeter/broker."}

// NoLeaks makes a test fail if a goroutine of the client, the broker or this project is left at its
// end. Call it first, so that it looks last.
func NoLeaks(t testing.TB) {
	t.Helper()
	before := leftovers(nil) // of an earlier test that failed: not ours to report
	t.Cleanup(func() {
		t.Helper()
		// Some end only after a connection of theirs has been closed by the other side.
		deadline := time.Now().Add(30 * time.Second)
		left := leftovers(before)
		for len(left) > 0 && time.Now().Before(deadline) {
			time.Sleep(5 * time.Millisecond)
			left = leftovers(before)
		}
		if len(left) > 0 {
			ids := slices.Sorted(maps.Keys(left))
			t.Errorf("%d goroutines are left; one of them:\n%s", len(left), left[ids[0]])
		}
	})
}

// leftovers are the stacks of goroutines that belong to us, by goroutine, without those known before.
func leftovers(before map[string]string) map[string]string {
	buf := make([]byte, 1<<20)
	buf = buf[:runtime.Stack(buf, true)]
	left := map[string]string{}
	for i, stack := range strings.Split(string(buf), "\n\n") {
		if i == 0 || strings.Contains(stack, "testing.tRunner(") {
			continue // this one, and tests
		}
		id, _, _ := strings.Cut(strings.TrimPrefix(stack, "goroutine "), " ")
		if _, old := before[id]; !old && isOurs(stack) {
			left[id] = stack
		}
	}
	return left
}

func isOurs(stack string) bool {
	for _, name := range ours {
		if strings.Contains(stack, name) {
			return true
		}
	}
	return false
}
