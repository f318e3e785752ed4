package timers

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	operators "gatewaymeter/labs/03-stateful-operators/solution"
	"gatewaymeter/stream"
)

// rig is a timer service on the heap backend, with a key group for each of ten keys.
type rig struct {
	c *stream.Context
	s *service
}

func newRig(t testing.TB, d stream.Domain) *rig {
	c := &stream.Context{Backend: operators.NewHeap(0, 9), LastGroup: 9}
	s, err := NewService(c, d)
	require.NoError(t, err)
	return &rig{c, s.(*service)}
}

func (r *rig) key(n int) { r.c.SetKey(n%10, fmt.Sprintf("key-%d", n)) }

func (r *rig) fired(t testing.TB, to stream.Time) (timers []stream.Timer) {
	more, err := r.s.Advance(to, 1<<30, func(d stream.Timer) error {
		require.Equal(t, d.Key, r.c.Key())
		timers = append(timers, d)
		return nil
	})
	require.NoError(t, err)
	require.False(t, more)
	return timers
}

// Against a model that is nothing but a sorted slice: every operation, every count, every firing.
func TestServiceAgainstAModel(t *testing.T) {
	for seed := range uint64(12) {
		t.Logf("seed %d", seed)
		random := rand.New(rand.NewPCG(seed, 6))
		r := newRig(t, stream.EventTime)
		model := map[stream.Timer]bool{}
		for range 1000 {
			n := random.IntN(1 + int(seed))
			timer := stream.Timer{
				At: stream.Time(random.IntN(100)), Group: n % 10, Key: fmt.Sprintf("key-%d", n),
				Window: stream.Window{End: stream.Time(random.IntN(3))},
			}
			r.key(n)
			switch random.IntN(10) {
			case 0:
				to := stream.Time(random.IntN(60))
				var due []stream.Timer
				for d := range model {
					if d.At <= to {
						due = append(due, d)
						delete(model, d)
					}
				}
				slices.SortFunc(due, byFiring)
				require.Equal(t, due, r.fired(t, to), "seed %d", seed)
			case 1, 2, 3:
				r.s.Delete(timer.At, timer.Window)
				delete(model, timer)
			case 4:
				r = restored(t, r)
			default:
				r.s.Register(timer.At, timer.Window)
				model[timer] = true
			}
			require.Equal(t, len(model), r.s.Len(), "seed %d", seed)
			keys := map[string]bool{}
			for d := range model {
				keys[d.Key] = true
			}
			require.Equal(t, len(keys), r.c.Backend.Entries(r.s.state), "seed %d", seed)
		}
	}
}

func byFiring(a, b stream.Timer) int {
	x := timer{at: a.At, group: a.Group, key: a.Key, window: a.Window}
	y := timer{at: b.At, group: b.Group, key: b.Key, window: b.Window}
	return x.compare(&y)
}

// restored is the same timers in a new service, by way of snapshots.
func restored(t testing.TB, r *rig) *rig {
	next := newRig(t, r.s.domain)
	for group := range 10 {
		bytes, err := r.c.Backend.Snapshot(group, nil)
		require.NoError(t, err)
		require.NoError(t, next.c.Backend.Restore(group, bytes))
	}
	require.NoError(t, next.s.Recover())
	return next
}

func TestAMillionTimersOfOneKey(t *testing.T) {
	const many = million
	r := newRig(t, stream.EventTime)
	r.key(1)
	for i := range stream.Time(many) {
		r.s.Register(many-i, stream.Window{})
	}
	require.Equal(t, many, r.s.Len())
	fired, at := 0, stream.NoTime
	more := true
	for more {
		var err error
		more, err = r.s.Advance(stream.MaxTime, 1000, func(d stream.Timer) error {
			if d.At <= at {
				return fmt.Errorf("%v after %v", d.At, at)
			}
			fired, at = fired+1, d.At
			return nil
		})
		require.NoError(t, err)
	}
	require.Equal(t, many, fired)
	require.Zero(t, r.c.Backend.Entries(r.s.state))
}

// A million timers of as many keys are due at the same instant: they fire in slices, none twice, each
// under its own key, and nothing is left.
func TestAMillionTimersDueAtOnce(t *testing.T) {
	const many, at, slice = million, 1000, 1024
	r := newRig(t, stream.EventTime)
	for i := range many {
		r.key(i)
		r.s.Register(at, stream.Window{})
	}
	more, err := r.s.Advance(at-1, slice, func(d stream.Timer) error { return fmt.Errorf("%v fires early", d) })
	require.NoError(t, err)
	require.False(t, more)
	fired, slices := 0, 0
	for more = true; more; slices++ {
		before := fired
		more, err = r.s.Advance(at, slice, func(d stream.Timer) error {
			if d.Key != r.c.Key() || d.At != at {
				return fmt.Errorf("%v fires under key %q", d, r.c.Key())
			}
			fired++
			return nil
		})
		require.NoError(t, err)
		require.LessOrEqual(t, fired-before, slice)
	}
	require.Equal(t, many, fired)
	require.Equal(t, many/slice+1, slices)
	require.Zero(t, r.s.Len())
	require.Zero(t, r.c.Backend.Entries(r.s.state))
}

func BenchmarkRegisterDelete(b *testing.B) {
	for _, open := range []int{1, 1000, 100_000} {
		b.Run(fmt.Sprintf("open=%d", open), func(b *testing.B) {
			r := newRig(b, stream.EventTime)
			random := rand.New(rand.NewPCG(1, 6))
			data := stream.NewValue(r.c, "data", stream.Int64) // a drawer is not there for its timer alone
			keys, at := make([]string, open), make([]stream.Time, open)
			for i := range keys {
				keys[i] = fmt.Sprintf("key-%d", i)
				r.c.SetKey(i%10, keys[i])
				data.Update(1)
				at[i] = stream.Time(i)
				r.s.Register(at[i], stream.Window{})
			}
			b.ReportAllocs()
			for now := stream.Time(open); b.Loop(); now++ {
				k := random.IntN(open)
				r.c.SetKey(k%10, keys[k])
				r.s.Delete(at[k], stream.Window{})
				at[k] = now
				r.s.Register(now, stream.Window{})
			}
		})
	}
}
