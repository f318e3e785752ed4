package serialised

import (
	"fmt"
	"slices"
	"strings"

	"gatewaymeter/stream"
)

// Snapshot appends a group: its states by name, each as a stream.Section.
func (b *backend) Snapshot(group int, dst []byte) ([]byte, error) {
	b.check(group)
	sections := b.parked.In(group)
	for _, t := range b.tables {
		body, err := t.encodeGroup(group)
		if err != nil {
			return dst, fmt.Errorf("state %q: %w", t.d.Name, err)
		}
		if len(body) > 0 {
			sections = append(sections, stream.Section{Name: t.d.Name, Type: t.d.Type, Kind: t.d.Kind, Body: body})
		}
	}
	slices.SortFunc(sections, func(a, b stream.Section) int { return strings.Compare(a.Name, b.Name) })
	for _, s := range sections {
		dst = stream.AppendSection(dst, s)
	}
	return dst, nil
}

// encodeGroup is a section's body. Values are written as they are stored, undecoded.
func (t *table) encodeGroup(group int) (body []byte, err error) {
	var dst []byte
	err = t.eachContent(group, func(c content) error {
		kept := false
		dst = dst[:0]
		for i, value := range c.values {
			if keep, err := t.keeps(value); err != nil || !keep {
				if err != nil {
					return err
				}
				continue
			}
			kept = true
			switch t.d.Kind {
			case stream.MapState:
				dst = stream.AppendBytes(stream.AppendBytes(dst, c.names[i]), value)
			case stream.ListState:
				dst = stream.AppendBytes(dst, value)
			default:
				dst = append(dst, value...)
			}
		}
		if kept {
			body = stream.AppendContent(body, c.key, dst)
		}
		return nil
	})
	return body, err
}

// keeps asks the descriptor's Keep.
func (t *table) keeps(value []byte) (bool, error) {
	if t.d.Keep == nil {
		return true, nil
	}
	v := t.d.New()
	if err := t.decode(value, v); err != nil {
		return false, err
	}
	return t.d.Keep(v), nil
}

// Restore reads a group. A state that is not declared yet is parked.
func (b *backend) Restore(group int, src []byte) error {
	b.check(group)
	return stream.EachSection(slices.Clone(src), func(s stream.Section) error {
		if t, ok := b.byName[s.Name]; ok && t.cell != nil {
			return t.load(group, s)
		}
		b.parked.Add(group, s)
		return nil
	})
}

// Each walks a state in one group, keys ascending, and shows copies. See stream.Backend.
func (b *backend) Each(state string, group int, f func(key string, v any) error) error {
	t, ok := b.byName[state]
	if !ok || t.cell == nil {
		return fmt.Errorf("state %q is not declared", state)
	}
	if live, ok := t.cell.(*liveCell); ok {
		return live.each(group, f)
	}
	return t.eachContent(group, func(c content) error {
		v, err := t.export(c)
		if err != nil {
			return err
		}
		return f(c.key, v)
	})
}

// export is content as stream.Backend's Each shows it.
func (t *table) export(c content) (any, error) {
	elements := make([]any, len(c.values))
	for i, value := range c.values {
		elements[i] = t.d.New()
		if err := t.decode(value, elements[i]); err != nil {
			return nil, err
		}
	}
	switch t.d.Kind {
	case stream.ListState:
		return elements, nil
	case stream.MapState:
		entries := make([]stream.MapEntry, len(elements))
		for i, e := range elements {
			entries[i] = stream.MapEntry{Key: c.names[i], Value: e}
		}
		return entries, nil
	}
	return elements[0], nil
}
