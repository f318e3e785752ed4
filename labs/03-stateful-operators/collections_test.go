package lab03_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"gatewaymeter/internal/kit/suite"
	operators "gatewaymeter/labs/03-stateful-operators/starter"
	"gatewaymeter/stream"
)

// Test3e: List and map state, with Flink's null and empty rules (35 min)
func Test3e(t *testing.T) {
	suite.Exercise(t, "3e", func(t *testing.T) {
		testList(t)
		testMap(t)
	})
}

func testList(t *testing.T) {
	open := func() (*stream.Context, stream.List[*string]) {
		c := on(operators.NewHeap(0, groupCount-1))
		l := stream.NewList(c, "list", stream.Optional[string](stream.String))
		under(c, "a")
		return c, l
	}
	is := func(t *testing.T, l *stream.List[*string], want, input string) {
		t.Helper()
		suite.Equal(t, want, strings.Join(texts(l.Get()), " "), suite.Failure{Says: "the list holds something else", Input: input})
		suite.Equal(t, len(strings.Fields(want)), l.Len(), suite.Failure{Says: "Len is off", Input: input})
	}
	suite.Sub(t, "a list keeps elements in order, per key", func(t *testing.T) {
		c, l := open()
		is(t, &l, "", "nothing yet")
		l.AddAll(refs("p", "q")...)
		under(c, "b")
		l.Add(ref("x"))
		is(t, &l, "x", "Add(x) under b, after Add(p), Add(q) under a")
		under(c, "a")
		l.Add(ref("p"))
		is(t, &l, "p q p", "Add(p), Add(q), Add(p) under a")
		suite.Equal(t, 2, c.Backend.Entries("list"), suite.Failure{Says: "two keys have a list", Input: "lists under a and b"})
	})
	suite.Sub(t, "Update replaces, and an empty one clears", func(t *testing.T) {
		c, l := open()
		l.AddAll(refs("p", "q")...)
		l.Update(refs("r"))
		is(t, &l, "r", "Add(p), Add(q), Update([r])")
		l.Update(nil)
		is(t, &l, "", "Update([])")
		suite.Equal(t, 0, c.Backend.Entries("list"), suite.Failure{Says: "an empty list is no list: the entry must go", Input: "Update([])"})
		l.Update(refs())
		suite.Equal(t, 0, c.Backend.Entries("list"), suite.Failure{Says: "an empty list is no list", Input: "Update([]) on a key without a list"})
	})
	suite.Sub(t, "null elements are refused, and nothing changes", func(t *testing.T) {
		c, l := open()
		l.Add(ref("p"))
		refused(t, "list", stream.Try(func() { l.Add(nil) }), "Add(null)")
		is(t, &l, "p", "Add(p), Add(null)")
		refused(t, "list", stream.Try(func() { l.Update([]*string{ref("q"), nil}) }), "Update([q, null])")
		is(t, &l, "p", "Add(p), Update([q, null])")
		under(c, "b")
		refused(t, "list", stream.Try(func() { l.Add(nil) }), "Add(null) under a key without a list")
		suite.Equal(t, 1, c.Backend.Entries("list"), suite.Failure{Says: "a refused element left an entry behind", Input: "Add(null) under b"})
	})
	suite.Sub(t, "a walk shows what was there when it began", func(t *testing.T) {
		_, l := open()
		l.AddAll(refs("p", "q")...)
		var seen []string
		for e := range l.All() {
			if seen = append(seen, *e); len(seen) > 10 {
				break
			}
			l.Add(ref("new"))
		}
		suite.Equal(t, "p q", strings.Join(seen, " "), suite.Failure{Says: "elements that the walk itself adds are walked too", Input: "for each of p, q: Add(new)"})
		is(t, &l, "p q new new", "for each of p, q: Add(new)")
		seen = nil
		for e := range l.All() {
			seen = append(seen, *e)
			l.Clear()
			l.Add(ref("later"))
		}
		suite.Equal(t, "p q new new", strings.Join(seen, " "), suite.Failure{Says: "a Clear in the middle of a walk changed what it shows", Input: "for each: Clear, Add(later)"})
	})
	suite.Sub(t, "what Clear leaves is not seen by the next key", func(t *testing.T) {
		c, l := open()
		l.AddAll(refs("p", "q")...)
		l.Clear()
		is(t, &l, "", "Clear")
		under(c, "b")
		l.Add(ref("x"))
		is(t, &l, "x", "Add(p), Add(q), Clear under a; Add(x) under b")
	})
}

func testMap(t *testing.T) {
	open := func() (*stream.Context, stream.Map[string, *int64]) {
		c := on(operators.NewHeap(0, groupCount-1))
		m := stream.NewMap(c, "map", stream.String, stream.Optional[int64](stream.Int64))
		under(c, "a")
		return c, m
	}
	is := func(t *testing.T, m *stream.Map[string, *int64], want, input string) {
		t.Helper()
		suite.Equal(t, want, entriesOf(m), suite.Failure{Says: "the map holds something else, or in another order", Input: input})
		suite.Equal(t, len(strings.Fields(want)), m.Len(), suite.Failure{Says: "Len is off", Input: input})
	}
	suite.Sub(t, "a map keeps entries per key, and walks them by ascending map key", func(t *testing.T) {
		c, m := open()
		is(t, &m, "", "nothing yet")
		for i, key := range []string{"y", "x", "z", "x"} {
			m.Put(key, num(int64(i)))
		}
		is(t, &m, "x=3 y=0 z=2", "Put y 0, x 1, z 2, x 3")
		suite.Equal(t, "2", shown(value(m.Get("z"))), suite.Failure{Says: "Get finds another value", Input: "Get(z)"})
		suite.Equal(t, "nothing", shown(value(m.Get("w"))), suite.Failure{Says: "Get finds what was never put", Input: "Get(w)"})
		under(c, "b")
		is(t, &m, "", "the map of another key")
		m.Remove("x") // nothing there is no error
		suite.Equal(t, 1, c.Backend.Entries("map"), suite.Failure{Says: "a map counts as one entry, and reading makes none", Input: "three entries under a, none under b"})
	})
	suite.Sub(t, "null values are values", func(t *testing.T) {
		_, m := open()
		m.Put("x", nil)
		suite.Equal(t, true, m.Contains("x"), suite.Failure{Says: "an entry with a null value is an entry", Input: "Put(x, null), Contains(x)"})
		is(t, &m, "x=null", "Put(x, null)")
	})
	suite.Sub(t, "with the last entry the map goes", func(t *testing.T) {
		c, m := open()
		m.Put("x", num(1))
		m.Put("y", num(2))
		m.Remove("x")
		is(t, &m, "y=2", "Remove(x)")
		suite.Equal(t, 1, c.Backend.Entries("map"), suite.Failure{Says: "an entry is left, and so is the map", Input: "Put x and y, Remove(x)"})
		m.Remove("y")
		suite.Equal(t, 0, c.Backend.Entries("map"), suite.Failure{Says: "an emptied map lingers: the leak that Flink had as FLINK-21413", Input: "Put x and y, Remove both"})
		m.Put("z", num(3))
		is(t, &m, "z=3", "Remove all, Put(z, 3)")
		m.Clear()
		suite.Equal(t, "empty true, entries 0", fmt.Sprintf("empty %v, entries %d", m.IsEmpty(), c.Backend.Entries("map")), suite.Failure{Says: "Clear leaves something", Input: "Clear"})
		under(c, "b")
		m.Put("w", num(4))
		is(t, &m, "w=4", "Clear under a, Put(w, 4) under b")
	})
	suite.Sub(t, "entries may be removed and added during a walk", func(t *testing.T) {
		c, m := open()
		for i, key := range []string{"p", "q", "r"} {
			m.Put(key, num(int64(i)))
		}
		var seen []string
		for key := range m.All() {
			seen = append(seen, key)
			m.Remove("q")
			m.Put("s", num(9))
		}
		suite.Equal(t, "p r", strings.Join(seen, " "), suite.Failure{Says: "a removed entry is skipped, an added one not seen", Input: "at each of p, q, r: Remove(q), Put(s)"})
		for key := range m.All() {
			m.Remove(key)
		}
		suite.Equal(t, 0, c.Backend.Entries("map"), suite.Failure{Says: "a map emptied in a walk lingers", Input: "for each key: Remove(key)"})
	})
	suite.Sub(t, "a walk inside a walk is no trouble, nor are many entries", func(t *testing.T) {
		_, m := open()
		var want []string
		for i := range 70 {
			m.Put(fmt.Sprintf("k%02d", 69-i), num(1))
			want = append(want, fmt.Sprintf("k%02d", i))
		}
		pairs := 0
		var seen []string
		for key := range m.All() {
			seen = append(seen, key)
			for range m.All() {
				pairs++
			}
		}
		suite.Equal(t, strings.Join(want, " "), strings.Join(seen, " "), suite.Failure{Says: "the outer walk is off", Input: "70 entries, a walk at each"})
		suite.Equal(t, 70*70, pairs, suite.Failure{Says: "the inner walk is off", Input: "70 entries, a walk at each"})
	})
}

// refused checks that err says that a null was refused.
func refused(t *testing.T, state string, err error, input string) {
	t.Helper()
	var e *stream.StateError
	if !errors.Is(err, stream.ErrNull) || !errors.As(err, &e) || e.State != state {
		suite.Wrong(t, suite.Failure{
			Says: "a list holds no null elements", Input: input,
			Got: fmt.Sprint(err), Want: fmt.Sprintf("panic with a *stream.StateError: State %q, Err stream.ErrNull", state),
		})
	}
}

func ref(s string) *string { return &s }
func num(n int64) *int64   { return &n }

func refs(ss ...string) (all []*string) {
	for _, s := range ss {
		all = append(all, ref(s))
	}
	return all
}

func texts(refs []*string) (all []string) {
	for _, r := range refs {
		if r == nil {
			all = append(all, "null")
		} else {
			all = append(all, *r)
		}
	}
	return all
}

// value is a nullable value, for shown.
func value(v *int64, ok bool) (string, bool) {
	if v == nil {
		return "null", ok
	}
	return fmt.Sprint(*v), ok
}

func entriesOf(m *stream.Map[string, *int64]) string {
	var all []string
	for key, v := range m.All() {
		all = append(all, key+"="+shown(value(v, true)))
	}
	return strings.Join(all, " ")
}
