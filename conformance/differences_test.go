package conformance

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gatewaymeter/stream"
)

// differencesPage is where what is different on purpose stands, with reason, test and lab.
const differencesPage = "../docs/differences-from-flink.md"

// differences are the specials in which we differ: what is so here, on both backends.
var differences = map[string]func(t *testing.T){
	"value-default": func(t *testing.T) {
		onBoth(t, func(t *testing.T, _ bool, open func() stream.Backend) {
			value := stream.NewValue(at(open()), "value", stream.Int64)
			got, written := value.Get()
			require.Zero(t, got)
			require.False(t, written)
			value.Update(0)
			_, written = value.Get()
			require.True(t, written, "0 was written, which is not nothing")
		})
	},
	"list-mutate-returned": func(t *testing.T) {
		onBoth(t, func(t *testing.T, _ bool, open func() stream.Backend) {
			list := stream.NewList(at(open()), "list", stream.String)
			list.AddAll("p", "q")
			got := list.Get()
			got[0] = "changed"
			_ = append(got[:1], "more")
			require.Equal(t, []string{"p", "q"}, list.Get())
		})
	},
	"list-add-while-iterating": func(t *testing.T) {
		onBoth(t, func(t *testing.T, _ bool, open func() stream.Backend) {
			list := stream.NewList(at(open()), "list", stream.String)
			list.AddAll("p", "q")
			var seen []string
			for v := range list.All() {
				seen = append(seen, v)
				list.Add("r")
			}
			require.Equal(t, []string{"p", "q"}, seen)
			require.Equal(t, []string{"p", "q", "r", "r"}, list.Get())
		})
	},
	"list-refused-add-all-spoils-snapshot": func(t *testing.T) {
		onBoth(t, func(t *testing.T, _ bool, open func() stream.Backend) {
			b, values := open(), stream.Optional(stream.String)
			list := stream.NewList(at(b), "list", values)
			list.Add(word("p"))
			require.ErrorIs(t, stream.Try(func() { list.AddAll(word("q"), nil) }), stream.ErrNull)
			again := stream.NewList(at(moved(t, b, open())), "list", values)
			require.Equal(t, []*string{word("p"), word("q")}, again.Get())
		})
	},
	"map-put-while-iterating": func(t *testing.T) {
		onBoth(t, func(t *testing.T, _ bool, open func() stream.Backend) {
			m := stream.NewMap(at(open()), "map", stream.String, stream.Int64)
			m.Put("p", 1)
			m.Put("q", 2)
			seen := 0
			for k := range m.All() {
				seen++
				m.Put(k+"-new", 3)
			}
			require.Equal(t, 2, seen)
			require.Equal(t, 4, m.Len())
		})
	},
	"map-remove-through-iterator": func(t *testing.T) {
		onBoth(t, func(t *testing.T, _ bool, open func() stream.Backend) {
			b := open()
			m := stream.NewMap(at(b), "map", stream.String, stream.Int64)
			m.Put("p", 1)
			m.Put("q", 2)
			for k := range m.All() {
				m.Remove(k)
			}
			require.True(t, m.IsEmpty())
			require.Zero(t, b.Entries("map"))
		})
	},
	"map-put-all-empty": func(t *testing.T) {
		noMethod(t, "PutAll")
		onBoth(t, func(t *testing.T, _ bool, open func() stream.Backend) {
			b := open()
			m := stream.NewMap(at(b), "map", stream.String, stream.Int64)
			require.True(t, m.IsEmpty())
			require.Zero(t, b.Entries("map"), "a map without an entry is none")
			m.Put("p", 1)
			require.Equal(t, 1, b.Entries("map"))
		})
	},
	"map-put-all-null": func(t *testing.T) { noMethod(t, "PutAll") },
	"map-set-value-through-entry": func(t *testing.T) {
		noMethod(t, "Entries")
		onBoth(t, func(t *testing.T, _ bool, open func() stream.Backend) {
			m := stream.NewMap(at(open()), "map", stream.String, stream.Int64)
			m.Put("p", 1)
			for _, v := range m.All() {
				v++
				require.EqualValues(t, 2, v)
			}
			v, _ := m.Get("p")
			require.EqualValues(t, 1, v)
		})
	},
}

// noMethod makes sure that a way in which Flink's map state can go wrong is not there.
func noMethod(t *testing.T, name string) {
	t.Helper()
	_, there := reflect.TypeFor[*stream.Map[string, int64]]().MethodByName(name)
	require.False(t, there, "map state has %s now: differences-from-flink.md says that it has not", name)
}

// A row of the page that names a test names one that exists.
func TestDifferencesNameTheirTests(t *testing.T) {
	page, err := os.ReadFile(differencesPage)
	require.NoError(t, err)
	column, named := -1, 0
	for line := range strings.Lines(string(page)) {
		cells := strings.Split(strings.TrimSpace(line), "|")
		switch {
		case len(cells) < 3:
			column = -1
		case column < 0:
			for i, c := range cells {
				if strings.TrimSpace(c) == "test" {
					column = i
				}
			}
		case column < len(cells) && !strings.HasPrefix(strings.TrimSpace(cells[1]), "---"):
			named += testsNamed(t, cells[column])
		}
	}
	require.Greater(t, named, 15, "tests that the page names")
}

var (
	labTest  = regexp.MustCompile(`lab (\d\d), (Test\w+)`)
	testFile = regexp.MustCompile("`([\\w/.-]+_test\\.go)`")
)

// testsNamed counts the tests that a cell names, and wants at least one, or a dash.
func testsNamed(t *testing.T, cell string) (n int) {
	t.Helper()
	for _, m := range labTest.FindAllStringSubmatch(cell, -1) {
		n++
		require.True(t, labHas(t, m[1], m[2]), "lab %s has no %s", m[1], m[2])
	}
	for _, m := range testFile.FindAllStringSubmatch(cell, -1) {
		n++
		require.FileExists(t, filepath.Join("..", m[1]))
	}
	if n == 0 {
		require.Equal(t, "–", strings.TrimSpace(cell), "a difference names its test")
	}
	return n
}

// labHas looks for a test in a lab's suite.
func labHas(t *testing.T, lab, test string) bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", "labs", lab+"-*", "*_test.go"))
	require.NoError(t, err)
	for _, f := range files {
		src, err := os.ReadFile(f)
		require.NoError(t, err)
		if strings.Contains(string(src), "func "+test+"(") {
			return true
		}
	}
	return false
}
