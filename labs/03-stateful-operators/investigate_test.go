package lab03_test

import (
	"fmt"
	"testing"
	"time"

	"gatewaymeter/engine"
	"gatewaymeter/gateway"
	"gatewaymeter/harness"
	"gatewaymeter/internal/kit/suite"
	"gatewaymeter/labs/03-stateful-operators/internal/wrong"
	solution "gatewaymeter/labs/03-stateful-operators/solution"
	operators "gatewaymeter/labs/03-stateful-operators/starter"
	"gatewaymeter/stream"
)

// Test3_2: Write the leak test
func Test3_2(t *testing.T) {
	suite.Exercise(t, "3.2", func(t *testing.T) {
		for _, a := range wrong.Assemblers() {
			failed, messages := suite.Check(func(r *suite.Recorder) { operators.LeakTest(r, parts(t), a.New) })
			switch {
			case a.Right && failed:
				suite.Wrong(t, suite.Failure{Says: "your leak test fails an assembler that is right", Input: a.Name, Got: fmt.Sprint(messages)})
			case !a.Right && !failed:
				suite.Wrong(t, suite.Failure{Says: "your leak test lets a wrong assembler pass", Input: a.Name})
			}
		}
	})
}

// Test3_3: The operator that is right on one backend only; what an entry costs
func Test3_3(t *testing.T) {
	suite.Exercise(t, "3.3", func(t *testing.T) {
		if got := operators.RightOnHeapOnly(); got != solution.RightOnHeapOnly() {
			suite.Wrong(t, suite.Failure{ // without the answer: it is yours to find
				Says: "that is not the one: which of them changes what Get gave it, and does not store it again?", Input: "RightOnHeapOnly", Got: got,
			})
		}
		suite.Sub(t, "the mended operator is right where reads give copies", func(t *testing.T) {
			p := parts(t)
			p.Backend = func(s engine.Subtask) (stream.Backend, error) { return copying{solution.NewHeap(s.First, s.Last)}, nil }
			h := harness.NewKeyed(t, p, byTenant, operators.NewMended())
			var got []int64
			for _, model := range []string{"model-a", "model-b", "model-a", "model-a", "model-b"} {
				h.ProcessElement(gateway.RequestRecord{TenantID: "tenant-1", Model: model}, 0)
				got = append(got, h.Values()[0].Requests)
			}
			suite.Equal(t, []int64{1, 1, 2, 3, 2}, got, suite.Failure{Says: "a change that was not stored is lost on a serialised backend", Input: "models a, b, a, a, b of one tenant"})
		})
		suite.Equal(t, int64(365*5_000_000/1000*5*200), operators.LeakedBytes(5_000_000, 5, 365, 200), suite.Failure{
			Says: "the arithmetic of the leak is off", Input: "5,000,000 requests a day, 5 in 1,000 abandoned, 365 days, 200 bytes an entry",
		})
	})
}

// copying is a heap whose value cells give copies, as a serialised backend does.
type copying struct{ stream.Backend }

func (b copying) Cell(d stream.Descriptor) (stream.Cell, error) {
	c, err := b.Backend.Cell(d)
	if v, ok := c.(stream.ValueCell); ok && d.Kind == stream.ValueState {
		return copyingCell{v, d}, err
	}
	return c, err
}

type copyingCell struct {
	stream.ValueCell
	d stream.Descriptor
}

func (c copyingCell) Get() any {
	v := c.ValueCell.Get()
	if v == nil {
		return nil
	}
	into := c.d.New()
	if err := c.d.Codec.Decode(c.d.Codec.Append(nil, v), into); err != nil {
		panic(err)
	}
	return into
}

// Test3_4: How long an entry must be kept
func Test3_4(t *testing.T) {
	suite.Exercise(t, "3.4", func(t *testing.T) {
		bound := operators.CleanupBound(5*time.Minute, 2*time.Hour, 24*time.Hour)
		if least := 26*time.Hour + 5*time.Minute; bound <= least || bound > least+time.Second {
			suite.Wrong(t, suite.Failure{
				Says:  "the shortest time to live that loses nothing is longer than all three together, and not by much: an entry expires at exactly its stamp plus its time to live",
				Input: "longest request 5m, stall 2h, retention 24h", Got: bound.String(), Want: "a little more than " + least.String(),
			})
		}
		price := gateway.Prices{"model-a": {Input: 10}}
		request := func(started, completed stream.Time, tokens int64) operators.Delayed {
			return operators.Delayed{Record: gateway.RequestRecord{Model: "model-a", PromptTokens: tokens}, Started: started, Completed: completed}
		}
		ten := stream.Time((10 * time.Minute).Milliseconds())
		requests := []operators.Delayed{request(0, 1000, 1), request(0, ten-1, 2), request(0, ten, 4), request(5, ten+10, 8)}
		suite.Equal(t, gateway.NanoUSD(120), operators.BillLost(10*time.Minute, requests, price), suite.Failure{
			Says:  "lost is what completes when the entry has expired: ten minutes of processing time are gone when the job stands still for ten minutes",
			Input: "four requests of 1, 2, 4 and 8 tokens at 10 nano-USD; completed after 1s, 10m less 1ms, 10m, and 10m and 5ms",
		})
		suite.Sub(t, "and that is what an assembler with that time to live loses", func(t *testing.T) {
			h := harness.NewKeyed(t, parts(t), byRequest, wrong.Expiring(10*time.Minute))
			h.ProcessElement(started("r-1", 0, 1), 0)
			h.SetProcessingTime(ten)
			h.ProcessElement(completed("r-1", 1000, 1), 1000)
			suite.Equal(t, 0, len(h.Values()), suite.Failure{Says: "an event-time second was ten minutes of processing time, and the bill is lost", Input: "started; the job stalls for 10m; completed"})
		})
	})
}
