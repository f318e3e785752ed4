package lab05_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"gatewaymeter/internal/kit/suite"
	"gatewaymeter/internal/kit/timeline"
	watermarks "gatewaymeter/labs/05-watermarks/starter"
	"gatewaymeter/stream"
	"gatewaymeter/todo"
)

// Test5b: Per-split watermarks and their minimum (25 min)
func Test5b(t *testing.T) {
	suite.Exercise(t, "5b", func(t *testing.T) {
		timeline.Play(t, "testdata/splits.txt", playCounting)
		suite.Sub(t, "who asks what holds time back is told of the last events", lastEvents)
		suite.Sub(t, "a finished split is still shown, as one that has ended", func(t *testing.T) {
			s := watermarks.NewSplits(0)
			s.Add(0)
			s.Add(1)
			s.Event(0, 9000)
			s.Finish(0)
			suite.Equal(t, "0 at 8.999s ended; 1 at none", channels(s), suite.Failure{
				Says: "who asks what holds time back must see that split 0 has ended: Finish marks a split, it does not take it away", Input: "splits 0 and 1, an element @9s on split 0, Finish(0)",
			})
		})
		suite.Sub(t, "timestamps at the ends of int64", func(t *testing.T) {
			s := watermarks.NewSplits(time.Hour)
			s.Add(0)
			s.Add(1)
			s.Event(0, stream.MaxTime)
			s.Event(1, stream.NoTime)
			suite.Equal(t, "nothing", effect(s.Emit(1)), suite.Failure{Says: "an element at the first moment of all makes no watermark"})
			s.Event(1, stream.MaxTime)
			suite.Equal(t, clock(stream.MaxTime-3600001), clock(s.Emit(2).Watermark), suite.Failure{
				Says: "the watermark of the last moment is the bound below it; the final one is the source's to give",
			})
		})
		suite.Sub(t, "no element within its split's bound is late", nobodyIsLate)
	})
}

// playCounting is playSplits for scenes in which there always is a split that counts. Without this, a
// least that leaves out the silent ones would be told to write 5c first, whose noneActive it asks.
func playCounting(t *testing.T, head timeline.Step) func(timeline.Step) timeline.Outcome {
	play := playSplits(t, head)
	return func(line timeline.Step) timeline.Outcome {
		defer func() {
			v := recover()
			if e, unwritten := todo.Of(v); unwritten && e.Exercise == "5c" {
				suite.Wrong(t, suite.Failure{
					Says:  "Emit finds no split that counts, and asks noneActive, which is 5c's; but only idle and finished splits do not count: one without an element stands at none, and holds time back",
					Input: line.Text, Got: "noneActive is asked", Want: "an answer from the least split",
				})
			}
			if v != nil {
				panic(v)
			}
		}()
		return play(line)
	}
}

// lastEvents: a split's last event is what whoever looks for the slow one is shown, however old it is.
func lastEvents(t *testing.T) {
	s := watermarks.NewSplits(time.Second)
	s.Add(4)
	s.Event(4, 9000)
	s.Event(4, 7000)
	suite.Equal(t, stream.Time(7000), s.Channels()[0].LastEvent, suite.Failure{
		Says: "Channels does not report the split's last event: Event must note its time", Input: "elements @9s and @7s on split 4",
	})
}

// playSplits runs the scenes about splits.
func playSplits(t *testing.T, head timeline.Step) func(timeline.Step) timeline.Outcome {
	var options []watermarks.Option
	for name, option := range map[string]func(time.Duration) watermarks.Option{
		"idle": watermarks.WithIdleness, "gap": watermarks.WithMaxGap, "drift": watermarks.WithAlignment,
	} {
		if head.Has(name) {
			options = append(options, option(head.Span(t, name)))
		}
	}
	s := watermarks.NewSplits(head.Span(t, "bound"), options...)
	return func(line timeline.Step) timeline.Outcome {
		o := timeline.Outcome{Before: channels(s)}
		switch line.Verb {
		case "add":
			s.Add(line.Number(t, "split"))
		case "event":
			s.Event(line.Number(t, "split"), line.At(t, "t"))
		case "finish":
			s.Finish(line.Number(t, "split"))
		case "probe":
			o.Got = effect(s.Emit(line.At(t, "now")))
		case "paused":
			o.Got = fmt.Sprint(s.Paused())
		default:
			line.Unknown(t)
		}
		return o
	}
}

// nobodyIsLate: splits that advance at their own pace, each within its bound. Whatever has been given
// out, an element of any split is above it.
func nobodyIsLate(t *testing.T) {
	for seed := range uint64(20) {
		random := rand.New(rand.NewPCG(seed, 55))
		const splits, bound = 4, 50
		s := watermarks.NewSplits(bound * time.Millisecond)
		var highest [splits]stream.Time
		for i := range splits {
			s.Add(i)
			highest[i] = stream.Time(random.IntN(1000))
		}
		mark := stream.NoTime
		for probe := range 300 {
			i := random.IntN(splits)
			at := highest[i] + stream.Time(random.IntN(2*bound)-bound)
			highest[i] = max(highest[i], at)
			if at <= mark {
				suite.Wrong(t, suite.Failure{
					Says:  "an element within its split's bound is at or below the watermark: it would be late",
					Input: fmt.Sprintf("seed %d, element %d, split %d at %s", seed, probe, i, clock(at)), Watermark: clock(mark), State: channels(s),
				})
			}
			s.Event(i, at)
			if signal := s.Emit(stream.Time(probe)); signal.Watermark != stream.NoTime {
				if signal.Watermark <= mark {
					suite.Wrong(t, suite.Failure{
						Says: "a watermark was given out that is not above the last one", Input: fmt.Sprintf("seed %d", seed),
						Got: clock(signal.Watermark), Want: "above " + clock(mark), State: channels(s),
					})
				}
				mark = signal.Watermark
			}
		}
		if mark == stream.NoTime {
			suite.Wrong(t, suite.Failure{Says: "300 elements on four splits, and no watermark at all", Input: fmt.Sprintf("seed %d", seed), State: channels(s)})
		}
	}
}
