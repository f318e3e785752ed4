package serialised

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"

	"gatewaymeter/stream"
)

// A row's key is: group (2 bytes), state (1 byte), the stream's key, and for lists and maps what it is
// of them. The group comes first, so that a key group is one range of rows; the stream's key is
// escaped and ended so that rows sort as the keys do, and no key's rows begin with another's.
//
//	value, fold   group state key 00 01                   the value
//	list, map     group state key 00 01  00               how many elements or entries
//	list          group state key 00 01  01 index         an element
//	map           group state key 00 01  01 map-key       an entry's value
const (
	countRow   = 0
	contentRow = 1
)

// appendKey writes group and key; the state's byte, between them, is left 0. See table.at.
func appendKey(dst []byte, group int, key string) []byte {
	dst = binary.BigEndian.AppendUint16(dst, uint16(group))
	dst = append(dst, 0)
	for {
		i := strings.IndexByte(key, 0)
		if i < 0 {
			return append(append(dst, key...), 0, 1)
		}
		dst = append(append(dst, key[:i]...), 0, 0xff)
		key = key[i+1:]
	}
}

// cut splits what follows a row's group and state: the escaped key with its end, and the rest.
func cut(row []byte) (escaped, rest []byte, err error) {
	for i := 0; i+1 < len(row); i++ {
		if row[i] == 0 {
			if row[i+1] == 1 {
				return row[:i+2], row[i+2:], nil
			}
			i++
		}
	}
	return nil, nil, fmt.Errorf("%w: a row's key has no end", stream.ErrCorrupt)
}

// unescape is the stream's key again.
func unescape(escaped []byte) string {
	key := escaped[:len(escaped)-2]
	if bytes.IndexByte(key, 0) < 0 {
		return string(key)
	}
	return string(bytes.ReplaceAll(key, []byte{0, 0xff}, []byte{0}))
}

// at is the current key's row in this state: the slice is valid until the next call. Without a current
// key it panics.
func (t *table) at() []byte {
	t.check()
	t.row = append(t.row[:0], t.b.prefix...)
	t.row[2] = t.id
	return t.row
}

// check panics without a current key, and settles what another cell was given before.
func (t *table) check() {
	if t.b.group == noGroup {
		panic(&stream.StateError{State: t.d.Name, Err: stream.ErrNoKey})
	}
	t.b.settle()
}

// of is the row of the current key that ends in the given bytes.
func (t *table) of(kind byte, rest []byte) []byte {
	t.row = append(append(t.at(), kind), rest...)
	return t.row
}

// groupPrefix is how all rows of a state in one group begin.
func (t *table) groupPrefix(group int) []byte {
	return append(binary.BigEndian.AppendUint16(nil, uint16(group)), t.id)
}

// after is the first row that does not begin with prefix.
func after(prefix []byte) []byte {
	end := bytes.Clone(prefix)
	for i := len(end) - 1; i >= 0; i-- {
		if end[i]++; end[i] != 0 {
			return end[:i+1]
		}
	}
	return nil
}
