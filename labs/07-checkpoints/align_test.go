package lab07_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"gatewaymeter/internal/kit/suite"
	"gatewaymeter/internal/kit/timeline"
	ours "gatewaymeter/labs/07-checkpoints/solution"
	checkpoints "gatewaymeter/labs/07-checkpoints/starter"
	"gatewaymeter/stream"
)

// Test7a: Alignment of barriers (45 min)
func Test7a(t *testing.T) {
	suite.Exercise(t, "7a", func(t *testing.T) {
		timeline.Play(t, "testdata/align.txt", func(t *testing.T, head timeline.Step) func(timeline.Step) timeline.Outcome {
			make := checkpoints.NewAligner
			if head.Arg("finished") == "no" {
				make = checkpoints.NewAlignerWithoutFinished
			}
			a := make(head.Number(t, "inputs"))
			return func(s timeline.Step) timeline.Outcome {
				o := timeline.Outcome{Before: "blocked " + blocked(a)}
				input, id := 0, 0
				if s.Has("input") {
					input = s.Number(t, "input")
				}
				if s.Has("id") {
					id = s.Number(t, "id")
				}
				o.Got = align(t, a, s.Verb, input, int64(id))
				return o
			}
		})
		suite.Sub(t, "random scripts, beside ours", alignBesideOurs)
	})
}

// align does one thing to an aligner, and prints what comes of it.
func align(t *testing.T, a stream.Aligner, verb string, input int, id int64) string {
	t.Helper()
	var out stream.Alignment
	switch verb {
	case "barrier":
		out = a.Barrier(input, id)
	case "end":
		out = a.End(input)
	case "cancel":
		out = a.Cancel(id)
	default:
		suite.Harness(t, fmt.Errorf("unknown verb %q", verb))
	}
	var parts []string
	if out.Aborted != 0 {
		parts = append(parts, fmt.Sprintf("aborted %d", out.Aborted))
	}
	if out.Complete != 0 {
		parts = append(parts, fmt.Sprintf("complete %d", out.Complete))
	}
	if len(parts) == 0 {
		parts = []string{"nothing"}
	}
	return strings.Join(parts, ", ") + "; blocked " + blocked(a)
}

// blocked lists the inputs that wait.
func blocked(a stream.Aligner) string {
	inputs := []int{}
	for i, b := range a.Blocked() {
		if b {
			inputs = append(inputs, i)
		}
	}
	return fmt.Sprint(inputs)
}

// alignBesideOurs lets barriers come as channels bring them: ascending on each input, none on one that
// is blocked or has ended.
func alignBesideOurs(t *testing.T) {
	for seed := range uint64(300) {
		random := rand.New(rand.NewPCG(seed, 7))
		inputs := 1 + random.IntN(4)
		theirs, own := checkpoints.NewAligner(inputs), ours.NewAligner(inputs)
		last, ended := make([]int64, inputs), make([]bool, inputs)
		var past []string
		for range 40 {
			input := random.IntN(inputs)
			if own.Blocked()[input] || ended[input] {
				continue
			}
			verb, id := "barrier", last[input]+1+int64(random.IntN(5)/4)
			switch random.IntN(20) {
			case 0:
				verb, ended[input] = "end", true
			case 1, 2:
				verb, id = "cancel", max(1, id-1+int64(random.IntN(3)))
			default:
				last[input] = id
			}
			text := fmt.Sprintf("%s input=%d id=%d", verb, input, id)
			state := "blocked " + blocked(own)
			want, got := align(t, own, verb, input, id), align(t, theirs, verb, input, id)
			past = append(past, text+" -> "+want)
			suite.Equal(t, want, got, suite.Failure{
				Says:  fmt.Sprintf("with seed %d and %d inputs, something else comes out than from Flink's rules", seed, inputs),
				Input: text, State: state, Trace: past,
			})
		}
	}
}
