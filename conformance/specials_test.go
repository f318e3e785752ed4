package conformance

import (
	"os"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"gatewaymeter/labs/03-stateful-operators/serialised"
	operators "gatewaymeter/labs/03-stateful-operators/solution"
	"gatewaymeter/stream"
)

// The specials of keyed_state.jsonl are told in words, because Flink's two backends differ there, or
// because one would expect them to. Each is a test below, or a row of docs/differences-from-flink.md with a
// test of what is so here (differences_test.go).

// specialStep is a step of a special, in words, and what Flink's two backends gave.
type specialStep struct {
	Key     *string        `json:"key"`
	Do      string         `json:"do"`
	Heap    specialOutcome `json:"heap"`
	RocksDB specialOutcome `json:"rocksdb"`
}

type specialOutcome struct {
	Result any    `json:"result"`
	Error  string `json:"error"`
	Cause  string `json:"cause"`
}

// onBoth runs on ours, as Flink's heap and RocksDB.
func onBoth(t *testing.T, f func(t *testing.T, heap bool, open func() stream.Backend)) {
	f(t, true, func() stream.Backend { return operators.NewHeap(0, 0) })
	f(t, false, func() stream.Backend {
		b, err := serialised.New(t.TempDir(), 0, 0)
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, b.Close()) })
		return b
	})
}

// at is a context with key "a" current.
func at(b stream.Backend) *stream.Context {
	c := &stream.Context{Backend: b}
	c.SetKey(0, "a")
	return c
}

// moved is the backend's state in another one.
func moved(t *testing.T, from, to stream.Backend) stream.Backend {
	t.Helper()
	src, err := from.Snapshot(0, nil)
	require.NoError(t, err)
	require.NoError(t, to.Restore(0, src))
	return to
}

// word and num are values that may be null.
func word(s string) *string { return &s }
func num(n int64) *int64    { return &n }

// theBag is a state whose value is reached through a pointer, as a Java object is.
var theBag = stream.Optional[[]string](stream.JSON[[]string]())

// heapOnly is what Flink's heap shows and RocksDB does not: a change that was not stored.
func heapOnly(heap bool) []string {
	if heap {
		return []string{"p", "q"}
	}
	return []string{"p"}
}

var specials = map[string]func(t *testing.T){
	"value-mutate-without-update": func(t *testing.T) {
		onBoth(t, func(t *testing.T, heap bool, open func() stream.Backend) {
			b := open()
			bag := stream.NewValue(at(b), "bag", theBag)
			bag.Update(&[]string{"p"})
			got, _ := bag.Get()
			*got = append(*got, "q")
			got, _ = bag.Get()
			require.Equal(t, heapOnly(heap), *got)
			again := stream.NewValue(at(moved(t, b, open())), "bag", theBag)
			got, _ = again.Get()
			require.Equal(t, heapOnly(heap), *got, "after snapshot and restore")
		})
	},
	"value-mutate-after-update": func(t *testing.T) {
		onBoth(t, func(t *testing.T, heap bool, open func() stream.Backend) {
			c := at(open())
			bag := stream.NewValue(c, "bag", theBag)
			x := &[]string{"p"}
			bag.Update(x)
			c.SetKey(0, "b") // a serialised backend may wait with its bytes until the key changes
			c.SetKey(0, "a")
			*x = append(*x, "q")
			got, _ := bag.Get()
			require.Equal(t, heapOnly(heap), *got)
		})
	},
	"list-update-aliases-argument": func(t *testing.T) {
		onBoth(t, func(t *testing.T, _ bool, open func() stream.Backend) {
			list := stream.NewList(at(open()), "list", stream.String)
			x := []string{"p"}
			list.Update(x)
			x[0] = "changed"
			require.Equal(t, []string{"p"}, list.Get())
		})
	},
	"list-nulls": func(t *testing.T) {
		onBoth(t, func(t *testing.T, _ bool, open func() stream.Backend) {
			list := stream.NewList(at(open()), "list", stream.Optional(stream.String))
			list.Add(word("p"))
			for _, refused := range []func(){
				func() { list.Add(nil) },
				func() { list.AddAll(word("q"), nil) }, // what stood before the null stays, as on Flink's heap
				func() { list.Update([]*string{word("r"), nil}) },
			} {
				require.ErrorIs(t, stream.Try(refused), stream.ErrNull)
			}
			list.AddAll()
			require.Equal(t, []*string{word("p"), word("q")}, list.Get())
			list.Update(nil)
			require.Empty(t, list.Get())
			require.NotNil(t, list.Get(), "an empty list is empty, not null")
		})
	},
	"map-null-key": func(t *testing.T) {
		onBoth(t, func(t *testing.T, _ bool, open func() stream.Backend) {
			b := open()
			m := stream.NewMap(at(b), "map", stream.Optional(stream.String), stream.Int64)
			m.Put(nil, 1)
			again := stream.NewMap(at(moved(t, b, open())), "map", stream.Optional(stream.String), stream.Int64)
			for _, m := range []stream.Map[*string, int64]{m, again} {
				v, ok := m.Get(nil)
				require.True(t, ok)
				require.EqualValues(t, 1, v)
				for k := range m.All() {
					require.Nil(t, k)
				}
			}
		})
	},
	"map-null-value": func(t *testing.T) {
		onBoth(t, func(t *testing.T, _ bool, open func() stream.Backend) {
			b := open()
			values := stream.Optional(stream.Int64)
			m := stream.NewMap(at(b), "map", stream.String, values)
			m.Put("x", nil)
			again := stream.NewMap(at(moved(t, b, open())), "map", stream.String, values)
			for _, m := range []stream.Map[string, *int64]{m, again} {
				v, ok := m.Get("x")
				require.True(t, ok)
				require.Nil(t, v)
				require.True(t, m.Contains("x"))
				require.False(t, m.IsEmpty())
			}
		})
	},
	"map-remove-last-entry": func(t *testing.T) {
		onBoth(t, func(t *testing.T, _ bool, open func() stream.Backend) {
			b := open()
			m := stream.NewMap(at(b), "map", stream.String, stream.Int64)
			m.Put("x", 1)
			m.Remove("x")
			require.True(t, m.IsEmpty())
			require.Zero(t, b.Entries("map"))
		})
	},
	"reducing-null": func(t *testing.T) {
		b := operators.NewHeap(0, 0)
		sum := stream.NewReducing(at(b), "sum", stream.Optional(stream.Int64), func(a, b *int64) *int64 { return num(*a + *b) })
		sum.Add(num(5))
		sum.Add(nil)
		_, ok := sum.Get()
		require.False(t, ok, "null clears, as on Flink's heap")
		require.Zero(t, b.Entries("sum"))
	},
	"aggregating-null": func(t *testing.T) {
		b := operators.NewHeap(0, 0)
		sum := stream.NewAggregating(at(b), "sum", stream.JSON[[2]int64](), countedSum{})
		sum.Add(num(5))
		sum.Add(nil)
		_, ok := sum.Get()
		require.False(t, ok, "null clears, as on Flink's heap")
		require.Zero(t, b.Entries("sum"))
	},
	"keys-are-separate": func(t *testing.T) {
		onBoth(t, func(t *testing.T, _ bool, open func() stream.Backend) {
			c := at(open())
			value := stream.NewValue(c, "value", stream.Int64)
			value.Update(1)
			c.SetKey(0, "b")
			_, ok := value.Get()
			require.False(t, ok)
			value.Clear()
			c.SetKey(0, "a")
			v, _ := value.Get()
			require.EqualValues(t, 1, v)
		})
	},
}

// runSpecials runs a special's test, or looks for its row. Tests and rows add up to the specials of the
// vectors that stand here; another set may have fewer.
func runSpecials(t *testing.T, cases []keyedStateCase) {
	t.Helper()
	var ids []string
	for _, c := range cases {
		ids = append(ids, c.ID)
	}
	page, err := os.ReadFile(differencesPage)
	require.NoError(t, err)
	rows := map[string]bool{}
	for _, m := range regexp.MustCompile("(?m)^\\| `([a-z-]+)` \\|").FindAllSubmatch(page, -1) {
		rows[string(m[1])] = true
	}
	for _, id := range ids {
		test, tested := specials[id]
		switch {
		case tested && rows[id]:
			t.Errorf("special %q is both a test and a difference", id)
		case tested:
			t.Run(id, test)
		case rows[id] && differences[id] != nil:
			t.Run(id, differences[id])
		case rows[id]:
			t.Errorf("special %q is a difference without a test", id)
		default:
			t.Errorf("special %q is neither a test here nor a row of docs/differences-from-flink.md", id)
		}
	}
	if Dir() == ownVectors {
		require.Equal(t, len(ids), len(specials)+len(rows), "tests and rows add up to the specials of the file")
	}
}
