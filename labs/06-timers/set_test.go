package lab06_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	"gatewaymeter/internal/kit/suite"
	"gatewaymeter/internal/kit/timeline"
	operators "gatewaymeter/labs/03-stateful-operators/solution"
	timers "gatewaymeter/labs/06-timers/starter"
	"gatewaymeter/stream"
)

// Test6a: The timer set: register, delete, once per time, key and namespace (30 min)
func Test6a(t *testing.T) {
	suite.Exercise(t, "6a", func(t *testing.T) {
		timeline.Play(t, "testdata/set.txt", playTimers)
		suite.Sub(t, "random scripts, beside a model", setBesideModel)
		suite.Sub(t, "what Put gives for a new key may hold anything", hostileBackend)
		suite.Sub(t, "registering and deleting again and again allocates nothing", steadyState)
	})
}

// setBesideModel compares counts with a Go map's.
func setBesideModel(t *testing.T) {
	for seed := range uint64(10) {
		random := rand.New(rand.NewPCG(seed, 61))
		b, model := newBench(t), map[stream.Timer]bool{}
		for range 1000 {
			timer := stream.Timer{
				Key: string(rune('a' + random.IntN(4))), At: stream.Time(random.IntN(20)),
				Window: stream.Window{End: stream.Time(random.IntN(2))},
			}
			b.key(timer.Key)
			do := "register"
			if random.IntN(5) < 2 {
				do = "delete"
				b.event().Delete(timer.At, timer.Window)
				delete(model, timer)
			} else {
				b.event().Register(timer.At, timer.Window)
				model[timer] = true
			}
			keys := map[string]bool{}
			for m := range model {
				keys[m.Key] = true
			}
			suite.Equal(t, fmt.Sprintf("(%d timers, %d keys)", len(model), len(keys)), b.String(), suite.Failure{
				Says: "there are more timers, or fewer, than a set would hold", Input: fmt.Sprintf("seed %d: %s %s", seed, do, name(timer)),
			})
		}
	}
}

// hostile is a backend whose places for new values are full of what another key had: it may be so, and
// on a serialised backend it is.
type hostile struct {
	stream.Backend
	cells []*hostileCell
}

type hostileCell struct {
	stream.ValueCell
	copy    func(any) any
	garbage any
}

func (h *hostile) Cell(d stream.Descriptor) (stream.Cell, error) {
	cell, err := h.Backend.Cell(d)
	if err != nil {
		return nil, err
	}
	c := &hostileCell{ValueCell: cell.(stream.ValueCell), copy: d.Copy}
	h.cells = append(h.cells, c)
	return c, nil
}

// Put shows the garbage in the place of a key that has nothing.
func (c *hostileCell) Put() any {
	known := c.Get() != nil
	v := c.ValueCell.Put()
	if !known && c.garbage != nil {
		reflect.ValueOf(v).Elem().Set(reflect.ValueOf(c.garbage).Elem())
	}
	return v
}

func hostileBackend(t *testing.T) {
	backend := &hostile{Backend: operators.NewHeap(0, lastGroup)}
	b := benchOver(t, backend, 0, lastGroup)
	b.key("a").event().Register(1, stream.Window{})
	b.event().Register(2, stream.Window{})
	for _, c := range backend.cells {
		if v := c.Get(); v != nil {
			c.garbage = c.copy(v) // the two timers of a
		}
	}
	b.key("b").event().Register(2, stream.Window{})
	b.event().Delete(1, stream.Window{})
	suite.Equal(t, "(3 timers, 2 keys)", b.String(), suite.Failure{
		Says:  "the timers of another key show: where Get gives nil, the place that Put gives may hold anything",
		Input: "b@2ms, in a place that still holds a@1ms and a@2ms", Look: "stream.ValueCell: Put; set.reset",
	})
}

// steadyState is the request assembler's life: one timer a key, set and deleted.
func steadyState(t *testing.T) {
	b := newBench(t)
	at := stream.Time(0)
	round := func() {
		for _, key := range []string{"a", "b", "k"} {
			b.key(key)
			b.event().Register(at, stream.Window{})
			b.event().Delete(at, stream.Window{})
		}
		at++
	}
	round()
	if n := testing.AllocsPerRun(100, round); n > 0 {
		suite.Wrong(t, suite.Failure{
			Says: "every timer costs the garbage collector something: use the set's own place for the first timer (set.add)",
			Got:  fmt.Sprintf("%v allocations a round", n), Want: "0",
		})
	}
	suite.Equal(t, 0, b.c.Backend.Entries(timers.StateName(stream.EventTime)), suite.Failure{Says: "a key without timers still has its set"})
}
