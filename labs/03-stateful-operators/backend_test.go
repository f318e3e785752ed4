package lab03_test

import (
	"errors"
	"fmt"
	"testing"

	"gatewaymeter/internal/kit/suite"
	operators "gatewaymeter/labs/03-stateful-operators/starter"
	"gatewaymeter/stream"
)

// shown is a value as a failure prints it.
func shown[T any](v T, ok bool) string {
	if !ok {
		return "nothing"
	}
	return fmt.Sprintf("%v", v)
}

// Test3d: Backend: current key, value state (40 min)
func Test3d(t *testing.T) {
	suite.Exercise(t, "3d", func(t *testing.T) {
		open := func() (*stream.Context, stream.Value[string]) {
			c := on(operators.NewHeap(0, groupCount-1))
			return c, stream.NewValue(c, "v", stream.String)
		}
		suite.Sub(t, "a value is found under the key that wrote it, and under no other", func(t *testing.T) {
			c, v := open()
			under(c, "a")
			v.Update("one")
			state := `Update("one") under "a"`
			under(c, "a") // before Get is called, not after
			suite.Equal(t, "one", shown(v.Get()), suite.Failure{Says: "a value cannot be read back", Input: `Get ` + under(c, "a"), State: state})
			under(c, "b") // before Get is called, not after
			suite.Equal(t, "nothing", shown(v.Get()), suite.Failure{Says: "a key sees another key's value", Input: "Get " + under(c, "b"), State: state})
			under(c, "b")
			v.Update("two")
			state += `, Update("two") under "b"`
			under(c, "a") // before Get is called, not after
			suite.Equal(t, "one", shown(v.Get()), suite.Failure{Says: "a write under one key changed another key's value", Input: "Get " + under(c, "a"), State: state})
			under(c, "b") // before Get is called, not after
			suite.Equal(t, "two", shown(v.Get()), suite.Failure{Says: "the value of the second key is lost", Input: "Get " + under(c, "b"), State: state})
		})
		suite.Sub(t, "the same key in two groups is two keys", func(t *testing.T) {
			c, v := open()
			c.SetKey(1, "a")
			v.Update("in 1")
			c.SetKey(2, "a")
			suite.Equal(t, "nothing", shown(v.Get()), suite.Failure{Says: "state is stored under (key group, key)", Input: `Get under key "a" in group 2`, State: `Update under key "a" in group 1`})
			c.SetKey(1, "a")
			suite.Equal(t, "in 1", shown(v.Get()), suite.Failure{Says: "the first group's value is gone", Input: `Get under key "a" in group 1`})
		})
		suite.Sub(t, "Clear takes the current key's value, and no other", func(t *testing.T) {
			c, v := open()
			for _, key := range []string{"a", "b"} {
				under(c, key)
				v.Update("of " + key)
			}
			input := "Clear " + under(c, "a")
			v.Clear()
			suite.Equal(t, "nothing", shown(v.Get()), suite.Failure{Says: "the value is still there", Input: input})
			under(c, "b")
			suite.Equal(t, "of b", shown(v.Get()), suite.Failure{Says: "another key's value went with it", Input: input})
			v.Clear()
			v.Clear() // nothing there is no error
		})
		suite.Sub(t, "Entries counts the keys that hold something", func(t *testing.T) {
			c, v := open()
			other := stream.NewValue(c, "other", stream.Int64)
			count := func(want, wantOther int, input string) {
				t.Helper()
				got := fmt.Sprintf("v %d, other %d", c.Backend.Entries("v"), c.Backend.Entries("other"))
				suite.Equal(t, fmt.Sprintf("v %d, other %d", want, wantOther), got, suite.Failure{Says: "Entries is off", Input: input})
			}
			for _, key := range []string{"a", "b", "c"} {
				under(c, key)
				v.Get()
				v.Clear()
			}
			count(0, 0, "Get and Clear under three keys, nothing written: reading must leave nothing behind")
			for _, key := range []string{"a", "b"} {
				under(c, key)
				v.Update("x")
				v.Update("y")
			}
			other.Update(1)
			count(2, 1, "two Updates each under a and b; other under b")
			v.Clear()
			count(1, 1, "Clear of v under b: other's value of b stays")
			other.Clear()
			under(c, "a")
			v.Clear()
			v.Clear()
			count(0, 0, "all cleared, v of a twice")
			under(c, "a")
			v.Update("z")
			count(1, 0, "Update under a again")
		})
		suite.Sub(t, "a key that holds nothing leaves nothing", func(t *testing.T) {
			c, v := open()
			under(c, "a")
			v.Update("x")
			v.Clear()
			group, err := c.Backend.Snapshot(groupOf("a"), nil)
			suite.NoError(t, err, "a snapshot succeeds")
			suite.Equal(t, 0, len(group), suite.Failure{Says: "a snapshot still has something of a cleared key", Input: "Update and Clear under a"})
		})
		suite.Sub(t, "without a key, state is an error that names it", func(t *testing.T) {
			for name, use := range map[string]func(v *stream.Value[string]){
				"Get":    func(v *stream.Value[string]) { v.Get() },
				"Update": func(v *stream.Value[string]) { v.Update("x") },
				"Clear":  func(v *stream.Value[string]) { v.Clear() },
			} {
				c, v := open()
				noKey(t, stream.Try(func() { use(&v) }), name+" before any key is set, as in Open")
				under(c, "a")
				v.Update("x")
				c.NoKey()
				noKey(t, stream.Try(func() { use(&v) }), name+" after NoKey, as in ProcessBroadcast")
			}
		})
		suite.Sub(t, "memory that is used again brings nothing of the last key along", func(t *testing.T) {
			c, v := open()
			n := stream.NewValue(c, "n", stream.Int64)
			for i := range 50 {
				input := "Get " + under(c, fmt.Sprint("k-", i))
				suite.Equal(t, "nothing", shown(v.Get()), suite.Failure{Says: "a new key finds the value of one that was cleared", Input: input})
				suite.Equal(t, "nothing", shown(n.Get()), suite.Failure{Says: "a new key finds the value of one that was cleared", Input: input})
				v.Update("x")
				if i%3 == 0 {
					n.Update(int64(i))
				}
				v.Clear()
				n.Clear()
			}
		})
		suite.Sub(t, "in the steady state no access allocates", func(t *testing.T) {
			c, v := open()
			keys := [2]string{"a", "b"}
			for i := range 10 {
				under(c, fmt.Sprint("k-", i))
				v.Update("x")
			}
			allocs := testing.AllocsPerRun(200, func() {
				for _, key := range keys {
					c.SetKey(7, key)
					v.Update("x")
				}
				for _, key := range keys {
					c.SetKey(7, key)
					v.Get()
					v.Clear()
				}
			})
			suite.Equal(t, 0.0, allocs, suite.Failure{
				Says:  "putting, getting and clearing two keys again and again allocates: keep a drawer and a value for the next key",
				Input: "Update, Update, Get, Clear, Get, Clear", Got: fmt.Sprintf("%v allocations a round", allocs),
			})
		})
		suite.Sub(t, "a group of one backend restores into another", func(t *testing.T) {
			c, v := open()
			for i := range 300 {
				under(c, fmt.Sprint("k-", i))
				v.Update(fmt.Sprint("v-", i))
			}
			again, w := open()
			for group := range groupCount {
				bytes, err := c.Backend.Snapshot(group, nil)
				suite.NoError(t, err, "a snapshot succeeds")
				suite.NoError(t, again.Backend.Restore(group, bytes), "a restore succeeds")
			}
			suite.Equal(t, 300, again.Backend.Entries("v"), suite.Failure{Says: "the restored backend has not as many entries", Input: "300 keys"})
			for i := range 300 {
				input := "Get " + under(again, fmt.Sprint("k-", i))
				suite.Equal(t, fmt.Sprint("v-", i), shown(w.Get()), suite.Failure{Says: "a restored value is not what was stored", Input: input})
			}
		})
	})
}

// noKey checks that err says which state was used without a key.
func noKey(t *testing.T, err error, input string) {
	t.Helper()
	var e *stream.StateError
	if !errors.Is(err, stream.ErrNoKey) || !errors.As(err, &e) || e.State != "v" {
		suite.Wrong(t, suite.Failure{
			Says: "state was used where no key is current, and that went through or was not named", Input: input,
			Got: fmt.Sprint(err), Want: `panic with a *stream.StateError: State "v", Err stream.ErrNoKey`,
		})
	}
}
