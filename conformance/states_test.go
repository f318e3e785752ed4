package conformance

import (
	"cmp"
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gatewaymeter/labs/03-stateful-operators/serialised"
	operators "gatewaymeter/labs/03-stateful-operators/solution"
	"gatewaymeter/stream"
)

// stateAction is one step of a script on keyed state.
type stateAction struct {
	Op     string            `json:"op"`
	Key    string            `json:"key"`
	Args   []json.RawMessage `json:"args"`
	Result json.RawMessage   `json:"result"` // nil: nothing is asked
	Error  string            `json:"error"`
}

// countedSum is the aggregating state of the vectors: the sum of what was added, and how many.
type countedSum struct{}

func (countedSum) Create() [2]int64                { return [2]int64{} }
func (countedSum) Add(acc *[2]int64, in *int64)    { acc[0] += *in; acc[1]++ }
func (countedSum) Result(acc [2]int64) [2]int64    { return acc }
func (countedSum) Merge(acc *[2]int64, o [2]int64) { acc[0] += o[0]; acc[1] += o[1] }

// states is one operator with a state of each kind, on a backend of one key group. Elements are
// pointers, so that a script's nulls are nil.
type states struct {
	backend string // "heap" or "serialised"
	clock   stream.Clock
	options []stream.Option
	ctx     *stream.Context

	value       stream.Value[*int64]
	list        stream.List[*string]
	table       stream.Map[string, *int64]
	reducing    stream.Reducing[*int64]
	aggregating stream.Aggregating[*int64, [2]int64, [2]int64]

	// hollow are the keys whose map Flink's heap keeps as an entry although nothing is in it: see
	// "an emptied map" in docs/differences-from-flink.md.
	hollow map[string]bool
}

// backends are what every vector of keyed state runs on: their results are the same.
var backends = []string{"heap", "serialised"}

func newStates(t *testing.T, backend string, clock stream.Clock, options ...stream.Option) *states {
	s := &states{backend: backend, clock: clock, options: options, hollow: map[string]bool{}}
	s.open(t)
	return s
}

func (s *states) open(t *testing.T) {
	t.Helper()
	s.close(t)
	s.ctx = &stream.Context{Backend: operators.NewTTL(newBackend(t, s.backend), s.clock)}
	number := stream.Optional[int64](stream.Int64)
	s.value = stream.NewValue(s.ctx, "value", number, s.options...)
	s.list = stream.NewList(s.ctx, "list", stream.Optional[string](stream.String), s.options...)
	s.table = stream.NewMap(s.ctx, "map", stream.String, number, s.options...)
	s.reducing = stream.NewReducing(s.ctx, "reducing", number, func(a, b *int64) *int64 { c := *a + *b; return &c }, s.options...)
	s.aggregating = stream.NewAggregating(s.ctx, "aggregating", stream.JSON[[2]int64](), countedSum{}, s.options...)
}

// close gives back what the backend holds; a set of vectors may open thousands of them.
func (s *states) close(t *testing.T) {
	t.Helper()
	if s.ctx != nil {
		require.NoError(t, s.ctx.Backend.Close())
	}
}

// newBackend makes a backend of one key group.
func newBackend(t *testing.T, name string) stream.Backend {
	t.Helper()
	if name == "heap" {
		return operators.NewHeap(0, 0)
	}
	b, err := serialised.New(t.TempDir(), 0, 0)
	require.NoError(t, err)
	return b
}

// restore takes a snapshot and starts a new operator from it.
func (s *states) restore(t *testing.T) {
	t.Helper()
	snapshot, err := s.ctx.Backend.Snapshot(0, nil)
	require.NoError(t, err)
	s.open(t)
	require.NoError(t, s.ctx.Backend.Restore(0, snapshot))
}

// entries counts as Flink's heap does: one a key and state.
func (s *states) entries() int {
	n := len(s.hollow)
	for _, state := range s.ctx.States {
		n += s.ctx.Backend.Entries(state)
	}
	return n
}

// do runs one action and checks its result or its error.
func (s *states) do(t *testing.T, a stateAction, where string) {
	t.Helper()
	switch a.Op {
	case "time":
		return
	case "restore":
		s.restore(t)
		return
	}
	s.ctx.SetKey(0, a.Key)
	state, method, _ := strings.Cut(a.Op, ".")
	var result any
	err := stream.Try(func() { result = s.call(t, state, method, a) })
	if a.Error != "" {
		require.Error(t, err, "Flink throws %s: %s", a.Error, where)
		return
	}
	require.NoError(t, err, where)
	if a.Result != nil {
		got, err := json.Marshal(result)
		require.NoError(t, err)
		require.JSONEq(t, string(a.Result), string(got), where)
	}
}

func (s *states) call(t *testing.T, state, method string, a stateAction) any {
	t.Helper()
	switch state {
	case "value":
		return s.callValue(t, method, a)
	case "list":
		return s.callList(t, method, a)
	case "map":
		return s.callMap(t, method, a)
	case "reducing", "aggregating":
		return s.callFold(t, state, method, a)
	}
	t.Fatalf("state %q is not known here", state)
	return nil
}

func (s *states) callValue(t *testing.T, method string, a stateAction) any {
	switch method {
	case "get":
		return orNull(s.value.Get())
	case "update":
		s.value.Update(arg[*int64](t, a, 0))
	case "clear":
		s.value.Clear()
	default:
		t.Fatalf("method %q is not known here", a.Op)
	}
	return nil
}

func (s *states) callList(t *testing.T, method string, a stateAction) any {
	switch method {
	case "get":
		return s.list.Get()
	case "add":
		s.list.Add(arg[*string](t, a, 0))
	case "add_all":
		s.list.AddAll(notNull(arg[[]*string](t, a, 0))...)
	case "update":
		s.list.Update(notNull(arg[[]*string](t, a, 0)))
	case "clear":
		s.list.Clear()
	default:
		t.Fatalf("method %q is not known here", a.Op)
	}
	return nil
}

// notNull refuses a null list, which Go's nil slice cannot be told from an empty one.
func notNull(es []*string) []*string {
	if es == nil {
		panic(&stream.StateError{State: "list", Err: stream.ErrNull})
	}
	return es
}

func (s *states) callMap(t *testing.T, method string, a stateAction) any {
	had := !s.table.IsEmpty()
	defer func() {
		emptied := had && s.table.IsEmpty() && slices.Contains([]string{"entries", "keys", "values"}, method)
		switch {
		case emptied:
			s.hollow[a.Key] = true
		case method == "clear", method == "remove", !s.table.IsEmpty():
			delete(s.hollow, a.Key)
		}
	}()
	switch method {
	case "get":
		return orNull(s.table.Get(arg[string](t, a, 0)))
	case "contains":
		return s.table.Contains(arg[string](t, a, 0))
	case "is_empty":
		return s.table.IsEmpty()
	case "entries", "keys", "values":
		return s.walk(method)
	case "put":
		s.table.Put(arg[string](t, a, 0), arg[*int64](t, a, 1))
	case "put_all":
		all := arg[map[string]*int64](t, a, 0)
		for key, v := range all {
			s.table.Put(key, v)
		}
		if !had && len(all) == 0 {
			s.hollow[a.Key] = true
		}
	case "remove":
		s.table.Remove(arg[string](t, a, 0))
	case "clear":
		s.table.Clear()
	default:
		t.Fatalf("method %q is not known here", a.Op)
	}
	return nil
}

// walk gives entries, keys or values; values are sorted, as in the vectors.
func (s *states) walk(what string) any {
	entries, keys, values := [][2]any{}, []string{}, []*int64{}
	for key, v := range s.table.All() {
		entries, keys, values = append(entries, [2]any{key, v}), append(keys, key), append(values, v)
	}
	slices.SortFunc(values, func(a, b *int64) int { return cmp.Compare(nullFirst(a), nullFirst(b)) })
	return map[string]any{"entries": entries, "keys": keys, "values": values}[what]
}

func nullFirst(v *int64) int64 {
	if v == nil {
		return math.MinInt64
	}
	return *v
}

func (s *states) callFold(t *testing.T, state, method string, a stateAction) any {
	switch state + "." + method {
	case "reducing.get":
		return orNull(s.reducing.Get())
	case "reducing.add":
		s.reducing.Add(arg[*int64](t, a, 0))
	case "reducing.clear":
		s.reducing.Clear()
	case "aggregating.get":
		if v, ok := s.aggregating.Get(); ok {
			return v
		}
	case "aggregating.add":
		s.aggregating.Add(arg[*int64](t, a, 0))
	case "aggregating.clear":
		s.aggregating.Clear()
	default:
		t.Fatalf("method %q is not known here", a.Op)
	}
	return nil
}

func arg[T any](t *testing.T, a stateAction, i int) (v T) {
	t.Helper()
	require.Less(t, i, len(a.Args), "%s: argument %d is missing", a.Op, i)
	require.NoError(t, json.Unmarshal(a.Args[i], &v), "%s: argument %d", a.Op, i)
	return v
}

func orNull[T any](v *T, _ bool) any {
	if v == nil {
		return nil
	}
	return *v
}
