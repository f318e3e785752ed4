package operators

import (
	"slices"
	"strings"
)

// entries is the content of a map state: values by encoded key.
//
// Most maps of a keyed stream are tiny (two event types, three minutes), and a Go map costs over 300
// bytes however little is in it. So a small one is a slice in key order, and only a large one a map.
type entries struct {
	make  func() any
	small []entry        // by key, ascending; nil once large is in use
	large map[string]any // nil while small is in use
	idle  []any          // values of removed entries
}

type entry struct {
	key   string
	value any // a *T
}

const smallMap = 32 // the most entries that are kept in a slice

func newEntries(make func() any) *entries { return &entries{make: make} }

func (m *entries) len() int {
	if m.large != nil {
		return len(m.large)
	}
	return len(m.small)
}

// get is the value under key, or nil.
func (m *entries) get(key []byte) any {
	if m.large != nil {
		return m.large[string(key)]
	}
	if i, ok := m.find(key); ok {
		return m.small[i].value
	}
	return nil
}

// put is the value under key, made if there is none: then its content is unspecified.
func (m *entries) put(key []byte) any {
	if v := m.get(key); v != nil {
		return v
	}
	v := m.fresh()
	if m.large == nil && len(m.small) == smallMap {
		m.grow()
	}
	if m.large != nil {
		m.large[string(key)] = v
		return v
	}
	i, _ := m.find(key)
	m.small = slices.Insert(m.small, i, entry{string(key), v})
	return v
}

// remove deletes the entry under key, if there is one.
func (m *entries) remove(key []byte) {
	v := m.get(key)
	if v == nil {
		return
	}
	if m.large != nil {
		delete(m.large, string(key))
		return
	}
	m.idle = append(m.idle, v)
	i, _ := m.find(key)
	m.small = slices.Delete(m.small, i, i+1)
}

// reset removes all entries. What was large becomes small: another key's map most likely is.
func (m *entries) reset() {
	m.large = nil
	for i := range m.small {
		m.idle = append(m.idle, m.small[i].value)
	}
	clear(m.small)
	m.small = m.small[:0]
}

// sorted appends all entries to dst, by ascending key.
func (m *entries) sorted(dst []entry) []entry {
	if m.large == nil {
		return append(dst, m.small...)
	}
	from := len(dst)
	for key, v := range m.large {
		dst = append(dst, entry{key, v})
	}
	slices.SortFunc(dst[from:], func(a, b entry) int { return strings.Compare(a.key, b.key) })
	return dst
}

func (m *entries) find(key []byte) (int, bool) {
	for i := range m.small {
		switch k := m.small[i].key; {
		case k == string(key):
			return i, true
		case k > string(key):
			return i, false
		}
	}
	return len(m.small), false
}

func (m *entries) grow() {
	m.large = make(map[string]any, 2*smallMap)
	for _, e := range m.small {
		m.large[e.key] = e.value
	}
	m.small, m.idle = nil, nil
}

func (m *entries) fresh() any {
	if n := len(m.idle); n > 0 {
		v := m.idle[n-1]
		m.idle = m.idle[:n-1]
		return v
	}
	return m.make()
}
