package serialised

import (
	"fmt"
	"slices"
)

// liveCell keeps objects, as the heap does: what a timer service stores holds positions in a queue, and
// no copy may have those. Each object has a row too, so that a snapshot is rows alone; it is written
// when rows are, from what the object is by then. Many changes of one object are one write.
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

// objects is the map of the current key's group, and its row; no current key is a fault.
func (c *liveCell) objects() (objects map[string]any, row []byte) {
	row = c.at()
	return c.groups[c.b.group-c.b.first], row
}

// Get is the object itself.
func (c *liveCell) Get() any {
	objects, _ := c.objects()
	return objects[c.b.key]
}

// Put is the object, made if there is none.
func (c *liveCell) Put() any {
	objects, row := c.objects()
	v, ok := objects[c.b.key]
	if !ok {
		v = c.d.New()
		objects[c.b.key] = v
		c.keys++
	}
	c.b.store.setLater(row, ok, c.table, v)
	return v
}

// Clear removes the object.
func (c *liveCell) Clear() {
	objects, row := c.objects()
	if _, ok := objects[c.b.key]; ok {
		delete(objects, c.b.key)
		c.keys--
		c.b.store.set(c.b.store.known(row, true), false)
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

// fill makes the objects of some groups from the rows that a restore has brought.
func (c *liveCell) fill(first, last int) error {
	for group := first; group <= last && c.keys > 0; group++ {
		_, err := c.walk(group, nil, func(content content) (bool, error) {
			v := c.d.New()
			c.groups[group-c.b.first][content.key] = v
			return true, c.decode(content.values[0], v)
		})
		if err != nil {
			return fmt.Errorf("state %q, key group %d: %w", c.d.Name, group, err)
		}
	}
	return nil
}
