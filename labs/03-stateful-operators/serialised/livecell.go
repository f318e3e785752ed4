package serialised

import "slices"

// liveCell keeps objects, as the heap does, until a snapshot: what a timer service stores holds
// positions in a queue, and no copy may have those.
type liveCell struct {
	*table
	groups []map[string]any // by group, counted from the first
}

func newLiveCell(t *table) *liveCell {
	c := &liveCell{table: t, groups: make([]map[string]any, t.b.last-t.b.first+1)}
	for i := range c.groups {
		c.groups[i] = map[string]any{}
	}
	return c
}

// objects is the map of the current key's group; no current key is a fault.
func (c *liveCell) objects() map[string]any {
	c.at()
	return c.groups[c.b.group-c.b.first]
}

// Get is the object itself.
func (c *liveCell) Get() any { return c.objects()[c.b.key] }

// Put is the object, made if there is none.
func (c *liveCell) Put() any {
	objects := c.objects()
	v, ok := objects[c.b.key]
	if !ok {
		v = c.d.New()
		objects[c.b.key] = v
		c.keys++
	}
	return v
}

// Clear removes the object.
func (c *liveCell) Clear() {
	objects := c.objects()
	if _, ok := objects[c.b.key]; ok {
		delete(objects, c.b.key)
		c.keys--
	}
}

// each walks a group's objects, keys ascending.
func (c *liveCell) each(group int, f func(key string, v any) error) error {
	objects := c.groups[group-c.b.first]
	keys := make([]string, 0, len(objects))
	for key := range objects {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	for _, key := range keys {
		if err := f(key, objects[key]); err != nil {
			return err
		}
	}
	return nil
}
