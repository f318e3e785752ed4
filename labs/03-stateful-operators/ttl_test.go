package lab03_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"gatewaymeter/engine"
	"gatewaymeter/internal/kit/suite"
	solution "gatewaymeter/labs/03-stateful-operators/solution"
	operators "gatewaymeter/labs/03-stateful-operators/starter"
	"gatewaymeter/stream"
)

// expiring is a context on our heap with the student's time to live over it, and its clock.
func expiring() (*stream.Context, *engine.ManualClock) {
	clock := new(engine.ManualClock)
	return on(operators.NewTTL(solution.NewHeap(0, groupCount-1), clock)), clock
}

// lives100 is a time to live of 100 ms.
func lives100(update stream.TTLUpdate, visibility stream.TTLVisibility) stream.Option {
	return stream.Expire(stream.TTL{After: 100 * time.Millisecond, Update: update, Visibility: visibility})
}

// Test3g: TTL: expiry, visibility, update type (35 min)
func Test3g(t *testing.T) {
	suite.Exercise(t, "3g", func(t *testing.T) {
		suite.Sub(t, "an entry has expired when stamp plus time to live is at or before now", func(t *testing.T) {
			c, clock := expiring()
			v := stream.NewValue(c, "v", stream.Int64, lives100(stream.OnCreateAndWrite, stream.NeverReturnExpired))
			under(c, "a")
			v.Update(5)
			for _, step := range []struct {
				at   stream.Time
				want string
			}{{99, "5"}, {100, "nothing"}, {101, "nothing"}} {
				clock.Set(step.at)
				suite.Equal(t, step.want, shown(v.Get()), suite.Failure{
					Says: "an entry expires at exactly its stamp plus its time to live", Input: fmt.Sprintf("Update(5) at 0ms, Get at %dms; time to live 100ms", step.at),
				})
			}
			suite.Equal(t, 0, c.Backend.Entries("v"), suite.Failure{Says: "a read that meets an expired entry removes it", Input: "Get at 100ms"})
		})
		suite.Sub(t, "a time to live near the end of time does not wrap", func(t *testing.T) {
			c, clock := expiring()
			clock.Set(stream.MaxTime - 10)
			v := stream.NewValue(c, "v", stream.Int64, lives100(stream.OnCreateAndWrite, stream.NeverReturnExpired))
			under(c, "a")
			v.Update(5)
			suite.Equal(t, "5", shown(v.Get()), suite.Failure{Says: "stamp plus time to live went past the largest number and came out in the past", Input: "Update(5) 10ms before the end of time, Get at once"})
		})
		suite.Sub(t, "what starts the clock anew", func(t *testing.T) {
			for update, want := range map[stream.TTLUpdate]string{stream.OnCreateAndWrite: "nothing", stream.OnReadAndWrite: "5"} {
				c, clock := expiring()
				v := stream.NewValue(c, "v", stream.Int64, lives100(update, stream.NeverReturnExpired))
				under(c, "a")
				v.Update(5)
				clock.Set(60)
				v.Get()
				clock.Set(120)
				suite.Equal(t, want, shown(v.Get()), suite.Failure{
					Says:  "a read counts as use with OnReadAndWrite, and only then",
					Input: fmt.Sprintf("%v: Update at 0ms, Get at 60ms, Get at 120ms", update),
				})
			}
		})
		suite.Sub(t, "an expired value may be seen once more", func(t *testing.T) {
			c, clock := expiring()
			v := stream.NewValue(c, "v", stream.Int64, lives100(stream.OnCreateAndWrite, stream.ReturnExpiredIfNotCleanedUp))
			under(c, "a")
			v.Update(5)
			clock.Set(200)
			suite.Equal(t, "5", shown(v.Get()), suite.Failure{Says: "with ReturnExpiredIfNotCleanedUp the first read of an expired value gives it", Input: "Update(5) at 0ms, Get at 200ms"})
			suite.Equal(t, "nothing", shown(v.Get()), suite.Failure{Says: "the read that gave an expired value removes it: it is seen this one last time", Input: "Get again at 200ms"})
		})
		suite.Sub(t, "a fold over an expired value starts anew", func(t *testing.T) {
			c, clock := expiring()
			sum := stream.NewReducing(c, "sum", stream.Int64, func(a, b int64) int64 { return a + b }, lives100(stream.OnCreateAndWrite, stream.NeverReturnExpired))
			under(c, "a")
			var got []string
			for _, step := range []struct {
				at  stream.Time
				add int64
			}{{0, 5}, {50, 7}, {170, 6}} {
				clock.Set(step.at)
				sum.Add(step.add)
				got = append(got, shown(sum.Get()))
			}
			suite.Equal(t, []string{"5", "12", "6"}, got, suite.Failure{Says: "an expired sum must not be added to", Input: "Add(5) at 0ms, Add(7) at 50ms, Add(6) at 170ms"})
		})
		suite.Sub(t, "list elements expire one by one", expiringList)
		suite.Sub(t, "map entries expire one by one", func(t *testing.T) {
			c, clock := expiring()
			m := stream.NewMap(c, "m", stream.String, stream.Int64, lives100(stream.OnCreateAndWrite, stream.NeverReturnExpired))
			under(c, "a")
			m.Put("old", 1)
			clock.Set(60)
			m.Put("young", 2)
			clock.Set(120)
			var keys []string
			for k := range m.All() {
				keys = append(keys, k)
			}
			suite.Equal(t, []string{"young"}, keys, suite.Failure{Says: "each entry has a stamp of its own", Input: "Put(old) at 0ms, Put(young) at 60ms, All at 120ms"})
		})
	})
}

// expiringList is a list under both visibilities.
func expiringList(t *testing.T) {
	for _, visible := range []stream.TTLVisibility{stream.NeverReturnExpired, stream.ReturnExpiredIfNotCleanedUp} {
		c, clock := expiring()
		l := stream.NewList(c, "l", stream.String, lives100(stream.OnCreateAndWrite, visible))
		under(c, "a")
		l.Add("old")
		clock.Set(60)
		l.Add("young")
		clock.Set(120)
		want := []string{"young"}
		if visible == stream.ReturnExpiredIfNotCleanedUp {
			want = []string{"old", "young"}
		}
		input := fmt.Sprintf("%v: Add(old) at 0ms, Add(young) at 60ms, Get at 120ms", visible)
		suite.Equal(t, want, l.Get(), suite.Failure{Says: "as long as one element lives, the list stays; which ones are shown is the visibility's affair", Input: input})
		clock.Set(160)
		l.Get()
		if got := l.Get(); len(got) != 0 {
			suite.Wrong(t, suite.Failure{Says: "a walk that met nothing alive clears the list", Input: input + ", Get twice at 160ms", Got: fmt.Sprint(got), Want: "[]"})
		}
		suite.Equal(t, 0, c.Backend.Entries("l"), suite.Failure{Says: "the entry must go with the last element", Input: input})
		l.Add("new")
		suite.Equal(t, []string{"new"}, l.Get(), suite.Failure{Says: "a list that was cleared can be used again", Input: input + ", Add(new)"})
	}
	suite.Sub(t, "with OnReadAndWrite a read restamps what is alive", func(t *testing.T) {
		c, clock := expiring()
		l := stream.NewList(c, "l", stream.String, lives100(stream.OnReadAndWrite, stream.NeverReturnExpired))
		under(c, "a")
		l.Add("x")
		clock.Set(60)
		l.Get()
		clock.Set(120)
		if !slices.Equal(l.Get(), []string{"x"}) {
			suite.Wrong(t, suite.Failure{Says: "the read at 60ms starts the element's clock anew", Input: "Add(x) at 0ms, Get at 60ms, Get at 120ms", Got: fmt.Sprint(l.Get()), Want: "[x]"})
		}
	})
}

// Test3h: TTL: incremental cleanup (20 min, optional)
func Test3h(t *testing.T) {
	suite.Exercise(t, "3h", func(t *testing.T) {
		suite.Sub(t, "the hand goes round and looks at n keys at a time", func(t *testing.T) {
			h := operators.NewHeap(0, groupCount-1)
			c := on(h)
			v := stream.NewValue(c, "v", stream.Int64)
			for i := range 20 {
				under(c, fmt.Sprintf("k-%02d", i))
				v.Update(int64(i))
			}
			sweeper := h.(stream.Sweeper)
			seen := map[int64]int{}
			for range 4 {
				before := len(seen)
				sweeper.Sweep("v", 5, func(v any) bool { seen[*v.(*int64)]++; return false })
				suite.Equal(t, before+5, len(seen), suite.Failure{Says: "a sweep looks at n keys that it has not seen in this round", Input: "20 keys, Sweep with n = 5"})
			}
			sweeper.Sweep("v", 5, func(v any) bool { seen[*v.(*int64)]++; return false })
			suite.Equal(t, 20, len(seen), suite.Failure{Says: "after the last key comes the first", Input: "20 keys, a fifth Sweep with n = 5"})
		})
		suite.Sub(t, "what has expired goes, although nobody reads it", func(t *testing.T) {
			clock := new(engine.ManualClock)
			c := on(operators.NewTTL(operators.NewHeap(0, groupCount-1), clock))
			v := stream.NewValue(c, "v", stream.Int64, stream.Expire(stream.TTL{After: 100 * time.Millisecond, Cleanup: stream.CleanupIncremental}))
			for i := range 100 {
				under(c, fmt.Sprintf("dead-%d", i))
				v.Update(1)
			}
			clock.Set(200)
			for range 30 {
				under(c, "alive")
				v.Update(2)
			}
			suite.Equal(t, 1, c.Backend.Entries("v"), suite.Failure{
				Says: "five keys an access: after 30 accesses of one key, 100 expired ones must be gone", Input: "100 keys written at 0ms, time to live 100ms, one other key written 30 times at 200ms",
			})
		})
		suite.Sub(t, "an empty state costs nothing", func(t *testing.T) {
			h := operators.NewHeap(0, groupCount-1)
			stream.NewValue(on(h), "v", stream.Int64)
			h.(stream.Sweeper).Sweep("v", 5, func(any) bool { return true })
			h.(stream.Sweeper).Sweep("never declared", 5, func(any) bool { return true })
		})
	})
}
