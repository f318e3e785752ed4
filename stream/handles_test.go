package stream_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"gatewaymeter/stream"
)

// hostile is a backend with one key that keeps every promise of the contracts and none besides: a
// place that Put gives holds garbage unless Get showed it, Get gives a copy, and what was put is taken
// at Settle and not a moment later. A handle that leans on more than the contracts is found out here.
type hostile struct {
	stream.Backend
	garbage func(into any)
}

func (b hostile) SetKey(int, string) {}

func (b hostile) Cell(d stream.Descriptor) (stream.Cell, error) {
	switch d.Kind {
	case stream.ValueState:
		return &hostileValue{b: b, d: d}, nil
	case stream.ListState:
		return &hostileList{d: d}, nil
	case stream.MapState:
		return &hostileMap{b: b, d: d, entries: map[string][]byte{}}, nil
	}
	return &hostileFold{b: b, d: d}, nil
}

// place is a new *T full of garbage, or with what src says.
func (b hostile) place(d stream.Descriptor, src []byte) any {
	v := d.New()
	b.garbage(v)
	if src != nil {
		if err := d.Codec.Decode(src, v); err != nil {
			panic(err)
		}
	}
	return v
}

type hostileValue struct {
	b      hostile
	d      stream.Descriptor
	stored []byte
	shown  any // what the last Get gave
	given  any // the place of the last Put
}

func (c *hostileValue) Get() any {
	c.shown = nil
	if c.stored != nil {
		c.shown = c.b.place(c.d, c.stored)
	}
	return c.shown
}

func (c *hostileValue) Put() any {
	if c.given = c.shown; c.given == nil {
		c.given = c.b.place(c.d, nil)
	}
	return c.given
}

func (c *hostileValue) Settle() {
	c.stored = c.d.Codec.Append([]byte{}, c.given)
	c.b.garbage(c.given) // it may be anybody's now
	c.shown = nil
}

func (c *hostileValue) Clear() { c.stored, c.shown = nil, nil }

type hostileList struct {
	d        stream.Descriptor
	elements []any
}

func (c *hostileList) Add(e any)       { c.elements = append(c.elements, e) }
func (c *hostileList) Update(es []any) { c.elements = slices.Clone(es) }
func (c *hostileList) Len() int        { return len(c.elements) }
func (c *hostileList) Clear()          { c.elements = nil }
func (c *hostileList) Each(f func(e any) bool) {
	for _, e := range c.elements {
		if !f(c.d.Copy(e)) {
			return
		}
	}
}

type hostileMap struct {
	b       hostile
	d       stream.Descriptor
	entries map[string][]byte
	key     string
	given   any
}

func (c *hostileMap) Get(key []byte) any {
	if src, ok := c.entries[string(key)]; ok {
		return c.b.place(c.d, src)
	}
	return nil
}

func (c *hostileMap) Put(key []byte) any {
	c.key, c.given = string(key), c.b.place(c.d, nil)
	return c.given
}

func (c *hostileMap) Settle() {
	c.entries[c.key] = c.d.Codec.Append([]byte{}, c.given)
	c.b.garbage(c.given)
}

func (c *hostileMap) Remove(key []byte) { delete(c.entries, string(key)) }
func (c *hostileMap) Len() int          { return len(c.entries) }
func (c *hostileMap) Clear()            { clear(c.entries) }

// Each overwrites the key that it lent as soon as f is done with it.
func (c *hostileMap) Each(f func(key []byte, v any) bool) {
	var keys []string
	for key := range c.entries {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	for _, key := range keys {
		lent := []byte(key)
		on := f(lent, c.b.place(c.d, c.entries[key]))
		for i := range lent {
			lent[i] = '?'
		}
		if !on {
			return
		}
	}
}

type hostileFold struct {
	b      hostile
	d      stream.Descriptor
	stored []byte
}

func (c *hostileFold) Get() any {
	if c.stored == nil {
		return nil
	}
	return c.b.place(c.d, c.stored)
}

func (c *hostileFold) Add(in any) {
	if in == nil {
		c.stored = nil
		return
	}
	acc := c.b.place(c.d, c.stored)
	switch {
	case c.stored != nil:
		c.d.Fold.Add(acc, in)
	case c.d.Fold.Create != nil:
		c.d.Fold.Create(acc)
		c.d.Fold.Add(acc, in)
	default:
		c.d.Fold.Set(acc, in)
	}
	c.stored = c.d.Codec.Append([]byte{}, acc)
}

func (c *hostileFold) Clear() { c.stored = nil }

// onHostile is a context with a key on the hostile backend. Garbage is a number and a text.
func onHostile() *stream.Context {
	c := &stream.Context{Backend: hostile{garbage: func(into any) {
		switch v := into.(type) {
		case *int64:
			*v = -999
		case *string:
			*v = "garbage"
		case *[]string:
			*v = []string{"garbage", "garbage"}
		}
	}}}
	c.SetKey(0, "k")
	return c
}

func TestValueTrustsNothing(t *testing.T) {
	v := stream.NewValue(onHostile(), "v", stream.String)
	_, ok := v.Get()
	require.False(t, ok)
	v.Update("a")
	v.Update("b") // without a Get between
	got, ok := v.Get()
	require.True(t, ok)
	require.Equal(t, "b", got)
	v.Clear()
	_, ok = v.Get()
	require.False(t, ok)
	v.Update("c")
	got, _ = v.Get()
	require.Equal(t, "c", got)
}

func TestListTrustsNothing(t *testing.T) {
	l := stream.NewList(onHostile(), "l", stream.Int64)
	require.NotNil(t, l.Get(), "an empty list is empty, not null")
	l.AddAll(1, 2)
	own := l.Get()
	own[0] = 100
	require.Equal(t, []int64{1, 2}, l.Get(), "the slice is the caller's own")
	given := []int64{3, 4}
	l.Update(given)
	given[0] = 100
	require.Equal(t, []int64{3, 4}, l.Get(), "the state does not share the argument")
	for range l.All() {
		break // stopping early is no trouble
	}
}

func TestMapTrustsNothing(t *testing.T) {
	m := stream.NewMap(onHostile(), "m", stream.String, stream.Int64)
	m.Put("y", 1)
	m.Put("x", 2)
	m.Put("y", 3)
	var got []string
	for key, v := range m.All() {
		got = append(got, fmt.Sprint(key, v))
	}
	require.Equal(t, []string{"x2", "y3"}, got, "keys are copies, not what the cell lent")
	require.True(t, m.Contains("x"))
	m.Remove("x")
	require.False(t, m.Contains("x"))
}

// lengths adds up the lengths of texts.
type lengths struct{}

func (lengths) Create() int64             { return 0 }
func (lengths) Add(acc *int64, in string) { *acc += int64(len(in)) }
func (lengths) Result(acc int64) string   { return fmt.Sprint(acc) }
func (lengths) Merge(acc *int64, o int64) { *acc += o }

func TestFoldsTrustNothing(t *testing.T) {
	c := onHostile()
	sum := stream.NewReducing(c, "sum", stream.Int64, func(a, b int64) int64 { return a + b })
	length := stream.NewAggregating(c, "length", stream.Int64, lengths{})
	for range 2 {
		_, ok := sum.Get()
		require.False(t, ok)
		sum.Add(5)
		sum.Add(6)
		got, _ := sum.Get()
		require.EqualValues(t, 11, got)
		length.Add("ab")
		length.Add("c")
		text, _ := length.Get()
		require.Equal(t, "3", text)
		sum.Clear()
		length.Clear()
	}
}

func TestHandlesRefuse(t *testing.T) {
	require.ErrorIs(t, stream.Try(func() { stream.NewValue(&stream.Context{}, "v", stream.Int64) }), stream.ErrNotKeyed)
	require.ErrorContains(t, stream.Try(func() { stream.NewList(&stream.Context{}, "bag", stream.Int64) }), `"bag"`)
	fresh := &stream.Context{}
	require.ErrorIs(t, stream.Try(func() { fresh.Key() }), stream.ErrNoKey)
}
