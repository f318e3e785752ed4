package serialised

import (
	"bytes"
	"encoding/binary"

	"gatewaymeter/stream"
)

// listCell is a row for each element, and one with their number: adding does not read the others.
type listCell struct{ *table }

// Add appends an element's bytes; the pointer is not kept.
func (c *listCell) Add(e any) {
	c.refuseNull(e)
	n := c.count()
	c.store(c.element(n), e)
	c.setCount(n + 1)
}

// Update replaces all elements.
func (c *listCell) Update(es []any) {
	for _, e := range es {
		c.refuseNull(e)
	}
	old := c.count()
	for i, e := range es {
		c.store(c.element(i), e)
	}
	for i := len(es); i < old; i++ {
		c.remove(c.element(i))
	}
	c.setCount(len(es))
}

// Each walks copies of the elements that are there when it begins, each an object of its own.
func (c *listCell) Each(f func(e any) bool) {
	elements := make([][]byte, c.count())
	for i := range elements {
		elements[i] = bytes.Clone(c.b.store.get(c.element(i)))
	}
	for _, src := range elements {
		e := c.d.New()
		must(c.decode(src, e))
		if !f(e) {
			return
		}
	}
}

// Len is the number of elements.
func (c *listCell) Len() int { return c.count() }

// Clear removes all elements.
func (c *listCell) Clear() { c.Update(nil) }

func (c *listCell) element(i int) []byte {
	var index [8]byte
	binary.BigEndian.PutUint64(index[:], uint64(i))
	return c.of(contentRow, index[:])
}

func (c *listCell) refuseNull(e any) {
	if e == nil {
		panic(&stream.StateError{State: c.d.Name, Err: stream.ErrNull})
	}
}

// count is the number of elements or entries under the current key.
func (t *table) count() int {
	src := t.b.store.get(t.of(countRow, nil))
	if src == nil {
		return 0
	}
	n, _ := binary.Uvarint(src)
	return int(n)
}

// setCount stores it; a count of 0 is no row, and no key.
func (t *table) setCount(n int) {
	r := t.b.store.row(t.of(countRow, nil))
	switch {
	case n == 0 && !r.present:
		return
	case n == 0:
		t.keys--
	case !r.present:
		t.keys++
	}
	r.value = binary.AppendUvarint(r.value[:0], uint64(n))
	t.b.store.set(r, n > 0)
}
