package serialised

import "bytes"

// content is what one key has in a state, as rows: the names of map entries, and the values.
type content struct {
	key    string
	names  [][]byte // of a map
	values [][]byte
}

// eachContent walks a state's keys in one group, ascending.
func (t *table) eachContent(group int, f func(c content) error) error {
	t.b.settle()
	if live, ok := t.cell.(*liveCell); ok {
		return live.each(group, func(key string, v any) error {
			return f(content{key: key, values: [][]byte{t.d.Codec.Append(nil, v)}})
		})
	}
	_, err := t.walk(group, nil, func(c content) (bool, error) { return true, f(c) })
	return err
}

// walk is eachContent for states that are rows: from a row on, until f says false. It returns the row
// to go on from, nil at the end of the group. What f gets is f's, and f may change the state.
func (t *table) walk(group int, from []byte, f func(c content) (bool, error)) (next []byte, err error) {
	prefix := t.groupPrefix(group)
	if from == nil {
		from = prefix
	}
	var last []byte // the escaped key that c is of
	var c content
	on := true
	err = t.b.store.each(from, after(prefix), func(row, value []byte) (bool, error) {
		escaped, rest, err := cut(row[len(prefix):])
		if err != nil {
			return false, err
		}
		if last != nil && !bytes.Equal(escaped, last) {
			if on, err = f(c); err != nil || !on {
				next = bytes.Clone(row)
				return false, err
			}
			c = content{}
		}
		if len(c.values) == 0 {
			last = append(last[:0], escaped...)
			c.key = unescape(escaped)
		}
		switch {
		case len(rest) == 0:
			c.values = append(c.values, bytes.Clone(value))
		case rest[0] == contentRow:
			c.names, c.values = append(c.names, bytes.Clone(rest[1:])), append(c.values, bytes.Clone(value))
		}
		return true, nil
	})
	if err == nil && on && last != nil {
		_, err = f(c)
	}
	return next, err
}
