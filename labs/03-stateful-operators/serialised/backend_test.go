package serialised_test

import (
	"fmt"
	"gatewaymeter/gateway"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gatewaymeter/labs/03-stateful-operators/serialised"
	operators "gatewaymeter/labs/03-stateful-operators/solution"
	"gatewaymeter/stream"
)

type clock struct{ now stream.Time }

func (c *clock) Now() stream.Time { return c.now }

// side is one backend with a state of each kind, plain and expiring.
type side struct {
	name    string
	make    func() stream.Backend
	c       *stream.Context
	value   [2]stream.Value[string]
	list    [2]stream.List[string]
	table   [2]stream.Map[string, int64]
	fold    [2]stream.Reducing[int64]
	average [2]stream.Aggregating[int64, []int64, string]
}

// trail is an accumulator that shares memory, and would show it.
type trail struct{}

func (trail) Create() []int64               { return nil }
func (trail) Add(acc *[]int64, in int64)    { *acc = append(*acc, in) }
func (trail) Result(acc []int64) string     { return fmt.Sprint(acc) }
func (trail) Merge(acc *[]int64, o []int64) { *acc = append(*acc, o...) }

const groups = 4

func (s *side) open(ttl stream.TTL) {
	s.c = &stream.Context{Backend: s.make()}
	for i, options := range [][]stream.Option{nil, {stream.Expire(ttl)}} {
		name := func(kind string) string { return fmt.Sprintf("%s-%d", kind, i) }
		s.value[i] = stream.NewValue(s.c, name("value"), stream.String, options...)
		s.list[i] = stream.NewList(s.c, name("list"), stream.String, options...)
		s.table[i] = stream.NewMap(s.c, name("map"), stream.String, stream.Int64, options...)
		s.fold[i] = stream.NewReducing(s.c, name("fold"), stream.Int64, func(a, b int64) int64 { return a + b }, options...)
		s.average[i] = stream.NewAggregating(s.c, name("average"), stream.JSON[[]int64](), trail{}, options...)
	}
}

// step does one random thing and says what came of it.
func (s *side) step(r *rand.Rand) string {
	key := fmt.Sprintf("k%d\x00%c", r.IntN(6), "ab\x00\x01\xff"[r.IntN(5)])
	s.c.SetKey(len(key)*7%groups, key)
	i, n, x := r.IntN(2), r.Int64N(100), string("xyz\x00"[r.IntN(4)])
	switch r.IntN(19) {
	case 0:
		s.value[i].Update(x)
	case 1:
		v, ok := s.value[i].Get()
		return fmt.Sprint("value ", v, ok)
	case 2:
		s.value[i].Clear()
	case 3, 4:
		s.list[i].Add(x)
	case 5:
		return fmt.Sprint("list ", s.list[i].Get(), s.list[i].Len())
	case 6:
		s.list[i].Update([]string{x, "u"}[:r.IntN(3)])
	case 7:
		s.list[i].Clear()
	case 8, 9:
		s.table[i].Put(x, n)
	case 10:
		v, ok := s.table[i].Get(x)
		return fmt.Sprint("map ", v, ok)
	case 11:
		s.table[i].Remove(x)
	case 12:
		var all []any
		for k, v := range s.table[i].All() {
			all = append(all, k, v)
			if n%3 == 0 {
				s.table[i].Remove(x)
			}
		}
		return fmt.Sprint("map ", all, s.table[i].Len())
	case 13:
		s.table[i].Clear()
	case 14:
		s.fold[i].Add(n)
		v, ok := s.fold[i].Get()
		return fmt.Sprint("fold ", v, ok)
	case 15:
		s.fold[i].Clear()
	case 16:
		s.average[i].Add(n)
	case 17:
		v, ok := s.average[i].Get()
		return fmt.Sprint("average ", v, ok)
	case 18:
		s.average[i].Clear()
	}
	return ""
}

func (s *side) snapshot(t *testing.T) (all [groups][]byte) {
	for g := range all {
		var err error
		all[g], err = s.c.Backend.Snapshot(g, nil)
		require.NoError(t, err)
	}
	return all
}

func (s *side) entries() (n []int) {
	for _, state := range s.c.States {
		n = append(n, s.c.Backend.Entries(state))
	}
	return n
}

// walked is the keys with content, counted by walking.
func (s *side) walked(t *testing.T) (n []int) {
	for _, state := range s.c.States {
		keys := 0
		for g := range groups {
			var seen []string
			require.NoError(t, s.c.Backend.Each(state, g, func(key string, _ any) error {
				seen = append(seen, key)
				return nil
			}))
			require.True(t, slices.IsSorted(seen), "%s: keys ascend: %q", s.name, seen)
			keys += len(seen)
		}
		n = append(n, keys)
	}
	return n
}

// Both backends do the same, step by step, whatever the steps; their snapshots are the same bytes, and
// each restores the other's.
func TestSameAsHeap(t *testing.T) {
	for seed := range uint64(24) {
		clock := &clock{}
		ttl := stream.TTL{
			After:      10 * time.Millisecond,
			Update:     stream.TTLUpdate(seed % 2),
			Visibility: stream.TTLVisibility(seed / 2 % 2),
			Cleanup:    []stream.TTLCleanup{stream.CleanupOnRead, stream.CleanupInSnapshot}[seed/4%2],
		}
		sides := []*side{
			{name: "heap", make: func() stream.Backend { return operators.NewTTL(operators.NewHeap(0, groups-1), clock) }},
			{name: "serialised", make: func() stream.Backend {
				b, err := serialised.New(t.TempDir(), 0, groups-1)
				require.NoError(t, err)
				t.Cleanup(func() { _ = b.Close() })
				return operators.NewTTL(b, clock)
			}},
		}
		for _, s := range sides {
			s.open(ttl)
		}
		r := rand.New(rand.NewPCG(seed, 3))
		for step := range 600 {
			where := fmt.Sprintf("seed %d, step %d", seed, step)
			turn := r.Uint64()
			heap := sides[0].step(rand.New(rand.NewPCG(turn, 0)))
			other := sides[1].step(rand.New(rand.NewPCG(turn, 0)))
			require.Equal(t, heap, other, where)
			require.Equal(t, sides[0].entries(), sides[1].entries(), where)
			switch r.IntN(40) {
			case 0:
				clock.now += stream.Time(r.IntN(8))
			case 1:
				for _, s := range sides {
					require.NoError(t, s.c.Backend.Flush())
					require.Equal(t, s.entries(), s.walked(t), "%s: %s", where, s.name)
				}
			case 2:
				a, b := sides[0].snapshot(t), sides[1].snapshot(t)
				require.Equal(t, a, b, where)
				for _, s := range sides {
					if r.IntN(2) == 0 { // half the time, declare before the restore
						s.open(ttl)
						for g := range a {
							require.NoError(t, s.c.Backend.Restore(g, a[g]))
						}
						continue
					}
					fresh := s.make()
					for g := range a {
						require.NoError(t, fresh.Restore(g, a[g]))
					}
					made := s.make
					s.make = func() stream.Backend { return fresh }
					s.open(ttl)
					s.make = made
				}
			}
		}
	}
}

// A value that is changed without Update stays as it was, and one that was stored is not changed by
// what happens to the variable afterwards. On the heap both changes would show.
func TestCopies(t *testing.T) {
	b, err := serialised.New(t.TempDir(), 0, 0)
	require.NoError(t, err)
	defer b.Close()
	c := &stream.Context{Backend: b}
	bag := stream.NewValue(c, "bag", stream.JSON[[]string]())
	c.SetKey(0, "a")

	x := []string{"p"}
	bag.Update(x)
	x[0] = "changed after Update"
	got, _ := bag.Get()
	require.Equal(t, []string{"p"}, got)

	got[0] = "changed without Update"
	got, _ = bag.Get()
	require.Equal(t, []string{"p"}, got)
}

// Expired entries of keys that nobody reads go, a few at every Flush.
func TestSweep(t *testing.T) {
	clock := &clock{}
	b, err := serialised.New(t.TempDir(), 0, groups-1)
	require.NoError(t, err)
	defer b.Close()
	c := &stream.Context{Backend: operators.NewTTL(b, clock)}
	expire := stream.Expire(stream.TTL{After: 10 * time.Millisecond, Cleanup: stream.CleanupIncremental})
	v := stream.NewValue(c, "v", stream.Int64, expire)
	m := stream.NewMap(c, "m", stream.String, stream.Int64, expire)
	l := stream.NewList(c, "l", stream.Int64, expire)
	for i := range 100 {
		c.SetKey(i%groups, fmt.Sprint("old-", i))
		v.Update(1)
		m.Put("x", 1)
		m.Put("y", 1)
		l.Add(1)
	}
	clock.now = 10
	for i := range 10 {
		c.SetKey(i%groups, fmt.Sprint("new-", i))
		v.Update(2)
		m.Put("x", 2)
		l.Add(2)
	}
	for range 50 {
		c.SetKey(1, "reader")
		v.Get()
		m.Get("x")
		l.Get()
		require.NoError(t, c.Backend.Flush())
	}
	for _, state := range c.States {
		require.Equal(t, 10, c.Backend.Entries(state), state)
	}
}

func TestFiles(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "made")
	b, err := serialised.New(dir, 0, 0)
	require.NoError(t, err)
	require.NoError(t, b.Close())
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Empty(t, left, "Close removes what New made")

	b, err = serialised.New(dir, 0, 0, serialised.Keep())
	require.NoError(t, err)
	require.NoError(t, b.Close())
	left, err = os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, left, 1, "Keep keeps it")
}

func TestFaults(t *testing.T) {
	b, err := serialised.New(t.TempDir(), 4, 7)
	require.NoError(t, err)
	defer b.Close()
	c := &stream.Context{Backend: b}
	v := stream.NewValue(c, "v", stream.Int64)
	require.ErrorIs(t, stream.Try(func() { v.Get() }), stream.ErrNoKey)
	require.ErrorIs(t, stream.Try(func() { v.Update(1) }), stream.ErrNoKey)
	require.ErrorContains(t, stream.Try(func() { c.SetKey(3, "a") }), "not one of this subtask's (4 to 7)")
	require.ErrorContains(t, stream.Try(func() { stream.NewList(c, "v", stream.Int64) }), "one name is one state")

	c.SetKey(4, "a")
	v.Update(1)
	group, err := b.Snapshot(4, nil)
	require.NoError(t, err)
	other, err := serialised.New(t.TempDir(), 4, 7)
	require.NoError(t, err)
	defer other.Close()
	stream.NewValue(&stream.Context{Backend: other}, "v", stream.String)
	require.ErrorContains(t, other.Restore(4, group), `stored as a value state of int64 and is now declared as a value state of string`)
	require.ErrorIs(t, other.Restore(4, group[:len(group)-3]), stream.ErrCorrupt)
}

var openRequest = gateway.OpenRequest{RequestID: "request-1", TenantID: "tenant-0001", Model: "model-a", StartedTS: 1700000040000, PromptTokens: 500}

func BenchmarkPutGetClear(b *testing.B) {
	backend, err := serialised.New(b.TempDir(), 0, 127)
	require.NoError(b, err)
	defer backend.Close()
	c := &stream.Context{Backend: backend}
	v := stream.NewValue(c, "v", operators.OpenRequests)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		c.SetKey(i%128, fmt.Sprint("request-", i))
		v.Update(openRequest)
		if i >= 1000 {
			j := i - 1000
			c.SetKey(j%128, fmt.Sprint("request-", j))
			v.Get()
			v.Clear()
		}
		if i%200 == 0 {
			require.NoError(b, backend.Flush())
		}
	}
}
