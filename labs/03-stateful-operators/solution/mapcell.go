package operators

import "gatewaymeter/stream"

// mapCell is stream.MapCell on the heap. The storage itself is given: see entries. What is left to
// do is when a map comes into being, and when it goes.
type mapCell struct {
	*table
	walk []entry // reused by Each
}

var _ stream.MapCell = (*mapCell)(nil)

// Get is the value under key, or nil.
func (c *mapCell) Get(key []byte) any {
	//lab:begin 3e
	if m, ok := c.content().(*entries); ok {
		return m.get(key)
	}
	return nil
	//lab:end
}

// Put is where the value under key goes.
func (c *mapCell) Put(key []byte) any {
	//lab:begin 3e
	return c.place().(*entries).put(key)
	//lab:end
}

// Remove deletes an entry. With the last one the map itself goes.
func (c *mapCell) Remove(key []byte) {
	//lab:begin 3e
	m, ok := c.content().(*entries)
	if !ok {
		return
	}
	m.remove(key)
	if m.len() == 0 {
		c.Clear()
	}
	//lab:end
}

// Each walks the entries that were there when it began, keys ascending, until f says false. An entry
// that f removed meanwhile is skipped; one that it added is not seen.
func (c *mapCell) Each(f func(key []byte, v any) bool) {
	//lab:begin 3e
	m, ok := c.content().(*entries)
	if !ok {
		return
	}
	walk := m.sorted(c.walk[:0])
	c.walk = nil // f may walk this state too
	defer func() { clear(walk); c.walk = walk }()
	var key []byte
	for _, e := range walk {
		key = append(key[:0], e.key...)
		now, ok := c.content().(*entries)
		if !ok {
			return
		}
		if v := now.get(key); v != nil && !f(key, v) {
			return
		}
	}
	//lab:end
}

// Len is the number of entries; 0 if there is no map.
func (c *mapCell) Len() int {
	//lab:begin 3e
	if m, ok := c.content().(*entries); ok {
		return m.len()
	}
	return 0
	//lab:end
}

// Clear removes the current key's map.
func (c *mapCell) Clear() {
	//lab:begin 3e
	if m, ok := c.content().(*entries); ok {
		m.reset()
		c.drop()
	}
	//lab:end
}
