package lab05_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"gatewaymeter/internal/kit/suite"
	"gatewaymeter/internal/kit/timeline"
	ours "gatewaymeter/labs/05-watermarks/solution"
	watermarks "gatewaymeter/labs/05-watermarks/starter"
	"gatewaymeter/stream"
)

// Test5d: The valve: many channels, idle, active, ended (45 min)
func Test5d(t *testing.T) {
	suite.Exercise(t, "5d", func(t *testing.T) {
		timeline.Play(t, "testdata/valve.txt", func(t *testing.T, head timeline.Step) func(timeline.Step) timeline.Outcome {
			v := watermarks.NewValve(head.Number(t, "inputs"))
			return func(s timeline.Step) timeline.Outcome {
				o := timeline.Outcome{Before: channels(v)}
				var at stream.Time
				switch s.Verb {
				case "watermark":
					at = s.At(t, "t")
				case "idle", "active":
				default:
					s.Unknown(t)
				}
				o.Got = effect(turn(t, v, s.Verb, s.Number(t, "input"), at))
				return o
			}
		})
		suite.Sub(t, "random scripts, beside ours", besideOurs)
	})
}

// turn is one control element.
func turn(t *testing.T, v stream.Valve, verb string, input int, at stream.Time) stream.Signal {
	t.Helper()
	switch verb {
	case "watermark":
		return v.Watermark(input, at)
	case "idle":
		return v.Idle(input)
	case "active":
		return v.Active(input)
	}
	suite.Harness(t, fmt.Errorf("unknown control element %q", verb))
	return stream.Nothing
}

func besideOurs(t *testing.T) {
	for seed := range uint64(200) {
		random := rand.New(rand.NewPCG(seed, 555))
		inputs := 1 + random.IntN(4)
		theirs, own := watermarks.NewValve(inputs), ours.NewValve(inputs)
		var past []string
		for range 60 {
			verb := []string{"watermark", "watermark", "watermark", "idle", "active"}[random.IntN(5)]
			input, at := random.IntN(inputs), stream.Time(random.IntN(12)*1000)
			if random.IntN(100) == 0 {
				at = stream.MaxTime
			}
			text := fmt.Sprintf("%s input=%d", verb, input)
			if verb == "watermark" {
				text += " t=" + clock(at)
			}
			state := channels(own)
			want, got := effect(turn(t, own, verb, input, at)), effect(turn(t, theirs, verb, input, at))
			past = append(past, text+" -> "+want)
			suite.Equal(t, want, got, suite.Failure{
				Says:  fmt.Sprintf("with seed %d and %d inputs, something else comes out than from Flink's rules", seed, inputs),
				Input: text, State: state, Trace: past,
			})
		}
	}
}
