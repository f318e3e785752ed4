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
		suite.Sub(t, "every change of a set is put", everyChangeIsPut)
		suite.Sub(t, "a time that the watermark has passed", func(t *testing.T) {
			b := newBench(t).key("a")
			b.c.Watermark = 100_000
			b.event().Register(50_000, stream.Window{})
			suite.Equal(t, "(1 timers, 1 keys)", b.String(), suite.Failure{
				Says: "Register does not look at the time: a timer that is due already waits for the next Advance", Input: "a@50s at a watermark of 100s",
			})
		})
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

// noting is a backend that keeps bytes: of a value it writes down only what Put or Clear was called for.
type noting struct {
	stream.Backend
	told int // calls of Put and Clear
}

type notingCell struct {
	stream.ValueCell
	b *noting
}

func (n *noting) Cell(d stream.Descriptor) (stream.Cell, error) {
	cell, err := n.Backend.Cell(d)
	if err != nil {
		return nil, err
	}
	return &notingCell{cell.(stream.ValueCell), n}, nil
}

func (c *notingCell) Put() any {
	c.b.told++
	return c.ValueCell.Put()
}

func (c *notingCell) Clear() {
	c.b.told++
	c.ValueCell.Clear()
}

// everyChangeIsPut: on the heap a set that is changed in place has changed; a backend that keeps bytes
// must be told.
func everyChangeIsPut(t *testing.T) {
	backend := &noting{Backend: operators.NewHeap(0, lastGroup)}
	b := benchOver(t, backend, 0, lastGroup).key("a")
	change := func(what string, do func(stream.Time, stream.Window), at stream.Time) {
		t.Helper()
		before := backend.told
		do(at, stream.Window{})
		if backend.told == before {
			suite.Wrong(t, suite.Failure{
				Says:  "the key's set has changed and the backend was not told: one that keeps bytes writes the set down as it was, and after a restore this timer is lost, or fires although it was deleted",
				Input: what, Got: "neither Put nor Clear", Want: "a call of Put, or of Clear with the last timer", Look: "stream.ValueCell: Get",
			})
		}
	}
	change("the first timer of a is registered", b.event().Register, 1000)
	change("a second timer of a is registered", b.event().Register, 2000)
	change("one of two timers is deleted", b.event().Delete, 1000)
	change("the last timer is deleted", b.event().Delete, 2000)
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
