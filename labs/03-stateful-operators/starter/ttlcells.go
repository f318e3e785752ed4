package operators

import "gatewaymeter/stream"

// ttlValue is a value that expires.
type ttlValue struct {
	*aging
	below stream.ValueCell
}

// Settle passes on that a place was written.
func (c *ttlValue) Settle() { settle(c.below) }

func settle(below stream.Cell) {
	if s, ok := below.(stream.Settler); ok {
		s.Settle()
	}
}

// Get is the value, unless it has expired: see aging.read.
func (c *ttlValue) Get() any {
	c.access()
	s, _ := c.below.Get().(*stamped)
	return c.read(s, func() { c.stamp() }, c.below.Clear)
}

// Put is the place to write, with a new stamp.
func (c *ttlValue) Put() any {
	c.access()
	return c.stamp().v
}

func (c *ttlValue) stamp() *stamped {
	s := c.below.Put().(*stamped)
	s.at = c.clock.Now()
	return s
}

// Clear removes the value.
func (c *ttlValue) Clear() {
	c.access()
	c.below.Clear()
}

// ttlFold is a reducing or aggregating state that expires as a whole.
type ttlFold struct {
	*aging
	below stream.FoldCell
}

// Get is the value or accumulator, unless it has expired: see aging.read.
func (c *ttlFold) Get() any {
	c.access()
	s, _ := c.below.Get().(*stamped)
	return c.read(s, func() { c.below.Add(restamp) }, c.below.Clear)
}

// Add folds in; over an expired value it starts anew: see aging.wrapFold.
func (c *ttlFold) Add(in any) {
	c.access()
	c.below.Add(in)
}

// Clear removes the value.
func (c *ttlFold) Clear() {
	c.access()
	c.below.Clear()
}

// ttlMap is a map whose entries expire one by one.
type ttlMap struct {
	*aging
	below stream.MapCell
}

// Settle passes on that a place was written.
func (c *ttlMap) Settle() { settle(c.below) }

// Get is the value under key, unless it has expired: see aging.read.
func (c *ttlMap) Get(key []byte) any {
	c.access()
	s, _ := c.below.Get(key).(*stamped)
	return c.read(s, func() { c.stamp(key) }, func() { c.below.Remove(key) })
}

// Put is the place to write, with a new stamp.
func (c *ttlMap) Put(key []byte) any {
	c.access()
	return c.stamp(key).v
}

func (c *ttlMap) stamp(key []byte) *stamped {
	s := c.below.Put(key).(*stamped)
	s.at = c.clock.Now()
	return s
}

// Remove deletes an entry.
func (c *ttlMap) Remove(key []byte) {
	c.access()
	c.below.Remove(key)
}

// Each walks the entries that may be seen. Each of them is read, with all that a read does.
func (c *ttlMap) Each(f func(key []byte, v any) bool) {
	c.access()
	c.below.Each(func(key []byte, v any) bool {
		restamp := func() {
			c.below.Get(key) // else the place that Put gives may hold anything
			c.stamp(key)
		}
		seen := c.read(v.(*stamped), restamp, func() { c.below.Remove(key) })
		return seen == nil || f(key, seen)
	})
}

// Len counts what is stored: expired entries too, until something meets them, as in Flink's isEmpty.
func (c *ttlMap) Len() int { return c.below.Len() }

// Clear removes all entries.
func (c *ttlMap) Clear() {
	c.access()
	c.below.Clear()
}
