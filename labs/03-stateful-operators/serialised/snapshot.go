package serialised

import (
	"fmt"
	"slices"
	"strings"

	"gatewaymeter/stream"
)

// parkedSection is a restored state's part of one group that nobody has declared yet.
type parkedSection struct {
	group   int
	section stream.Section
}

// Snapshot appends a group: its states by name, each as a stream.Section.
func (b *backend) Snapshot(group int, dst []byte) ([]byte, error) {
	b.check(group)
	sections := b.parkedIn(group)
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
		if t, ok := b.byName[s.Name]; ok {
			return t.load(group, s)
		}
		b.parked[s.Name] = append(b.parked[s.Name], parkedSection{group, s})
		return nil
	})
}

// unpark gives a state that has just been declared what a restore left for it.
func (b *backend) unpark(t *table) error {
	for _, p := range b.parked[t.d.Name] {
		if err := t.load(p.group, p.section); err != nil {
			return err
		}
	}
	delete(b.parked, t.d.Name)
	return nil
}

// parkedIn is the undeclared states of a group; a snapshot hands them on as they came.
func (b *backend) parkedIn(group int) (sections []stream.Section) {
	for _, parked := range b.parked {
		for _, p := range parked {
			if p.group == group {
				sections = append(sections, p.section)
			}
		}
	}
	return sections
}

func (b *backend) parkedKeys(state string) (n int) {
	for _, p := range b.parked[state] {
		_ = stream.EachContent(p.section.Body, func(_, _ []byte) error { n++; return nil })
	}
	return n
}

// Each walks a state in one group, keys ascending, and shows copies. See stream.Backend.
func (b *backend) Each(state string, group int, f func(key string, v any) error) error {
	t, ok := b.byName[state]
	if !ok {
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
