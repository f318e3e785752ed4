package serialised

import "bytes"

// mapCell is a row for each entry, and one with their number.
type mapCell struct {
	*table
	scratch any
	put     []byte // the map's key of the last Put
}

// Get decodes one entry.
func (c *mapCell) Get(key []byte) any {
	src := c.b.store.get(c.of(contentRow, key))
	if src == nil {
		return nil
	}
	must(c.decode(src, c.scratch))
	return c.scratch
}

// Put gives the place; Settle takes what was written there.
func (c *mapCell) Put(key []byte) any {
	c.at() // settles what another cell was given before, and checks the key
	c.put = append(c.put[:0], key...)
	c.b.pending = c
	return c.scratch
}

// Settle stores the place's bytes.
func (c *mapCell) Settle() {
	c.b.pending = nil
	if added := c.store(c.of(contentRow, c.put), c.scratch); added > 0 {
		c.setCount(c.count() + added)
	}
}

// Remove deletes an entry.
func (c *mapCell) Remove(key []byte) {
	if removed := c.remove(c.of(contentRow, key)); removed > 0 {
		c.setCount(c.count() - removed)
	}
}

// Each walks the entries that are there when it begins, by ascending key, and skips those that f
// removed meanwhile.
func (c *mapCell) Each(f func(key []byte, v any) bool) {
	for _, key := range c.sorted() {
		src := c.b.store.get(c.of(contentRow, key))
		if src == nil {
			continue
		}
		v := c.d.New() // f may use this state, and with it the scratch
		must(c.decode(src, v))
		if !f(key, v) {
			return
		}
	}
}

// sorted is the map's keys under the current key.
func (c *mapCell) sorted() (keys [][]byte) {
	if c.count() == 0 {
		return nil
	}
	must(c.b.store.under(c.of(contentRow, nil), func(key, _ []byte) error {
		keys = append(keys, bytes.Clone(key))
		return nil
	}))
	return keys
}

// Len is the number of entries.
func (c *mapCell) Len() int { return c.count() }

// Clear removes all entries.
func (c *mapCell) Clear() {
	for _, key := range c.sorted() {
		c.remove(c.of(contentRow, key))
	}
	c.setCount(0)
}
