package lab07_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"gatewaymeter/internal/kit/suite"
	ours "gatewaymeter/labs/07-checkpoints/solution"
	checkpoints "gatewaymeter/labs/07-checkpoints/starter"
	"gatewaymeter/stream"
)

// Test7b: The keyed file: groups, order, index, any parallelism (35 min)
func Test7b(t *testing.T) {
	suite.Exercise(t, "7b", func(t *testing.T) {
		four := []stream.GroupSnapshot{{Group: 2, Bytes: []byte("two")}, {Group: 3, Bytes: []byte{}}, {Group: 7, Bytes: []byte("seven")}, {Group: 100, Bytes: []byte("a hundred")}}
		for _, c := range []struct {
			name        string
			groups      []stream.GroupSnapshot
			first, last int
			want        string
		}{
			{"all of them", four, 0, 127, `2:"two" 3:"" 7:"seven" 100:"a hundred"`},
			{"both ends belong to the range", four, 2, 7, `2:"two" 3:"" 7:"seven"`},
			{"one group", four, 7, 7, `7:"seven"`},
			{"a range with none of them", four, 8, 99, ``},
			{"no groups at all", nil, 0, 127, ``},
		} {
			suite.Sub(t, c.name, func(t *testing.T) {
				file, err := checkpoints.AppendKeyed(nil, c.groups)
				suite.NoError(t, err, "the groups are written")
				suite.Equal(t, c.want, readKeyed(t, file, c.first, c.last), suite.Failure{
					Says: "these are not the groups that were written", Input: fmt.Sprintf("groups %s, read from %d to %d", printGroups(c.groups), c.first, c.last),
				})
			})
		}
		suite.Sub(t, "it appends", func(t *testing.T) {
			file, err := checkpoints.AppendKeyed([]byte("before"), four)
			suite.NoError(t, err, "the groups are written")
			if len(file) < 6 || string(file[:6]) != "before" {
				suite.Wrong(t, suite.Failure{Says: "what dst held is gone", Got: fmt.Sprintf("%q", file)})
			}
			suite.Equal(t, `7:"seven"`, readKeyed(t, file[6:], 7, 7), suite.Failure{Says: "offsets count from the end of the index, wherever the file begins"})
		})
		suite.Sub(t, "the layout is the documented one", func(t *testing.T) {
			file, err := checkpoints.AppendKeyed(nil, four)
			suite.NoError(t, err, "the groups are written")
			want, err := ours.AppendKeyed(nil, four)
			suite.Harness(t, err)
			suite.Equal(t, fmt.Sprintf("% x", want), fmt.Sprintf("% x", file), suite.Failure{Says: "another program could not read this file", Input: printGroups(four)})
		})
		suite.Sub(t, "out of order or twice is refused", func(t *testing.T) {
			for _, groups := range [][]stream.GroupSnapshot{{{Group: 3}, {Group: 2}}, {{Group: 3}, {Group: 3}}} {
				if _, err := checkpoints.AppendKeyed(nil, groups); err == nil {
					suite.Wrong(t, suite.Failure{Says: "groups must ascend: whoever reads this file finds one of them, and nobody notices", Input: printGroups(groups), Got: "no error"})
				}
			}
		})
		suite.Sub(t, "2 subtasks, then 3, then 1", rescaled)
		suite.Sub(t, "damage is an error", damagedKeyed)
	})
}

func printGroups(groups []stream.GroupSnapshot) (s string) {
	for i, g := range groups {
		if i > 0 {
			s += " "
		}
		s += fmt.Sprintf("%d:%q", g.Group, g.Bytes)
	}
	return s
}

func readKeyed(t *testing.T, file []byte, first, last int) string {
	t.Helper()
	groups, err := checkpoints.ReadKeyed(file, first, last)
	suite.NoError(t, err, "the groups are read")
	return printGroups(groups)
}

// rescaled writes 12 groups at one parallelism and reads them at another: each exactly once.
func rescaled(t *testing.T) {
	const groups = 12
	first := func(subtask, parallelism int) int { return (subtask*groups + parallelism - 1) / parallelism }
	for _, c := range [][2]int{{2, 3}, {3, 1}, {1, 4}} {
		var files [][]byte
		for s := range c[0] {
			var own []stream.GroupSnapshot
			for g := first(s, c[0]); g < first(s+1, c[0]); g++ {
				own = append(own, stream.GroupSnapshot{Group: g, Bytes: fmt.Appendf(nil, "group %d", g)})
			}
			file, err := checkpoints.AppendKeyed(nil, own)
			suite.NoError(t, err, "the groups are written")
			files = append(files, file)
		}
		for s := range c[1] {
			from, to := first(s, c[1]), first(s+1, c[1])-1
			var got, want string
			for _, f := range files {
				if part := readKeyed(t, f, from, to); part != "" {
					got += part + " "
				}
			}
			for g := from; g <= to; g++ {
				want += fmt.Sprintf("%d:%q ", g, fmt.Sprintf("group %d", g))
			}
			suite.Equal(t, want, got, suite.Failure{
				Says: "at the new parallelism this subtask does not get its groups", Input: fmt.Sprintf("%d subtasks wrote; subtask %d of %d reads groups %d to %d", c[0], s, c[1], from, to),
			})
		}
	}
}

// damagedKeyed cuts a file at every byte, and overwrites its index with nonsense.
func damagedKeyed(t *testing.T) {
	file, err := ours.AppendKeyed(nil, []stream.GroupSnapshot{{Group: 1, Bytes: []byte("one")}, {Group: 2, Bytes: []byte("two")}})
	suite.Harness(t, err)
	for cut := range len(file) {
		_, err := checkpoints.ReadKeyed(file[:cut], 0, 9)
		if !errors.Is(err, stream.ErrCorrupt) {
			suite.Wrong(t, suite.Failure{Says: "a file that is cut off was taken for whole", Input: fmt.Sprintf("%d of %d bytes", cut, len(file)), Got: fmt.Sprint(err), Want: "an error that wraps stream.ErrCorrupt"})
		}
	}
	for field := 0; field < 28; field += 4 { // count, then two rows of three numbers
		bad := append([]byte(nil), file...)
		copy(bad[field:], []byte{0xff, 0xff, 0xff, 0xff})
		_, err := checkpoints.ReadKeyed(bad, 0, 9)
		isGroup := field == 4 || field == 16 // a group of another number is in nobody's range: the checksum's business
		if !isGroup && !errors.Is(err, stream.ErrCorrupt) {
			suite.Wrong(t, suite.Failure{Says: "an index that points nowhere was believed", Input: fmt.Sprintf("bytes %d to %d are ff", field, field+3), Got: fmt.Sprint(err), Want: "an error that wraps stream.ErrCorrupt"})
		}
	}
}

// Test7c: Operator state, broadcast state, source offsets (25 min)
func Test7c(t *testing.T) {
	suite.Exercise(t, "7c", func(t *testing.T) {
		lists := []stream.OperatorList{
			{Name: "sink-buffer", Mode: stream.EvenSplit, Elements: [][]byte{[]byte("a"), {}, []byte("c")}},
			{Name: "offsets", Mode: stream.Union, Elements: [][]byte{{0, 1, 2}}},
			{Name: "prices", Mode: stream.Broadcasts, Elements: [][]byte{stream.AppendEntry(nil, []byte("m"), []byte("3"))}},
			{Name: "retries", Mode: stream.EvenSplit, Elements: [][]byte{}},
		}
		for n := range len(lists) + 1 {
			suite.Sub(t, fmt.Sprintf("%d lists", n), func(t *testing.T) {
				w := stream.NewWire(append(checkpoints.AppendLists(nil, slices.Clone(lists[:n])), "rest"...))
				got, err := checkpoints.ReadLists(w)
				suite.NoError(t, err, "the lists are read")
				suite.Equal(t, printLists(lists[:n]), printLists(got), suite.Failure{Says: "these are not the lists that were written, in the order given"})
				suite.Equal(t, "rest", string(w.Rest()), suite.Failure{Says: "what follows the lists in the file is not left for the next to read"})
			})
		}
		suite.Sub(t, "an empty list is reported, and not nil", func(t *testing.T) {
			got, err := checkpoints.ReadLists(stream.NewWire(checkpoints.AppendLists(nil, lists[3:])))
			suite.NoError(t, err, "the lists are read")
			if len(got) != 1 || got[0].Elements == nil {
				suite.Wrong(t, suite.Failure{
					Says: "redistribution takes nil for a subtask that did not report this state", Input: printLists(lists[3:]), Got: fmt.Sprintf("%#v", got), Want: "one list with no elements, not nil",
				})
			}
		})
		suite.Sub(t, "cut off anywhere", func(t *testing.T) {
			file := ours.AppendLists(nil, lists)
			for cut := range len(file) {
				if _, err := checkpoints.ReadLists(stream.NewWire(file[:cut])); !errors.Is(err, stream.ErrCorrupt) {
					suite.Wrong(t, suite.Failure{Says: "a file that is cut off was taken for whole", Input: fmt.Sprintf("%d of %d bytes", cut, len(file)), Got: fmt.Sprint(err), Want: "an error that wraps stream.ErrCorrupt"})
				}
			}
		})
		suite.Sub(t, "a mode that does not exist", func(t *testing.T) {
			for _, mode := range []stream.Redistribution{0, stream.Broadcasts + 1, 200} {
				file := ours.AppendLists(nil, []stream.OperatorList{{Name: "n", Mode: mode}})
				if _, err := checkpoints.ReadLists(stream.NewWire(file)); !errors.Is(err, stream.ErrCorrupt) {
					suite.Wrong(t, suite.Failure{Says: "nobody can deal out a list of this mode", Input: fmt.Sprintf("mode %d", mode), Got: fmt.Sprint(err), Want: "an error that wraps stream.ErrCorrupt"})
				}
			}
		})
		suite.Sub(t, "noise never panics", func(t *testing.T) {
			for seed := range uint64(500) {
				random := rand.New(rand.NewPCG(seed, 73))
				noise := make([]byte, random.IntN(60))
				for i := range noise {
					noise[i] = byte(random.IntN(256))
				}
				_, _ = checkpoints.ReadLists(stream.NewWire(noise)) // a panic is WRONG
			}
		})
	})
}

func printLists(lists []stream.OperatorList) (s string) {
	for _, l := range lists {
		mode := fmt.Sprint(uint8(l.Mode))
		s += fmt.Sprintf("%s (mode %s): %q\n", l.Name, mode, l.Elements)
	}
	return s
}
