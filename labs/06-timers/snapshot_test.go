package lab06_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"gatewaymeter/internal/kit/suite"
	"gatewaymeter/internal/kit/timeline"
	operators "gatewaymeter/labs/03-stateful-operators/solution"
	timers "gatewaymeter/labs/06-timers/starter"
	"gatewaymeter/stream"
)

// Test6f: Timers in a snapshot, by key group (30 min)
func Test6f(t *testing.T) {
	suite.Exercise(t, "6f", func(t *testing.T) {
		timeline.Play(t, "testdata/snapshot.txt", playTimers)
		suite.Sub(t, "three integers a timer, by time, then window", writtenAs)
		suite.Sub(t, "many timers of one key", manyTimers)
		suite.Sub(t, "equal timers have equal bytes, in whatever order they were set", equalBytes)
		suite.Sub(t, "a group's timers move with the group", movesWithGroup)
		suite.Sub(t, "damaged bytes are refused", damaged)
	})
}

// groupBytes is a snapshot of the group of "a".
func groupBytes(t *testing.T, b *bench) []byte {
	t.Helper()
	bytes, err := b.c.Backend.Snapshot(groupOf("a"), nil)
	suite.NoError(t, err, "a snapshot is taken")
	return bytes
}

// timersOf is the state of the event timers in a snapshot of a's group, and what it holds of "a".
func timersOf(t *testing.T, b *bench) (state stream.Section, content []byte) {
	t.Helper()
	suite.NoError(t, stream.EachSection(groupBytes(t, b), func(s stream.Section) error {
		if s.Name != timers.StateName(stream.EventTime) {
			return nil
		}
		state = s
		return stream.EachContent(s.Body, func(_, c []byte) error {
			content = bytes.Clone(c)
			return nil
		})
	}), "the snapshot is read")
	return state, content
}

// writtenAs: another process, or another version of the job, reads these bytes.
func writtenAs(t *testing.T) {
	b := newBench(t).key("a")
	b.event().Register(7000, stream.Window{})
	b.event().Register(-1, stream.Window{Start: 300, End: 70_000})
	b.event().Register(-1, stream.Window{})
	var want []byte
	for _, n := range []int64{-1, 0, 0, -1, 300, 70_000, 7000, 0, 0} {
		want = stream.AppendInt(want, n)
	}
	_, got := timersOf(t, b)
	suite.Equal(t, fmt.Sprintf("%x", want), fmt.Sprintf("%x", got), suite.Failure{
		Says:  "the timers are written in another form than the one that whoever reads the snapshot expects: at, the window's start, its end, each by stream.AppendInt",
		Input: "a@-1ms, a@-1ms in the window [300ms, 70s), a@7s",
	})
}

// manyTimers: a key with many keeps them in an index, and the snapshot must find them there.
func manyTimers(t *testing.T) {
	const many = 100
	b := newBench(t).key("a")
	for i := range stream.Time(many) {
		b.event().Register(i, stream.Window{})
	}
	after := b.restored(t)
	suite.Equal(t, b.String(), after.String(), suite.Failure{Says: "timers are missing after the restore", Input: fmt.Sprintf("%d timers of one key", many)})
}

func equalBytes(t *testing.T) {
	for _, many := range []int{1, 3, 30} {
		var want []byte
		for seed := range uint64(8) {
			b := newBench(t).key("a")
			for _, i := range rand.New(rand.NewPCG(seed, 6)).Perm(many) {
				b.event().Register(stream.Time(i/2), stream.Window{End: stream.Time(i % 2)})
			}
			got := groupBytes(t, b)
			if want == nil {
				want = got
			}
			if !bytes.Equal(want, got) {
				suite.Wrong(t, suite.Failure{
					Says:  "the same timers, set in another order, give other bytes: two snapshots of one state cannot be compared",
					Input: fmt.Sprintf("%d timers of one key, seed %d", many, seed), Got: fmt.Sprintf("%x", got), Want: fmt.Sprintf("%x", want),
				})
			}
		}
	}
}

// movesWithGroup deals the groups of one subtask out to two.
func movesWithGroup(t *testing.T) {
	b := newBench(t)
	for _, key := range []string{"a", "b", "k", "z"} {
		b.key(key).event().Register(5, stream.Window{})
	}
	for _, half := range []struct {
		first, last int
		want        string
	}{{0, 1, "fires b@5ms"}, {2, 3, "fires k@5ms a@5ms z@5ms"}} {
		backend := operators.NewHeap(half.first, half.last)
		for group := half.first; group <= half.last; group++ {
			bytes, err := b.c.Backend.Snapshot(group, nil)
			suite.NoError(t, err, "a snapshot is taken")
			suite.NoError(t, backend.Restore(group, bytes), "the snapshot is restored")
		}
		part := benchOver(t, backend, half.first, half.last)
		part.recover()
		suite.Equal(t, half.want, part.advance(stream.EventTime, 10, 10, nil), suite.Failure{
			Says: fmt.Sprintf("the subtask that took over the groups %d to %d has not their timers", half.first, half.last),
		})
	}
}

// damaged cuts and stretches the timers of a key.
func damaged(t *testing.T) {
	b := newBench(t).key("a")
	b.event().Register(1000, stream.Window{Start: 300, End: 70_000})
	b.event().Register(2000, stream.Window{})
	whole, content := timersOf(t, b)
	one := len(content) - 4 // the second timer is 2 bytes for 2000, and a 0 for each bound of its window
	for _, c := range []struct {
		name    string
		content []byte
		ok      bool
	}{
		{"untouched", content, true},
		{"without the second timer", content[:one], true},
		{"the last byte is missing", content[:len(content)-1], false},
		{"half a timer", content[:len(content)-2], false},
		{"one byte too many", append(bytes.Clone(content), 0), false},
		{"a number that does not end", append(bytes.Clone(content), 0xff, 0xff), false},
		{"a timer twice", append(bytes.Clone(content), content[one:]...), false},
	} {
		s := whole
		s.Body = stream.AppendContent(nil, "a", c.content)
		into := newBench(t)
		err := into.c.Backend.Restore(groupOf("a"), stream.AppendSection(nil, s))
		if c.ok {
			suite.NoError(t, err, c.name)
			continue
		}
		if err == nil {
			suite.Wrong(t, suite.Failure{
				Says: "damaged timers were taken for good ones: a lost timer is a request that is never billed", Input: c.name,
				Got: fmt.Sprintf("%x: no error", c.content), Want: "an error",
			})
		}
	}
}
