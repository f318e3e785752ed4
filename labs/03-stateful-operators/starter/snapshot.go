package operators

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"gatewaymeter/stream"
)

// This file is given: how the heap writes a key group down, reads it back, and walks it.

// keyed is a drawer with its key.
type keyed struct {
	key    string
	d      *drawer
	prefix uint64 // the key's first bytes, since most comparisons need no more
}

// sorted is a group's drawers by ascending key: a Go map's own order changes from run to run.
func (h *heap) sorted(group int) []keyed {
	all := make([]keyed, 0, len(h.keysOf(group)))
	for key, d := range h.keysOf(group) {
		all = append(all, keyed{key, d, prefixOf(key)})
	}
	slices.SortFunc(all, func(a, b keyed) int {
		if a.prefix != b.prefix {
			return cmp.Compare(a.prefix, b.prefix)
		}
		return strings.Compare(a.key, b.key)
	})
	return all
}

// prefixOf is a key's first eight bytes as a number; a shorter key ends in zeros. Numbers that differ
// are in the order of their keys.
func prefixOf(key string) uint64 {
	var first [8]byte
	copy(first[:], key)
	return binary.BigEndian.Uint64(first[:])
}

// in is what a drawer has in this state, or nil.
func (t *table) in(d *drawer) any {
	if t.slot < len(d.slots) {
		return d.slots[t.slot]
	}
	return nil
}

// Snapshot appends a group: its states by name, each as a stream.Section.
func (h *heap) Snapshot(group int, dst []byte) ([]byte, error) {
	sections := h.parked.In(group)
	drawers := h.sorted(group)
	for _, t := range h.tables {
		if body := t.encodeGroup(drawers); len(body) > 0 {
			sections = append(sections, stream.Section{Name: t.d.Name, Type: t.d.Type, Kind: t.d.Kind, Body: body})
		}
	}
	slices.SortFunc(sections, func(a, b stream.Section) int { return strings.Compare(a.Name, b.Name) })
	for _, s := range sections {
		dst = stream.AppendSection(slices.Grow(dst, len(s.Body)+len(s.Name)+len(s.Type)+16), s)
	}
	return dst, nil
}

// encodeGroup is a section's body, valid until the next call: groups are alike in size, so its memory is
// used again for the next one.
func (t *table) encodeGroup(drawers []keyed) []byte {
	// All are looked up first: in a short loop the processor waits for many of them at once.
	contents := t.contents[:0]
	for _, k := range drawers {
		contents = append(contents, t.in(k.d))
	}
	var content, scratch []byte
	body := t.body[:0]
	for i, v := range contents {
		if v == nil {
			continue
		}
		var kept bool
		if content, scratch, kept = t.encode(content[:0], scratch, v); kept {
			body = stream.AppendContent(body, drawers[i].key, content)
		}
	}
	clear(contents)
	t.contents, t.body = contents, body
	return body
}

// encode writes one key's content, and reports whether anything of it is kept.
func (t *table) encode(dst, scratch []byte, content any) (_, _ []byte, kept bool) {
	keep := func(v any) bool { return t.d.Keep == nil || t.d.Keep(v) }
	switch c := content.(type) {
	case *list:
		for _, e := range c.elements {
			if keep(e) {
				scratch = t.d.Codec.Append(scratch[:0], e)
				dst, kept = stream.AppendBytes(dst, scratch), true
			}
		}
	case *entries:
		for _, e := range c.sorted(nil) {
			if keep(e.value) {
				scratch = t.d.Codec.Append(scratch[:0], e.value)
				dst, kept = stream.AppendBytes(stream.AppendString(dst, e.key), scratch), true
			}
		}
	default:
		if keep(content) {
			dst, kept = t.d.Codec.Append(dst, content), true
		}
	}
	return dst, scratch, kept
}

// Restore reads a group. A state that is not declared yet is parked.
func (h *heap) Restore(group int, src []byte) error {
	h.keysOf(group) // checks the group
	return stream.EachSection(slices.Clone(src), func(s stream.Section) error {
		if t, ok := h.byName[s.Name]; ok {
			return t.load(group, s)
		}
		h.parked.Add(group, s)
		return nil
	})
}

// load reads a section of this state.
func (t *table) load(group int, s stream.Section) error {
	if err := s.Accepts(t.d); err != nil {
		return err
	}
	defer t.h.SetKey(t.h.group, t.h.key)
	err := stream.EachContent(s.Body, func(key, content []byte) error {
		t.h.SetKey(group, string(key))
		return t.decode(t.place(), content)
	})
	if err != nil {
		return fmt.Errorf("state %q, key group %d: %w", s.Name, group, err)
	}
	return nil
}

// decode reads one key's content.
func (t *table) decode(into any, src []byte) error {
	switch c := into.(type) {
	case *list:
		w := stream.NewWire(src)
		for w.More() {
			e := t.d.New()
			if err := t.d.Codec.Decode(w.Bytes(), e); err != nil {
				return err
			}
			c.elements = append(c.elements, e)
		}
		return w.Err()
	case *entries:
		w := stream.NewWire(src)
		for w.More() {
			key, value := w.Bytes(), w.Bytes()
			if err := t.d.Codec.Decode(value, c.put(key)); err != nil {
				return err
			}
		}
		return w.Err()
	}
	return t.d.Codec.Decode(src, into)
}

// Each walks a state in one group, keys ascending. See stream.Backend.
func (h *heap) Each(state string, group int, f func(key string, v any) error) error {
	t, ok := h.byName[state]
	if !ok {
		return fmt.Errorf("state %q is not declared", state)
	}
	for _, k := range h.sorted(group) {
		v := t.in(k.d)
		if v == nil {
			continue
		}
		if err := f(k.key, export(v)); err != nil {
			return err
		}
	}
	return nil
}

// export is content as stream.Backend's Each shows it.
func export(content any) any {
	switch c := content.(type) {
	case *list:
		return slices.Clone(c.elements)
	case *entries:
		var out []stream.MapEntry
		for _, e := range c.sorted(nil) {
			out = append(out, stream.MapEntry{Key: []byte(e.key), Value: e.value})
		}
		return out
	}
	return content
}
